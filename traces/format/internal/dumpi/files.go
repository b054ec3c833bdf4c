package dumpi

import (
	"bytes"
	"fmt"
	"math"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// dumpiImport is the import of one trace: the files of all ranks.
type dumpiImport struct {
	files         *input.Files
	o             format.Options
	c             *emit.MessageWriter
	share         emit.HeldEvents
	fileOf        []int // file of each rank, or -1
	rankOf        []int // rank of each file
	size          int   // number of ranks with files
	maxCommSize   int   // largest result of MPI_Comm_size
	maxCommSizeAt trace.Pos
	start         int64 // ns of wall time, for all ranks; unused if each rank has its own
	own           bool
	null          bool           // source=-1 is MPI_PROC_NULL
	created       [][]*dumpiComm // by rank, in the order of creation; nil until needed
	notes         dumpiNotes
	counts        map[string]uint64
	sent          uint64
	lines         uint64
}

// ImportFiles reads the calls of all ranks.
func (f Dumpi) ImportFiles(files *input.Files, o format.Options, sink format.Sink) (format.Result, error) {
	d := &dumpiImport{files: files, o: o, c: emit.NewTextMessageWriter(files, o, sink), counts: map[string]uint64{}}
	switch clock := o.Setting(f, "clock"); clock {
	case "common":
	case "own":
		d.own = true
	default:
		return format.Result{}, format.BadSetting("clock=%s: choose common or own", clock)
	}
	switch source := o.Setting(f, "source"); source {
	case "any":
	case "null":
		d.null = true
	default:
		return format.Result{}, format.BadSetting("source=%s: choose any or null", source)
	}
	if err := d.survey(); err != nil {
		return format.Result{}, err
	}
	for rank, i := range d.fileOf {
		if i < 0 {
			continue
		}
		if err := d.one(rank, i); err != nil {
			return format.Result{}, err
		}
	}
	return d.finish()
}

// survey finds the ranks of the files and the start of the trace. It reads only the
// starts of the files.
func (d *dumpiImport) survey() error {
	d.start = math.MaxInt64
	latest := int64(0)
	for i := range d.files.Len() {
		head, err := d.files.Head(i)
		if err != nil {
			return err
		}
		if at, ok := dumpiFirstTime(head); ok {
			d.start, latest = min(d.start, at), max(latest, at)
		}
		rank, ok := d.rankOfFile(i, head)
		if !ok {
			rank = i
			d.notes.ranksGuessed++
		}
		for len(d.fileOf) <= rank {
			d.fileOf = append(d.fileOf, -1)
		}
		if j := d.fileOf[rank]; j >= 0 {
			return fmt.Errorf("%s: has rank %d, like %s; give one file for each rank", d.files.Path(i), rank, d.files.Path(j))
		}
		d.fileOf[rank] = i
		d.rankOf = append(d.rankOf, rank)
	}
	d.size = len(d.fileOf)
	if seconds := float64(latest-d.start) / 1e9; seconds > 60 && !d.own {
		d.notes.apart = fmt.Sprintf("the start times of the ranks differ by up to %.0f s; if the clocks do not agree, --set clock=own starts each rank at 0", seconds)
	}
	return nil
}

// dumpiMaxRank limits the numbers in the names of files.
const dumpiMaxRank = 1 << 22

// rankOfFile returns the rank of a file, from its name or from a call near its start.
func (d *dumpiImport) rankOfFile(i int, head []byte) (int, bool) {
	if _, rank, _, ok := dumpiName(d.files.Path(i)); ok && rank < dumpiMaxRank {
		return rank, true
	}
	rank := -1
	r := dumpiReader{outside: func([]byte) error { return nil }, names: map[string]string{}}
	r.call.r = &r
	r.returns = func(c *dumpiCall) error {
		if c.name == "MPI_Comm_rank" && c.int("comm") == dumpiWorld && c.err == nil {
			rank = int(c.count("rank"))
		}
		return nil
	}
	for line := range bytes.Lines(head) {
		if err := r.parse(bytes.TrimSuffix(line, input.Newline), false); err != nil || rank >= 0 {
			break // the reader of the whole file reports errors
		}
	}
	return rank, rank >= 0 && rank < dumpiMaxRank
}

// dumpiFirstTime returns when the first call began, in ns.
func dumpiFirstTime(head []byte) (int64, bool) {
	i := bytes.Index(head, dumpiEntering)
	if i < 0 {
		return 0, false
	}
	line, _, _ := bytes.Cut(head[i+len(dumpiEntering):], input.Newline)
	at, _, problem := dumpiTimes(bytes.TrimRight(line, input.Blanks))
	return at, problem == ""
}

// one reads the file of a rank.
func (d *dumpiImport) one(rank, file int) error {
	in, err := d.files.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	r := newDumpiRank(d, rank, file)
	r.outside, r.returns = r.headerLine, r.returned
	if head, err := in.Head(); err == nil && bytes.Contains(head[:min(len(head), 1<<10)], []byte("version=")) {
		if err := r.readSizes(); err != nil {
			return err
		}
	}
	if err := r.read(in); err != nil {
		return err
	}
	if r.calls == 0 {
		return r.Fail(nil, "end of file after no calls", "")
	}
	if err := r.LookaheadWriter.Finish(); err != nil {
		return err
	}
	d.lines += uint64(r.Line)
	r.report()
	return nil
}

// finish checks the ranks against each other.
func (d *dumpiImport) finish() (format.Result, error) {
	procs := max(d.size, d.maxCommSize)
	missing := 0
	first := -1
	for rank := range procs {
		if rank >= len(d.fileOf) || d.fileOf[rank] < 0 {
			if missing++; first < 0 {
				first = rank
			}
		}
	}
	if missing > 0 {
		msg := fmt.Sprintf("the world has %d ranks, but %s no file, first rank %d", procs, ranksHave(missing), first)
		advice := "; give the files of all ranks, or their folder; --unmatched note imports the trace with a note"
		switch {
		case d.o.Unmatched:
		case d.maxCommSize > 0:
			return format.Result{}, d.c.Fail(d.maxCommSizeAt, msg+advice)
		default:
			return format.Result{}, fmt.Errorf("%s: %s%s", d.files.Path(0), msg, advice)
		}
		d.notes.missing = msg
	}
	unmatched, err := d.c.Finish(procs)
	if err != nil {
		return format.Result{}, err
	}
	return format.Result{Procs: procs, Lines: d.lines, Notes: append(d.notes.list(), unmatched...), Counts: d.countList()}, nil
}

func ranksHave(n int) string {
	if n == 1 {
		return "1 rank has"
	}
	return fmt.Sprintf("%d ranks have", n)
}
