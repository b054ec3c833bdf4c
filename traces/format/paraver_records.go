package format

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"spoor/traces/trace"
)

// prvParser reads the records of a trace, and gives them to the ranks.
type prvParser struct {
	text
	header prvHeader
	calls  prvCalls
	c      *conversation
	file   int32
	ranks  []prvRank
	comms  map[prvCommID]*prvComm
	groups int // communicators that are not the world
	world  *prvComm
	worlds int // declarations of the world
	global map[prvGlobalID]*prvGlobalState
	sizes  map[prvChannel]*prvSizes
	ours   bool // requests and communicators of messages are recorded
	held   int  // calls that wait for what they lack
	rows   int  // events of a rank that go to the sink together
	now    int64
	nums   []int64

	waiting int64 // items put into heaps

	states, eventLines, messages, globals, comments, declared, pairs, bytes uint64

	prvOddities
}

// prvCommID is a communicator as the trace names it.
type prvCommID struct{ app, id int64 }

// prvComm is what is known of a communicator.
type prvComm struct {
	group   int32
	members []int32 // ranks; nil if they are not known
}

// newPrvParser is for the trace in file at.
func newPrvParser(files *Files, at int, o Options, sink Sink) *prvParser {
	return &prvParser{c: conversationInText(files, o, sink), file: int32(at),
		calls: prvCalls{kinds: map[prvCallID]prvCallKind{}},
		comms: map[prvCommID]*prvComm{}, global: map[prvGlobalID]*prvGlobalState{}, sizes: map[prvChannel]*prvSizes{},
		prvOddities: prvOddities{nothing: map[string]int{}}, now: math.MinInt64}
}

func (p *prvParser) run(in *Input) (Result, error) {
	if err := p.text.lines(in, p.parse); err != nil {
		return Result{}, err
	}
	if p.ranks == nil {
		return Result{}, p.fail(nil, `the file does not start with "#Paraver ("`, "this is not a Paraver trace")
	}
	if err := p.promised(nil); err != nil {
		return Result{}, err
	}
	if err := p.finish(); err != nil {
		return Result{}, err
	}
	unmatched, err := p.c.finish(len(p.ranks))
	if err != nil {
		return Result{}, err
	}
	r := Result{Procs: len(p.ranks), Lines: uint64(p.line), Notes: append(p.text.notes(), p.notes()...), Facts: p.facts()}
	r.Notes = append(r.Notes, unmatched...)
	r.Counts = []Count{{"states", p.states}, {"events", p.eventLines}, {"communications", p.messages}, {"global communications", p.globals},
		{"comments", p.comments}, {"communicators", p.declared}, {"event pairs", p.pairs}, {"communication bytes", p.bytes}}
	return r, nil
}

// parse takes one line.
func (p *prvParser) parse(raw []byte, last bool) error {
	line := raw
	if n := len(line); n == 0 || line[0] <= ' ' || line[n-1] <= ' ' {
		if line = p.trim(raw); len(line) == 0 {
			return nil
		}
	}
	if last {
		p.unended++
	}
	if p.ranks == nil {
		return p.start(line)
	}
	switch line[0] {
	case '1', '2', '3', '4':
		if len(line) > 1 && line[1] == ':' {
			return p.record(line)
		}
	case '#':
		p.comments++
		return nil
	case 'c', 'i':
		if len(line) > 1 && line[1] == ':' {
			return p.communicator(line)
		}
	}
	if err := p.checkNUL(line); err != nil {
		return err
	}
	return p.fail(line, "unknown record", "records begin with 1: (state), 2: (events), 3: (message), 4:, c:, i: or #")
}

// start takes the header.
func (p *prvParser) start(line []byte) error {
	if bytes.Equal(line, prvNew) && p.line == 1 {
		return nil
	}
	h, problem := parsePrvHeader(line)
	if problem != "" {
		return p.fail(line, problem, "write #Paraver (date):time_ns:nodes:applications:tasks(threads:node,...),communicators")
	}
	p.header = h
	p.ranks = make([]prvRank, h.ranks)
	p.rows = min(speakerRows, max(32, 1<<18/h.ranks))
	for a, tasks := range h.apps {
		for i := range tasks {
			rank := int(h.first[a]) + i
			p.ranks[rank] = prvRank{p: p, s: p.c.speaker(trace.Proc(rank)), app: int64(a + 1), told: -1}
		}
	}
	p.world = &prvComm{group: trace.None}
	for i := range h.ranks {
		p.world.members = append(p.world.members, int32(i))
	}
	return nil
}

