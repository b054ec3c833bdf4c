// Package synchrotrace reads SynchroTrace's events of threads.
package synchrotrace

import (
	"bytes"
	"regexp"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// SynchroTrace is version 2 of SynchroTraceGen's text. It has a file of events for each
// thread, sigil.events.out-N, and sigil.pthread.out, which names threads and barriers.
// Source: SynchroTrace-gem5, src/cpu/testers/synchrotrace/st_parser.cc.
//
//	@ iops,flops,reads,writes $ start end ... * start end ...   computation, bytes written ($) and read (*)
//	# thread event start end ...                                 bytes read that another thread wrote
//	^ type^address                                               call of the thread library, &mutex for a wait
//	! n                                                          n instructions were executed
//
// Limitation: the imported trace is an approximation. The format merges accesses into
// ranges of addresses and has no order within an event. Operations count as
// instructions, executed before the references of their event. Each range is one
// reference; reads come before writes. Mutexes, barriers and other objects are numbered
// in order of appearance; Addr of their events is their address.
//
// A wait for a condition variable becomes an unlock, a wait for a flag and a lock.
// Semaphores also become flags. The number of signals that a wait needs is unknown.
type SynchroTrace struct{}

var (
	_ format.MultiFileImporter = SynchroTrace{}
)

// Info describes the format.
func (SynchroTrace) Info() format.Info {
	return format.Info{
		Name:     "synchrotrace",
		Doc:      "SynchroTrace version 2: sigil.events.out-N of each thread and sigil.pthread.out, text",
		Magic:    "none; guessed from lines of @ # ^ ! and numbers, and in folders from the names",
		Use:      "traces import DIR -o PREFIX; DIR has sigil.events.out-1, sigil.events.out-2, ... and sigil.pthread.out.",
		Threaded: true,
		Parts: []format.Part{{Name: "@ iops,flops,reads,writes", Doc: "computation, then $ and the written ranges (start end), then * and the read ranges"},
			{Name: "# thread event start end ...", Doc: "ranges that this thread read and another thread wrote"},
			{Name: "^ type^address", Doc: "a call of the thread library; a condition wait has address&mutex"},
			{Name: "! n", Doc: "n instructions were executed"}},
	}
}

const syncSniffLines = 100

// syncLine matches a line of either kind of file.
var syncLine = regexp.MustCompile(`^(@ \d+,\d+,\d+,\d+( [$*] |$)|# \d+ \d+ (0x)?[0-9a-f]+ |\^ ?\d+\^(0x)?[0-9a-f]+|! \d+$|##\d+,\d+$|\*\*\d+,)`)

// Sniff is Likely if all lines are of the format.
func (SynchroTrace) Sniff(head []byte) format.Verdict {
	return sniff.SniffText(head, syncSniffLines, "lines of @ # ^ or ! and numbers", syncLine.Match)
}

// Import parses all of in.
func (f SynchroTrace) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return format.ImportOne(f, in, o, sink)
}

// ImportFiles parses the file of thread names, then the files of threads, by number.
func (f SynchroTrace) ImportFiles(files *input.Files, o format.Options, sink format.Sink) (format.Result, error) {
	p := syncParser{o: o, sink: sink, created: map[uint64]uint64{}, barriers: map[uint64]int{}, objects: map[uint64]int32{}}
	threads, err := p.sort(files)
	if err != nil {
		return format.Result{}, err
	}
	for _, i := range p.names {
		if err := p.read(files, i, p.name); err != nil {
			return format.Result{}, err
		}
	}
	p.procOf = map[uint64]int32{}
	for i, t := range threads {
		p.procOf[t.number] = int32(i)
	}
	for i, t := range threads {
		p.begin(emit.NewStream(sink, o.FirstProc+trace.Proc(i)))
		if err := p.read(files, t.file, p.event); err != nil {
			return format.Result{}, err
		}
		if p.events == 0 {
			return format.Result{}, p.Fail(nil, "end of file after no events", "")
		}
		if err := p.end(); err != nil {
			return format.Result{}, err
		}
	}
	return format.Result{Procs: len(threads), Lines: p.all, Counts: p.counts(), Notes: append(p.Text.Notes(), p.notes(threads)...)}, nil
}

// syncParser is the state of an import. The first part is for all files, the second for
// the current thread.
type syncParser struct {
	input.Text
	syncTally
	o        format.Options
	sink     format.Sink
	names    []int             // the files of thread names
	created  map[uint64]uint64 // threads by the address of their pthread_t
	barriers map[uint64]int    // number of participants by address
	procOf   map[uint64]int32  // processor of each thread
	objects  map[uint64]int32  // object number by address

	stream *emit.Stream
	held   map[uint64]int // lock count of each mutex
	events uint64
}

// read parses one file with parse and closes it.
func (p *syncParser) read(files *input.Files, i int, parse func(line []byte) error) error {
	in, err := files.Open(i)
	if err != nil {
		return err
	}
	p.Line = 0
	if err := p.Text.Lines(in, func(line []byte, last bool) error {
		if line = p.Trim(line); len(line) == 0 {
			return nil
		}
		if last {
			p.Unended++
		}
		if err := parse(line); err != nil {
			if nul := p.CheckNUL(line); nul != nil {
				return nul
			}
			return err
		}
		return nil
	}); err != nil {
		return err
	}
	in.Close()
	p.all += uint64(p.Line)
	return nil
}

// begin starts a thread.
func (p *syncParser) begin(s *emit.Stream) {
	p.stream, p.held, p.events = s, map[uint64]int{}, 0
}

// end finishes a thread.
func (p *syncParser) end() error {
	for _, n := range p.held {
		p.stillHeld += uint64(min(n, 1))
	}
	return p.stream.Finish()
}

// name parses a line of the file of thread names.
func (p *syncParser) name(line []byte) error {
	const advice = "lines are ##address,thread and **address,thread,..."
	mark := string(line[:min(2, len(line))])
	if mark != "##" && mark != "**" {
		return p.Fail(line, "neither a thread nor a barrier", advice)
	}
	fields := bytes.Split(bytes.TrimSuffix(line[2:], []byte(",")), []byte(","))
	values := make([]uint64, len(fields))
	for i, f := range fields {
		v, problem := syncNumber(f)
		if problem != "" {
			return p.Fail(line, problem, advice)
		}
		values[i] = v
	}
	for _, thread := range values[1:] {
		if thread == 0 {
			return p.Fail(line, "thread 0", "threads are numbered from 1")
		}
	}
	switch {
	case mark == "##" && len(values) != 2:
		return p.Fail(line, "not one address and one thread", advice)
	case len(values) < 2:
		return p.Fail(line, "a barrier without threads", advice)
	case len(p.created)+len(p.barriers) == emit.MaxThreads:
		return p.Fail(line, input.Plural(emit.MaxThreads, "thread")+" and barriers exceed the limit of a trace", "")
	case mark == "##":
		p.created[values[0]] = values[1]
		p.threadNames++
	default:
		p.barriers[values[0]] = len(values) - 1
		p.barrierNames++
	}
	return nil
}

// syncNumber reads a number; with 0x it is hexadecimal.
func syncNumber(b []byte) (v uint64, problem string) {
	if hex := input.TrimHex(b); len(hex) < len(b) {
		return input.ParseHex(hex)
	}
	return input.ParseDecimal(b)
}
