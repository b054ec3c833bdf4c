package mpicalls

import (
	"fmt"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// Recorded is what a recorder of references left of the ranks. A rank has one processor or more, for its threads. The
// first is that of main. It has a marker for each call of MPI with records; its
// tag is the number of the call.
type Recorded struct {
	Source trace.Source
	First  []trace.Proc // processor of main, by rank
	Apart  bool         // each rank has its own address space: the top byte of an address is its rank
}

// join is the import of one run.
type join struct {
	files    *input.Files
	o        format.Options
	sink     format.Sink
	writer   *emit.MessageWriter
	share    emit.HeldEvents
	recorded *Recorded
	least    bool // the least time of collectives is computation
	ranks    []*surveyed
	size     int
	world    int32            // group of MPI_COMM_WORLD
	groups   map[string]int32 // of communicators, by members and how often they had one before
	next     int32            // number of the next group
	notes    notes
	counts   map[string]uint64
	records  uint64
}

// Join reads the calls of all ranks. If a recorder left references of them, computation is in its events.
func Join(files *input.Files, o format.Options, sink format.Sink, recorded *Recorded) (format.Result, error) {
	j := &join{files: files, o: o, sink: sink, recorded: recorded, world: trace.None, groups: map[string]int32{}, next: 1, counts: map[string]uint64{},
		least: o.Setting(MPI{}, "collectives") == "least"}
	var err error
	if j.ranks, err = surveyAll(files); err != nil {
		return format.Result{}, err
	}
	if err := j.complete(); err != nil {
		return format.Result{}, err
	}
	if err := j.useRecorded(); err != nil {
		return format.Result{}, err
	}
	j.writer = emit.NewBinaryMessageWriter(files, j.o, sink)
	for _, s := range j.ranks {
		if err := j.rank(s); err != nil {
			return format.Result{}, err
		}
	}
	procs := j.size
	if recorded != nil {
		procs = recorded.Source.Header().Procs
	}
	unmatched, err := j.writer.Finish(procs)
	if err != nil {
		return format.Result{}, err
	}
	return format.Result{Program: j.ranks[0].program, Procs: procs, Lines: j.records, Notes: append(j.notes.list(), unmatched...), Counts: j.countList()}, nil
}

// complete checks that all ranks are there. A run that was killed may lack events.
func (j *join) complete() error {
	j.size = j.ranks[0].ranks
	for _, s := range j.ranks {
		if s.killed {
			j.notes.killed++
			j.o.Unmatched = true
		}
		if s.aborted {
			j.notes.aborted++
		}
		if s.references != (j.recorded != nil) {
			return fmt.Errorf("%s: its references are in other files, and only tracegen run joins them; record again", j.files.Path(s.file))
		}
	}
	missing, first := j.size-len(j.ranks), 0
	for first < len(j.ranks) && j.ranks[first].rank == first {
		first++
	}
	if missing == 0 {
		return nil
	}
	text := fmt.Sprintf("the run had %d ranks, but %s no file, first rank %d", j.size, input.Plural(missing, "rank")+" "+has(missing), first)
	if !j.o.Unmatched {
		return fmt.Errorf("%s: %s; give the files of all ranks, or their folder; --unmatched note imports the trace with a note", j.files.Path(0), text)
	}
	j.notes.missing = text
	return nil
}

func has(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// useRecorded chooses numbers of groups that the recorder of references has not used.
func (j *join) useRecorded() error {
	if j.recorded == nil {
		return nil
	}
	for b, err := range j.recorded.Source.Events() {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			j.next = max(j.next, b.Rows[i].Group+1)
		}
	}
	if j.recorded.Source.Header().Procs > j.size { // threads have no collectives
		j.world = j.next
		j.next++
	}
	return nil
}

// proc is the processor of a rank.
func (j *join) proc(rank int64) trace.Proc {
	if j.recorded != nil {
		return j.recorded.First[rank]
	}
	return trace.Proc(rank)
}