// communicator takes a line c:application:id:members:task:task...
func (p *prvParser) communicator(line []byte) error {
	const advice = "write c:application:id:number of tasks:task:task..."
	nums, _, problem := prvNumbers(p.nums[:0], line[2:])
	p.nums = nums
	switch {
	case problem != "":
		return p.fail(line, "in the communicator is "+problem, advice)
	case len(nums) < 3 || int64(len(nums)-3) != nums[2]:
		return p.fail(line, fmt.Sprintf("the communicator names %d tasks, not as many as it says", max(0, len(nums)-3)), advice)
	case nums[0] < 1 || nums[0] > int64(len(p.header.apps)):
		return p.fail(line, fmt.Sprintf("application %d: header declares %d", nums[0], len(p.header.apps)), "")
	}
	id := prvCommID{nums[0], nums[1]}
	if p.comms[id] != nil {
		return p.fail(line, fmt.Sprintf("communicator %d of application %d is declared twice", id.id, id.app), "")
	}
	c := &prvComm{}
	for _, task := range nums[3:] {
		rank, err := p.rankOf(line, nums[0], task, 1)
		if err != nil {
			return err
		}
		c.members = append(c.members, rank)
	}
	p.declared++
	p.comms[id] = p.numbered(c)
	return nil
}

// numbered gives a communicator its number. The first one of all ranks is the world.
func (p *prvParser) numbered(c *prvComm) *prvComm {
	if p.worlds == 0 && slices.Equal(c.members, p.world.members) {
		p.worlds++
		return p.world
	}
	c.group = int32(p.groups)
	p.groups++
	return c
}

// promised is an error if the header promises more communicators than there are.
func (p *prvParser) promised(line []byte) error {
	if p.declared < p.header.comms {
		return p.fail(line, fmt.Sprintf("the header promises %d communicators, %d follow", p.header.comms, p.declared), "the trace is damaged")
	}
	return nil
}

// record takes a line of a state, of events or of a message.
func (p *prvParser) record(line []byte) error {
	if err := p.promised(line); err != nil {
		return err
	}
	if line[0] == '4' {
		p.globals++
		return nil
	}
	nums, field, problem := prvNumbers(p.nums[:0], line[2:])
	p.nums = nums
	if problem != "" {
		return p.badNumber(line, field, problem)
	}
	if problem := wrongFields(line[0], len(nums)); problem != "" {
		return p.fail(line, problem, "")
	}
	rank, err := p.rankOf(line, nums[1], nums[2], nums[3])
	if err != nil {
		return err
	}
	switch line[0] {
	case '1':
		return p.state(line, rank, nums)
	case '2':
		return p.events(line, rank, nums)
	}
	return p.message(line, rank, nums)
}

// badNumber is an error about a field, counted from 0 after the kind of the record.
func (p *prvParser) badNumber(line []byte, field int, problem string) error {
	if err := p.checkNUL(line); err != nil {
		return err
	}
	what := fmt.Sprintf("field %d", field+1)
	if slices.Contains(prvTimes[line[0]-'0'], field+1) {
		what = "the time"
	}
	if problem == "a number over 64 bits" {
		return p.fail(line, what+" exceeds 64 bits", "")
	}
	return p.fail(line, what+" is "+problem, "")
}

// prvTimes are the fields of each kind of record that are times, counted from 1.
var prvTimes = [...][]int{1: {6, 7}, 2: {6}, 3: {6, 7, 12, 13}}

// wrongFields says why a record cannot have so many numbers after its kind, or "".
func wrongFields(kind byte, n int) string {
	switch {
	case kind == '1' && n != 7:
		return fmt.Sprintf("state record has %d fields, needs 8", n+1)
	case kind == '3' && n != 14:
		return fmt.Sprintf("communication record has %d fields, needs 15", n+1)
	case kind == '2' && n < 6:
		return fmt.Sprintf("event record has %d fields, needs at least 8", n+1)
	case kind == '2' && n%2 == 0:
		return "event type without value"
	}
	return ""
}

