package dimemas

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// parser reads the lines of a trace. The first invalid value of a line sets problem.
type parser struct {
	input.Text
	files    *input.Files
	messages *emit.MessageWriter

	name    string
	threads []int64 // of each task
	first   bool    // omit all threads except the first of each task
	offsets bool    // lines s: follow the records
	comms   map[int64]*communicator
	world   *communicator // the first of all tasks
	roots   *census       // nil until needed

	rank    *rank // of the task whose records are being read, or nil
	done    []bool
	raw     []byte
	fields  [][]byte
	problem error
	failed  error // of a line that fast read; parse returns it
	slow    bool  // without the fast path, for tests

	records      [recordKinds]uint64
	placed       int // lines s:
	definitions  int // of files and windows, which are not read
	further      int // records and messages of further threads
	synchronous  int
	unwaited     int
	firstFurther int // line
}

// recordKind is a kind of record.
type recordKind struct {
	number, name string
	read         func(*parser) error
}

const recordKinds = 8

// kinds are the records, in the order in which they are counted.
var kinds = [recordKinds]recordKind{
	{"0", "nothing", func(p *parser) error { return p.values(3) }},
	{"1", "CPU burst", (*parser).burst},
	{"2", "send", (*parser).send},
	{"3", "receive", (*parser).receive},
	{"10", "collective", (*parser).collective},
	{"20", "event", func(p *parser) error { return p.values(5) }},
	{"40", "begin of a block", func(p *parser) error { return p.values(4) }},
	{"41", "end of a block", func(p *parser) error { return p.values(4) }},
}

// eventKinds is the index of the first of kinds that is omitted.
const eventKinds = 5

// parse handles one line.
func (p *parser) parse(raw []byte, last bool) error {
	if p.failed != nil {
		return p.failed
	}
	line := p.Trim(raw)
	if last && len(line) > 0 {
		p.Unended++
	}
	p.raw, p.problem = line, nil
	switch {
	case p.threads == nil:
		return p.header(line)
	case len(line) == 0:
		return nil
	}
	if err := p.CheckNUL(line); err != nil {
		return err
	}
	p.fields = input.Split(p.fields[:0], line, ':')
	switch string(p.fields[0]) {
	case "d":
		return p.define()
	case "s":
		return p.place()
	}
	return p.record()
}

// record handles a record of a task.
func (p *parser) record() error {
	kind := recordKinds - 1
	for kind >= 0 && kinds[kind].number != string(p.fields[0]) {
		kind--
	}
	switch {
	case p.placed > 0:
		return p.Fail(p.raw, "a record behind the offsets", "")
	case string(p.fields[0]) == "11" && !p.first:
		return p.Fail(p.raw, "a burst of a GPU", "Spoor has no accelerators; --set threads=first omits their threads")
	case kind < 0 && string(p.fields[0]) != "11":
		return p.Fail(p.raw, "unknown record "+input.Quote(p.fields[0]), "a record is 0, 1, 2, 3, 10, 11 or 20, its task, its thread and its values")
	case len(p.fields) < 3:
		return p.Fail(p.raw, "no task and thread", "")
	}
	task, thread := p.number(1, "task", 0, int64(len(p.threads)-1)), p.number(2, "thread", 0, math.MaxInt32)
	if p.problem == nil && thread >= p.threads[task] {
		p.wrong(fmt.Sprintf("thread %d, but the header gives task %d %s", thread, task, input.Plural(int(p.threads[task]), "thread")), "")
	}
	if p.problem != nil {
		return p.problem
	}
	if thread > 0 {
		p.skip()
		return nil
	}
	if kind < 0 {
		return p.Fail(p.raw, "a burst of a GPU in the first thread of a task", "")
	}
	if err := p.enter(task); err != nil {
		return err
	}
	p.records[kind]++
	if err := kinds[kind].read(p); err != nil {
		return err
	}
	return p.problem
}

// skip counts a record or message of a further thread.
func (p *parser) skip() {
	if p.further++; p.further == 1 {
		p.firstFurther = p.Line
	}
}

