package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/timeline"
	"spoor/traces/format"
	"spoor/traces/lookup"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// observerFlags select results of a simulation of messages besides its times.
type observerFlags struct {
	matrix   bool
	phases   bool
	inSlices bool // phases are slices of time, because a simulation has messages
	path     string
	timeline string
	viewer   format.Exporter
}

func (f *observerFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.matrix, "matrix", false, "print (and write with -o) messages between processors")
	flags.BoolVar(&f.phases, "phases", false, "print (and write with -o) each processor between barriers, or in time slices")
	flags.StringVar(&f.path, "path", "", "print (and write with -o) the critical path by segment or processor: `BY`")
	flags.StringVar(&f.timeline, "timeline", "", "write simulated events to `FILE`: .json for Chrome and Perfetto, .prv for Paraver")
}

// pathKinds are the values of --path.
var pathKinds = []string{"segment", "processor"}

// check reads the flags.
func (f *observerFlags) check() (err error) {
	switch {
	case f.path != "" && !slices.Contains(pathKinds, f.path):
		return stage.Usage("--path: %w", lookup.Unknown("kind", f.path, pathKinds))
	case f.path != "" && f.matrix, f.phases && (f.matrix || f.path != ""):
		return stage.Usage("--path, --matrix and --phases print different tables; choose one")
	case f.timeline == "":
		return nil
	}
	viewers := map[string]string{".json": "chrome", ".prv": "paraver"}
	name, ok := viewers[filepath.Ext(f.timeline)]
	if !ok {
		return stage.Usage("--timeline %s: the name must end in .json or .prv", f.timeline)
	}
	f.viewer, err = format.ExporterByName(name)
	return err
}

// observed holds the observations of one simulation.
type observed struct {
	matrix matrix
	slices *timeline.Slices
	path   *timeline.Path
	times  *timeline.Times
}

// observe returns an observer for a simulation of so many ranks, or nil.
func (f *observerFlags) observe(ranks int, o *observed) observe.Observer {
	var all observe.Observers
	if f.matrix {
		o.matrix = matrix{}
		all = append(all, matrixObserver{matrix: o.matrix})
	}
	if f.phases && f.inSlices {
		o.slices = timeline.NewSlices(ranks)
		all = append(all, o.slices)
	}
	if f.path != "" {
		o.path = timeline.NewPath(ranks)
		all = append(all, o.path)
	}
	if f.timeline != "" {
		o.times = timeline.NewTimes(ranks)
		all = append(all, o.times)
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// write writes the timeline, if there is one.
func (f *observerFlags) write(env *stage.Env, src trace.Source, times *timeline.Times) error {
	if times == nil {
		return nil
	}
	var notes []string
	messages, err := times.Messages(src)
	if err != nil {
		return fmt.Errorf("writing the timeline: %w", err)
	}
	known := &format.Simulated{StateIntervals: times.StateIntervals, Messages: messages, End: times.End}
	err = store.WriteFileAtomic(f.timeline, func(w io.Writer) (err error) {
		notes, err = f.viewer.Export(times.Source(src), format.ExportOptions{Simulated: known}, w)
		return err
	})
	if err != nil {
		return fmt.Errorf("writing the timeline: %w", err)
	}
	for _, n := range notes {
		env.Note("%s: %s", f.timeline, n)
	}
	return f.labels(src)
}

// labels writes the names of events and processors for Paraver, as .pcf and .row next to the .prv file.
func (f *observerFlags) labels(src trace.Source) error {
	for _, s := range f.viewer.Info().Settings {
		if s.Name != "pcf" && s.Name != "row" {
			continue
		}
		err := store.WriteFileAtomic(strings.TrimSuffix(f.timeline, filepath.Ext(f.timeline))+"."+s.Name, func(w io.Writer) error {
			_, err := f.viewer.Export(src, format.ExportOptions{Set: map[string]string{s.Name: "true"}}, w)
			return err
		})
		if err != nil {
			return fmt.Errorf("writing the labels of the timeline: %w", err)
		}
	}
	return nil
}

// asked reports whether the flags select another table than the results.
func (f *observerFlags) asked() bool { return f.matrix || f.phases || f.path != "" }

// matrix counts the messages and bytes from each processor to each other.
type matrix map[[2]int32]*struct{ messages, bytes uint64 }

// matrixObserver fills a matrix.
type matrixObserver struct {
	observe.NopObserver
	matrix
}

// Message counts one message.
func (o matrixObserver) Message(from, to int32, d *observe.ReceivedMessage) {
	c := o.matrix[[2]int32{from, to}]
	if c == nil {
		c = new(struct{ messages, bytes uint64 })
		o.matrix[[2]int32{from, to}] = c
	}
	c.messages++
	c.bytes += uint64(d.Bytes)
}
