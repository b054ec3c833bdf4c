package paths

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/analyze/comm"
	"spoor/traces/trace"
)

// compiler reads the events of processors, one after the other.
type compiler struct {
	Program
	head   trace.Header
	match  trace.MatchQueue[int32, receiveAt] // messages, and receives in their place
	calls  *callTable
	proc   trace.Proc
	row    int64
	at     op              // what is computed since the last operation
	open   map[int32]int32 // operations that opened requests
	probes []openProbe     // of the present processor, whose receives have not come
	shared []trace.Kind    // events of a shared memory
}

// receiveAt is the place of a receive in the program.
type receiveAt struct {
	proc trace.Proc
	op   int32
}

// Compile reads the program of a trace.
func Compile(src trace.Source, how comm.Algorithm) (*Program, error) {
	c := &compiler{head: src.Header(), calls: newCallTable()}
	for p := range trace.Proc(c.head.Procs) {
		c.ops = append(c.ops, nil)
		c.proc, c.row, c.at, c.open = p, 0, op{}, map[int32]int32{}
		for b, err := range src.Events(p) {
			if err != nil {
				return nil, err
			}
			for i := range b.Rows {
				if err := c.event(&b.Rows[i]); err != nil {
					return nil, errAt(p, c.row, &b.Rows[i], err)
				}
				c.row++
			}
		}
		if err := c.endProcessor(); err != nil {
			return nil, fmt.Errorf("processor %d: %w", p, err)
		}
	}
	if err := c.calls.check(c.head.Procs); err != nil {
		return nil, err
	}
	return c.finish(how)
}

// endProcessor ends the program of the present processor.
func (c *compiler) endProcessor() error {
	if len(c.probes) > 0 {
		return unfit{errors.New("it probes for a message that it does not receive")}
	}
	if c.at != (op{}) {
		if _, err := c.add(computes, -1); err != nil {
			return err
		}
	}
	return c.calls.endProcessor(c.proc)
}

// finish replaces collectives by messages, and checks that there are messages.
func (c *compiler) finish(how comm.Algorithm) (*Program, error) {
	if len(c.shared) > 0 {
		return nil, errShared(c.shared)
	}
	if m, r := c.match.Unmatched(); r > 0 {
		return nil, unfit{fmt.Errorf("receives without messages: %d, and messages without receives: %d", r, m)}
	}
	c.resolve()
	if err := c.expand(how); err != nil {
		return nil, err
	}
	if len(c.messages) == 0 {
		return nil, errNoMessages
	}
	return &c.Program, nil
}

// event adds an event to the program of the present processor.
func (c *compiler) event(e *trace.Event) error {
	switch {
	case e.Needs != nil:
		return errGraph
	case sharesMemory(e.Kind):
		if !slices.Contains(c.shared, e.Kind) {
			c.shared = append(c.shared, e.Kind)
		}
	case (e.Kind == trace.Barrier || e.Collective()) && e.Request >= 0:
		return errNonblocking
	case e.Bytes < 0 || e.Bytes > maxBytes:
		return unfit{fmt.Errorf("has %d bytes, more than the analysis allows", e.Bytes)}
	}
	if err := c.compute(e); err != nil {
		return err
	}
	switch e.Kind {
	case trace.Send, trace.Isend:
		return c.send(e)
	case trace.Recv, trace.Irecv:
		return c.receive(e)
	case trace.Wait:
		return c.wait(e)
	case trace.Test:
		if e.Count > 0 {
			return c.wait(e)
		}
	case trace.Probe, trace.Iprobe:
		if e.Kind == trace.Probe || e.Count > 0 {
			return c.probe(e)
		}
	default:
		if e.Kind == trace.Barrier || e.Collective() {
			return c.call(e)
		}
	}
	return nil
}

