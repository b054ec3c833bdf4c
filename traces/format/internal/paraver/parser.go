package paraver

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// prvParser reads the records of a trace, and passes them to the ranks.
type prvParser struct {
	input.Text
	header prvHeader
	calls  prvCalls
	c      *emit.MessageWriter
	file   int32
	ranks  []prvRank
	comms  map[prvCommID]*prvComm
	groups int // communicators other than the world
	world  *prvComm
	worlds int // declarations of the world
	global map[prvGlobalID]*prvGlobalState
	sizes  map[prvChannel]*prvSizes
	ours   bool // requests and communicators of messages are recorded
	held   int  // incomplete calls
	rows   int  // events of a rank in a batch for the sink
	now    int64
	nums   []int64

	emitted []*prvCall // whose memory is used again

	waiting int64 // items pushed to heaps

	states, eventLines, messages, globals, comments, declared, pairs, bytes uint64

	prvOddities
}

// prvCommID is a communicator as the trace names it.
type prvCommID struct{ app, id int64 }

// prvComm is a communicator.
type prvComm struct {
	group   int32
	members []int32 // ranks; nil if unknown
}

// newPrvParser returns a parser of the trace in file at.
func newPrvParser(files *input.Files, at int, o format.Options, sink format.Sink) *prvParser {
	return &prvParser{c: emit.NewTextMessageWriter(files, o, sink), file: int32(at),
		calls: prvCalls{kinds: map[prvCallID]prvCallKind{}},
		comms: map[prvCommID]*prvComm{}, global: map[prvGlobalID]*prvGlobalState{}, sizes: map[prvChannel]*prvSizes{},
		prvOddities: prvOddities{nothing: map[string]int{}}, now: math.MinInt64}
}

func (p *prvParser) run(in *input.Input) (format.Result, error) {
	if err := p.Text.Lines(in, p.parse); err != nil {
		return format.Result{}, err
	}
	if p.ranks == nil {
		return format.Result{}, p.Fail(nil, `the file does not start with "#Paraver ("`, "this is not a Paraver trace")
	}
	if err := p.checkCommCount(nil); err != nil {
		return format.Result{}, err
	}
	if err := p.finish(); err != nil {
		return format.Result{}, err
	}
	unmatched, err := p.c.Finish(len(p.ranks))
	if err != nil {
		return format.Result{}, err
	}
	r := format.Result{Procs: len(p.ranks), Lines: uint64(p.Line), Notes: append(p.Text.Notes(), p.notes()...), Facts: p.facts()}
	r.Notes = append(r.Notes, unmatched...)
	r.Counts = []format.Count{{Name: "states", N: p.states}, {Name: "events", N: p.eventLines}, {Name: "communications", N: p.messages}, {Name: "global communications", N: p.globals},
		{Name: "comments", N: p.comments}, {Name: "communicators", N: p.declared}, {Name: "event pairs", N: p.pairs}, {Name: "communication bytes", N: p.bytes}}
	return r, nil
}

// parse handles one line.
func (p *prvParser) parse(raw []byte, last bool) error {
	line := raw
	if n := len(line); n == 0 || line[0] <= ' ' || line[n-1] <= ' ' {
		if line = p.Trim(raw); len(line) == 0 {
			return nil
		}
	}
	if last {
		p.Unended++
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
	if err := p.CheckNUL(line); err != nil {
		return err
	}
	return p.Fail(line, "unknown record", "records begin with 1: (state), 2: (events), 3: (message), 4:, c:, i: or #")
}

// start handles the header.
func (p *prvParser) start(line []byte) error {
	if bytes.Equal(line, prvNew) && p.Line == 1 {
		return nil
	}
	h, problem := parsePrvHeader(line)
	if problem != "" {
		return p.Fail(line, problem, "write #Paraver (date):time_ns:nodes:applications:tasks(threads:node,...),communicators")
	}
	p.header = h
	p.ranks = make([]prvRank, h.ranks)
	p.rows = min(emit.RankBatch, max(32, 1<<18/h.ranks))
	for a, tasks := range h.apps {
		for i := range tasks {
			rank := int(h.first[a]) + i
			p.ranks[rank] = prvRank{p: p, s: p.c.RankWriter(trace.Proc(rank)), app: int64(a + 1), detailsAt: -1}
		}
	}
	p.world = &prvComm{group: trace.None}
	for i := range h.ranks {
		p.world.members = append(p.world.members, int32(i))
	}
	return nil
}

// communicator handles a line c:application:id:members:task:task...
func (p *prvParser) communicator(line []byte) error {
	const advice = "write c:application:id:number of tasks:task:task..."
	nums, _, problem := prvNumbers(p.nums[:0], line[2:])
	p.nums = nums
	switch {
	case problem != "":
		return p.Fail(line, "in the communicator is "+problem, advice)
	case len(nums) < 3 || int64(len(nums)-3) != nums[2]:
		return p.Fail(line, fmt.Sprintf("the communicator lists %d tasks, which differs from its number of tasks", max(0, len(nums)-3)), advice)
	case nums[0] < 1 || nums[0] > int64(len(p.header.apps)):
		return p.Fail(line, fmt.Sprintf("application %d: header declares %d", nums[0], len(p.header.apps)), "")
	}
	id := prvCommID{nums[0], nums[1]}
	if p.comms[id] != nil {
		return p.Fail(line, fmt.Sprintf("communicator %d of application %d is declared twice", id.id, id.app), "")
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

// checkCommCount returns an error if the header announces more communicators than follow.
func (p *prvParser) checkCommCount(line []byte) error {
	if p.declared < p.header.comms {
		return p.Fail(line, fmt.Sprintf("the header announces %d communicators, but %d follow", p.header.comms, p.declared), "the trace is damaged")
	}
	return nil
}
