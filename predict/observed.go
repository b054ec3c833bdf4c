package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"spoor/predict/engine"
	"spoor/predict/timeline"
	"spoor/traces/format"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// observerFlags are what is asked for of a simulation of messages besides its times.
type observerFlags struct {
	matrix   bool
	path     string
	timeline string
	viewer   format.Exporter
}

func (f *observerFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.matrix, "matrix", false, "print who sends how much to whom instead")
	flags.StringVar(&f.path, "path", "", "print the critical path instead: `BY` is segment, or processor for its sums")
	flags.StringVar(&f.timeline, "timeline", "", "write the events at their simulated times to `FILE`: .json for Chrome and Perfetto, .prv for Paraver")
}

// check reads the flags.
func (f *observerFlags) check() (err error) {
	switch {
	case f.path != "" && f.path != "segment" && f.path != "processor":
		return stage.Usage("--path: no %q; there are segment, processor", f.path)
	case f.path != "" && f.matrix:
		return stage.Usage("--path and --matrix are two tables; ask for one")
	case f.timeline == "":
		return nil
	}
	viewers := map[string]string{".json": "chrome", ".prv": "paraver"}
	name, ok := viewers[filepath.Ext(f.timeline)]
	if !ok {
		return stage.Usage("--timeline %s: a name ends in .json or .prv", f.timeline)
	}
	f.viewer, err = format.ExporterByName(name)
	return err
}

// observed is what was observed of one simulation.
type observed struct {
	matrix matrix
	path   *timeline.Path
	times  *timeline.Times
}

// observe is what observes a simulation of so many ranks, or nil.
func (f *observerFlags) observe(ranks int, o *observed) engine.Observer {
	var all engine.Observers
	if f.matrix {
		o.matrix = matrix{}
		all = append(all, matrixObserver{matrix: o.matrix})
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

// write writes the timeline, if there is to be one.
func (f *observerFlags) write(env *stage.Env, src trace.Source, times *timeline.Times) error {
	if times == nil {
		return nil
	}
	var notes []string
	err := store.WriteFile(f.timeline, func(w io.Writer) (err error) {
		notes, err = f.viewer.Export(times.Of(src), format.ExportOptions{}, w)
		return err
	})
	if err != nil {
		return fmt.Errorf("writing the timeline: %w", err)
	}
	for _, n := range notes {
		env.Note("%s: %s", f.timeline, n)
	}
	return nil
}

// print prints the table that was asked for, and says whether one was.
func (f *observerFlags) print(w io.Writer, to stage.Format, rows []messageRow) (bool, error) {
	switch {
	case f.matrix:
		return true, stage.Print(w, to, matrixTable(rows))
	case f.path == "segment":
		return true, stage.Print(w, to, pathTable(rows))
	case f.path == "processor":
		return true, stage.Print(w, to, pathSums(rows))
	}
	return false, nil
}

// pathRow is a segment of a critical path.
type pathRow struct {
	messageRow
	timeline.Segment
	segments uint64
}

func segments(all []messageRow) (rows []pathRow) {
	for _, one := range all {
		for _, s := range one.path.Critical(one.result.Time) {
			rows = append(rows, pathRow{one, s, 1})
		}
	}
	return rows
}

// pathTable has a row for each segment of the critical path of each simulation, in the order of time.
// Of a message on its way, proc is who waited for it.
func pathTable(all []messageRow) *store.Table {
	rows := segments(all)
	columns := pathColumns(rows)
	columns = slices.Insert(columns, len(columns)-1,
		columnOf(rows, "sender", "", func(r pathRow) int32 { return r.From }),
		columnOf(rows, "begin", "s", func(r pathRow) float64 { return float64(r.Begin.Seconds()) }))
	return &store.Table{Name: "critical path", Columns: columns}
}

// pathSums has a row for each simulation, processor and part on the critical path. They add up to
// the time of the run.
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
		columnOf(rows, "proc", "", func(r pathRow) int32 { return r.Rank }),
		columnOf(rows, "part", "", func(r pathRow) string { return r.Part.String() }),
		columnOf(rows, "time", "s", func(r pathRow) float64 { return float64(r.T.Seconds()) }),
	}
}