// rankOf is the rank of a thread.
func (p *prvParser) rankOf(line []byte, app, task, thread int64) (int32, error) {
	h := &p.header
	switch {
	case app < 1 || app > int64(len(h.apps)):
		return 0, p.fail(line, fmt.Sprintf("application %d: header declares %d", app, len(h.apps)), "")
	case task < 1 || task > int64(len(h.apps[app-1])):
		return 0, p.fail(line, fmt.Sprintf("task %d of application %d: header declares %d", task, app, len(h.apps[app-1])), "")
	case thread < 1 || uint64(thread) > h.apps[app-1][task-1]:
		return 0, p.fail(line, fmt.Sprintf("thread %d of task %d.%d: header declares %d", thread, app, task, h.apps[app-1][task-1]), "")
	}
	return h.first[app-1] + int32(task-1), nil
}

// picos is a time in the header's unit.
func (p *prvParser) picos(line []byte, t int64) (int64, error) {
	if t < 0 {
		return 0, p.fail(line, fmt.Sprintf("the time is negative: %d", t), "")
	}
	if t > math.MaxInt64/p.header.unit {
		return 0, p.fail(line, "the time exceeds 64 bits of picoseconds", "")
	}
	return t * p.header.unit, nil
}

// came notes the time of a record, and whether records go back in time.
func (p *prvParser) came(t int64) {
	if t < p.now {
		p.early++
	}
	p.now = max(p.now, t)
}

// state takes cpu:application:task:thread:begin:end:state.
func (p *prvParser) state(line []byte, rank int32, nums []int64) error {
	p.states++
	begin, err := p.picos(line, nums[4])
	if err != nil {
		return err
	}
	end := p.header.end * p.header.unit
	if nums[5] != -1 {
		if end, err = p.picos(line, nums[5]); err != nil {
			return err
		}
	}
	if end < begin && nums[5] != -1 {
		return p.fail(line, fmt.Sprintf("the state ends at %d, before it begins", nums[5]), "")
	}
	p.came(begin)
	if nums[3] > 1 {
		p.threads++
		return nil
	}
	const running = 1
	return p.ranks[rank].state(begin, end, nums[6] == running)
}

// events takes cpu:application:task:thread:time:type:value:type:value...
func (p *prvParser) events(line []byte, rank int32, nums []int64) error {
	p.eventLines++
	p.pairs += uint64(len(nums)-5) / 2
	t, err := p.picos(line, nums[4])
	if err != nil {
		return err
	}
	p.came(t)
	if nums[3] > 1 {
		p.threads++
		return nil
	}
	r := &p.ranks[rank]
	if err := r.drain(t); err != nil {
		return err
	}
	for i := 5; i < len(nums); i += 2 {
		typ, value := nums[i], nums[i+1]
		switch {
		case (isCall(typ) || typ == prvOurKind) && value == 0:
			r.leave(t, typ)
		case isCall(typ):
			r.enter(t, prvCallID{typ, value})
		case typ == prvOurKind:
			err = r.spoken(line, t, value)
		case typ > prvOurKind && typ <= prvOurCount:
			err = r.property(line, typ, value)
		case typ >= prvSent && typ <= prvOfComm:
			err = r.detail(line, t, typ, value)
		default:
			p.unread++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// message takes a sender's cpu:application:task:thread:logical:physical time, the same of
// its receiver, and size:tag.
func (p *prvParser) message(line []byte, from int32, nums []int64) error {
	p.messages++
	to, err := p.rankOf(line, nums[7], nums[8], nums[9])
	if err != nil {
		return err
	}
	m := prvMessage{from: from, to: to, line: int64(p.line), bytes: nums[12], tag: int32(nums[13])}
	for _, t := range []struct {
		field int
		to    *int64
	}{{4, &m.sent}, {5, nil}, {10, &m.posted}, {11, &m.received}} {
		v, err := p.picos(line, nums[t.field])
		if err != nil {
			return err
		}
		if t.to != nil {
			*t.to = v
		}
	}
	switch {
	case m.bytes < 0:
		return p.fail(line, fmt.Sprintf("a message of %d bytes", m.bytes), "")
	case nums[13] < 0 || nums[13] > math.MaxInt32:
		return p.fail(line, fmt.Sprintf("tag %d is not from 0 to %d", nums[13], math.MaxInt32), "")
	case nums[3] > 1 || nums[9] > 1:
		p.threads++
	}
	p.bytes += uint64(m.bytes)
	if m.received = max(m.received, m.posted); m.received < m.sent {
		if p.skewed++; p.skewed == 1 {
			p.skewedLine = p.line
		}
	}
	p.came(m.sent)
	return p.deliver(&m)
}
