package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"spoor/predict/internal/engine"
	"spoor/predict/internal/timeline"
	"spoor/traces/format"
	"spoor/traces/nearest"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// observerFlags select results of a simulation of messages besides its times.
type observerFlags struct {
	matrix   bool
	slices   bool
	path     string
	timeline string
	viewer   format.Exporter
}

func (f *observerFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.matrix, "matrix", false, "print (and write with -o) messages between processors")
	flags.StringVar(&f.path, "path", "", "print (and write with -o) the critical path by segment or processor: `BY`")
	flags.StringVar(&f.timeline, "timeline", "", "write simulated events to `FILE`: .json for Chrome and Perfetto, .prv for Paraver")
}

// pathKinds are the values of --path.
var pathKinds = []string{"segment", "processor"}

// check reads the flags.
func (f *observerFlags) check() (err error) {
	switch {
	case f.path != "" && !slices.Contains(pathKinds, f.path):
		return stage.Usage("--path: %w", nearest.Unknown("kind", f.path, pathKinds))
	case f.path != "" && f.matrix, f.slices && (f.matrix || f.path != ""):
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
func (f *observerFlags) observe(ranks int, o *observed) engine.Observer {
	var all engine.Observers
	if f.matrix {
		o.matrix = matrix{}
		all = append(all, matrixObserver{matrix: o.matrix})
	}
	if f.slices {
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
	tunable, ok := f.viewer.(format.SettingsLister)
	if !ok {
		return nil
	}
	for _, s := range tunable.Settings() {
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
func (f *observerFlags) asked() bool { return f.matrix || f.slices || f.path != "" }

// table returns the table that the flags select instead of the results, or nil.
func (f *observerFlags) table(rows []messageRow) *store.Table {
	switch {
	case f.matrix:
		return matrixTable(rows)
	case f.slices:
		return sliceTable(rows)
	case f.path == "segment":
		return pathTable(rows)
	case f.path == "processor":
		return pathSums(rows)
	}
	return nil
}

// sliceTable has a row for each simulation, processor and slice of time.
func sliceTable(all []messageRow) *store.Table {
	type row struct {
		messageRow
		rank, slice int
		timeline.Parts
	}
	var rows []row
	for _, one := range all {
		for rank := range one.result.Ranks {
			for slice, parts := range one.slices.Rank(rank) {
				rows = append(rows, row{one, rank, slice, parts})
			}
		}
	}
	seconds := func(name string, of func(row) unit.Picos) store.Column {
		return columnOf(rows, name, "s", func(r row) float64 { return float64(of(r).Seconds()) })
	}
	columns := []store.Column{
		columnOf(rows, "program", "", func(r row) string { return r.title }),
		columnOf(rows, "machine", "", func(r row) string { return r.machine }),
		columnOf(rows, "processors", "", func(r row) int32 { return int32(len(r.result.Ranks)) }),
		columnOf(rows, "proc", "", func(r row) int32 { return int32(r.rank) }),
		columnOf(rows, "slice", "", func(r row) int32 { return int32(r.slice) }),
		seconds("begin", func(r row) unit.Picos { return unit.Picos(r.slice) * r.slices.Width() }),
	}
	for _, part := range messageParts {
		columns = append(columns, seconds(part.String(), func(r row) unit.Picos { return r.Parts[part] }))
	}
	return &store.Table{Name: "simulated slices", Columns: columns}
}

// pathRow is a segment of a critical path.
type pathRow struct {
	messageRow
	timeline.Segment
	segments uint64
}

func segments(all []messageRow) (rows []pathRow) {
	for _, one := range all {
		for _, s := range one.path.CriticalPath(one.result.Time) {
			rows = append(rows, pathRow{one, s, 1})
		}
	}
	return rows
}

// pathTable has a row for each segment of the critical path of each simulation, in order of time. For a message in transit, proc is
// the processor that waits for it.
func pathTable(all []messageRow) *store.Table {
	rows := segments(all)
	columns := pathColumns(rows)
	columns = slices.Insert(columns, len(columns)-1,
		columnOf(rows, "sender", "", func(r pathRow) int32 { return r.From }),
		columnOf(rows, "begin", "s", func(r pathRow) float64 { return float64(r.Begin.Seconds()) }))
	return &store.Table{Name: "critical path", Columns: columns}
}

// pathSums has a row for each simulation, processor and part on the critical path. They sum to the time of the run.
func pathSums(all []messageRow) *store.Table {
	type key struct {
		simulation int
		rank       int32
		part       engine.Part
	}
	sums := map[key]pathRow{}
	for i, one := range all {
		for _, r := range segments([]messageRow{one}) {
			k := key{i, r.Rank, r.Part}
			r.T += sums[k].T
			r.segments += sums[k].segments
			sums[k] = r
		}
	}
	var rows []pathRow
	for _, k := range slices.SortedFunc(maps.Keys(sums), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.simulation, b.simulation), cmp.Compare(a.rank, b.rank), cmp.Compare(a.part, b.part))
	}) {
		rows = append(rows, sums[k])
	}
	return &store.Table{Name: "critical path", Columns: append(pathColumns(rows), columnOf(rows, "segments", "", func(r pathRow) uint64 { return r.segments }))}
}

func pathColumns(rows []pathRow) []store.Column {
	return []store.Column{
		columnOf(rows, "program", "", func(r pathRow) string { return r.title }),
		columnOf(rows, "machine", "", func(r pathRow) string { return r.machine }),
		columnOf(rows, "processors", "", func(r pathRow) int32 { return int32(len(r.result.Ranks)) }),
		columnOf(rows, "proc", "", func(r pathRow) int32 { return r.Rank }),
		columnOf(rows, "part", "", func(r pathRow) string { return r.Part.String() }),
		columnOf(rows, "time", "s", func(r pathRow) float64 { return float64(r.T.Seconds()) }),
	}
}