// enter begins the records of a task, unless they go on.
func (p *parser) enter(task int64) error {
	if p.rank != nil && int64(p.rank.number) == task {
		return nil
	}
	if p.done[task] {
		return p.Fail(p.raw, fmt.Sprintf("a record of task %d behind those of task %d", task, p.rank.number), "all records of a task must follow each other")
	}
	if err := p.leave(); err != nil {
		return err
	}
	p.done[task] = true
	p.rank = &rank{number: int32(task), writer: p.messages.RankWriter(trace.Proc(task)), turns: map[int64]int{}, used: map[int64]bool{}}
	return nil
}

// leave ends the records of a task: it waits for its immediate sends.
func (p *parser) leave() error {
	if p.rank == nil {
		return nil
	}
	p.unwaited += len(p.rank.sends)
	for _, id := range p.rank.sends {
		if err := p.wait(id); err != nil {
			return err
		}
	}
	return p.rank.writer.End()
}

// end checks that the trace is whole.
func (p *parser) end() error {
	if p.threads == nil {
		return p.Fail(nil, "end of file: the header is missing", "")
	}
	if err := p.leave(); err != nil {
		return err
	}
	if task := slices.Index(p.done, false); task >= 0 {
		return p.Fail(nil, fmt.Sprintf("end of file: no record of task %d of %d", task, len(p.done)), "the file may be cut; copy it again")
	}
	if p.offsets && p.placed < len(p.threads) {
		return p.Fail(nil, fmt.Sprintf("end of file: offsets of %d of %d tasks, which the header says are there", p.placed, len(p.threads)), "the file may be cut; copy it again")
	}
	for _, id := range slices.Sorted(maps.Keys(p.comms)) {
		c := p.comms[id]
		if c.users > 0 && c.users < len(c.tasks) {
			return p.Fail(nil, fmt.Sprintf("end of file: %d of the %d tasks of communicator %d take part in its collectives", c.users, len(c.tasks), id), "")
		}
	}
	return nil
}

// wrong records the first problem of the line.
func (p *parser) wrong(reason, advice string) {
	if p.problem == nil {
		p.problem = p.Fail(p.raw, reason, advice)
	}
}

// values checks the number of values of a record.
func (p *parser) values(n ...int) error {
	if !slices.Contains(n, len(p.fields)) {
		p.wrong(fmt.Sprintf("%s, not %d", input.Plural(len(p.fields), "value"), n[len(n)-1]), "")
	}
	return p.problem
}

// number returns value i, which must be from least to most.
func (p *parser) number(i int, what string, least, most int64) int64 {
	if v, problem := input.ParseDecimal(p.fields[i]); problem == "" && v <= math.MaxInt64 && int64(v) >= least && int64(v) <= most {
		return int64(v)
	}
	v, err := strconv.ParseInt(string(p.fields[i]), 10, 64)
	switch {
	case err != nil:
		p.wrong(fmt.Sprintf("%s %s is not a whole number below 2^63", what, input.Quote(p.fields[i])), "")
	case v < least || v > most:
		p.wrong(fmt.Sprintf("%s %d is not from %d to %d", what, v, least, most), "")
	default:
		return v
	}
	return least
}

func (p *parser) at() trace.Pos { return trace.Pos{At: int64(p.Line)} }

// lost notes what was not read as it is.
func (p *parser) lost() (notes []string) {
	events := 0
	for _, n := range p.records[eventKinds:] {
		events += int(n)
	}
	for _, l := range []struct {
		n          int
		noun, text string
	}{
		{events, "event", "omitted: they are no messages"},
		{p.definitions, "definition", "of files and windows omitted"},
		{p.further, "record", fmt.Sprintf("of further threads omitted; the first is in line %d", p.firstFurther)},
		{p.synchronous, "send", "marked as synchronous; the S of the machine decides which sends wait for their receiver"},
		{p.unwaited, "immediate send", "without a wait, as Dimemas writes them; they are waited for at the end of their rank"},
	} {
		if l.n > 0 {
			notes = append(notes, input.Plural(l.n, l.noun)+" "+l.text)
		}
	}
	return notes
}

func (p *parser) counts() (all []format.Count) {
	for i, n := range p.records {
		if n > 0 {
			all = append(all, format.Count{Name: kinds[i].name, N: n})
		}
	}
	return all
}