// compute adds the computation before an event and in it.
func (c *compiler) compute(e *trace.Event) error {
	instr, work := int64(e.Instr), int64(0)
	if e.Kind == trace.Compute {
		if e.Work < 0 || e.Work > maxWork {
			return unfit{fmt.Errorf("has work %d, more than the analysis allows", e.Work)}
		}
		if c.head.WorkUnit == trace.WorkInstr {
			instr += e.Work
		} else {
			work = e.Work
		}
	}
	if c.instr += instr; c.instr > maxWork {
		return unfit{errors.New("the program has too many instructions")}
	}
	if c.work += work; c.work > maxWork {
		return unfit{errors.New("the program has too much work")}
	}
	c.at.instr += instr
	c.at.work += work
	return nil
}

// add adds an operation behind the computation so far.
func (c *compiler) add(kind opKind, message int32) (*op, error) {
	ops := &c.ops[c.proc]
	if len(*ops) == math.MaxInt32 {
		return nil, errors.New("the processor has too many events")
	}
	c.at.kind, c.at.message = kind, message
	*ops = append(*ops, c.at)
	c.at = op{}
	return &(*ops)[len(*ops)-1], nil
}

func (c *compiler) last() int32 { return int32(len(c.ops[c.proc]) - 1) }

func (c *compiler) send(e *trace.Event) error {
	if e.Peer < 0 || int(e.Peer) >= c.head.Procs {
		return fmt.Errorf("goes to processor %d of %d", e.Peer, c.head.Procs)
	}
	if len(c.messages) == maxMessages {
		return errTooMany
	}
	m := int32(len(c.messages))
	c.messages = append(c.messages, message{int32(c.proc), e.Peer, e.Bytes})
	kind := sends
	if e.Kind == trace.Isend {
		kind = isends
	}
	if _, err := c.add(kind, m); err != nil {
		return err
	}
	if kind == isends && e.Request >= 0 {
		c.open[e.Request] = c.last()
	}
	if r, found := c.match.Send(c.proc, e, m); found {
		c.ops[r.proc][r.op].message = m
	}
	return nil
}

func (c *compiler) receive(e *trace.Event) error {
	if e.Peer < 0 || e.Tag < 0 {
		return errWild
	}
	kind := receives
	if e.Kind == trace.Irecv {
		kind = posts
	}
	o, err := c.add(kind, -1)
	if err != nil {
		return err
	}
	if m, came := c.match.Receive(c.proc, e, receiveAt{c.proc, c.last()}); came {
		o.message = m
	}
	if kind == posts && e.Request >= 0 {
		c.open[e.Request] = c.last()
	}
	c.endProbes(e)
	return nil
}

// wait waits for the request of an earlier operation. A test may name a request that is no longer open.
func (c *compiler) wait(e *trace.Event) error {
	opened, is := c.open[e.Request]
	switch {
	case e.Request < 0 || !is && e.Kind == trace.Test:
		return nil
	case !is:
		return fmt.Errorf("waits for request %d, which is not open", e.Request)
	}
	delete(c.open, e.Request)
	kind := takes
	if c.ops[c.proc][opened].kind == isends {
		kind = departs
	}
	_, err := c.add(kind, opened)
	return err
}

// openProbe is a probe whose message the next receive takes that fits.
type openProbe struct {
	peer, tag, group int32
	op               int32
}

func (c *compiler) probe(e *trace.Event) error {
	if _, err := c.add(probes, -1); err != nil {
		return err
	}
	c.probes = append(c.probes, openProbe{e.Peer, e.Tag, e.Group, c.last()})
	return nil
}

// endProbes finds the probes for the message of a receive, which is the last operation.
func (c *compiler) endProbes(e *trace.Event) {
	c.probes = slices.DeleteFunc(c.probes, func(p openProbe) bool {
		fits := p.group == e.Group && (p.peer < 0 || p.peer == e.Peer) && (p.tag < 0 || p.tag == e.Tag)
		if fits {
			c.ops[c.proc][p.op].message = c.last()
		}
		return fits
	})
}

// resolve replaces the operations for which others wait by their messages.
func (c *compiler) resolve() {
	for _, ops := range c.ops {
		for i := range ops {
			if o := &ops[i]; o.kind == takes || o.kind == departs || o.kind == probes {
				o.message = ops[o.message].message
			}
		}
	}
}
