package paraver

import (
	"fmt"
	"math"
	"slices"
)

// record handles a line of a state, of events or of a message.
func (p *prvParser) record(line []byte) error {
	if err := p.checkCommCount(line); err != nil {
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
		return p.Fail(line, problem, "")
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

// badNumber returns an error about a field, counted from 0 after the kind of the
// record.
func (p *prvParser) badNumber(line []byte, field int, problem string) error {
	if err := p.CheckNUL(line); err != nil {
		return err
	}
	what := fmt.Sprintf("field %d", field+1)
	if slices.Contains(prvTimes[line[0]-'0'], field+1) {
		what = "the time"
	}
	if problem == "a number over 64 bits" {
		return p.Fail(line, what+" exceeds 64 bits", "")
	}
	return p.Fail(line, what+" is "+problem, "")
}

// prvTimes are the fields of each kind of record that are times, counted from 1.
var prvTimes = [...][]int{1: {6, 7}, 2: {6}, 3: {6, 7, 12, 13}}

// wrongFields says why a record cannot have n numbers after its kind, or "".
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

// rankOf returns the rank of a thread.
func (p *prvParser) rankOf(line []byte, app, task, thread int64) (int32, error) {
	h := &p.header
	switch {
	case app < 1 || app > int64(len(h.apps)):
		return 0, p.Fail(line, fmt.Sprintf("application %d: header declares %d", app, len(h.apps)), "")
	case task < 1 || task > int64(len(h.apps[app-1])):
		return 0, p.Fail(line, fmt.Sprintf("task %d of application %d: header declares %d", task, app, len(h.apps[app-1])), "")
	case thread < 1 || uint64(thread) > h.apps[app-1][task-1]:
		return 0, p.Fail(line, fmt.Sprintf("thread %d of task %d.%d: header declares %d", thread, app, task, h.apps[app-1][task-1]), "")
	}
	return h.first[app-1] + int32(task-1), nil
}

// picos returns a time in the header's unit in ps.
func (p *prvParser) picos(line []byte, t int64) (int64, error) {
	if t < 0 {
		return 0, p.Fail(line, fmt.Sprintf("the time is negative: %d", t), "")
	}
	if t > math.MaxInt64/p.header.unit {
		return 0, p.Fail(line, "the time exceeds 64 bits of picoseconds", "")
	}
	return t * p.header.unit, nil
}

// noteTime records the time of a record, and whether records go back in time.
func (p *prvParser) noteTime(t int64) {
	if t < p.now {
		p.early++
	}
	p.now = max(p.now, t)
}

// state handles cpu:application:task:thread:begin:end:state.
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
		return p.Fail(line, fmt.Sprintf("the state ends at %d, before it begins", nums[5]), "")
	}
	p.noteTime(begin)
	if nums[3] > 1 {
		p.threads++
		return nil
	}
	const running = 1
	return p.ranks[rank].state(begin, end, nums[6] == running)
}

// events handles cpu:application:task:thread:time:type:value:type:value...
func (p *prvParser) events(line []byte, rank int32, nums []int64) error {
	p.eventLines++
	p.pairs += uint64(len(nums)-5) / 2
	t, err := p.picos(line, nums[4])
	if err != nil {
		return err
	}
	p.noteTime(t)
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
			err = r.spoorEvent(line, t, value)
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

// message handles the sender's cpu:application:task:thread:logical:physical time, the
// same of the receiver, and size:tag.
func (p *prvParser) message(line []byte, from int32, nums []int64) error {
	p.messages++
	to, err := p.rankOf(line, nums[7], nums[8], nums[9])
	if err != nil {
		return err
	}
	m := prvMessage{from: from, to: to, line: int64(p.Line), bytes: nums[12], tag: int32(nums[13])}
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
		return p.Fail(line, fmt.Sprintf("a message of %d bytes", m.bytes), "")
	case nums[13] < 0 || nums[13] > math.MaxInt32:
		return p.Fail(line, fmt.Sprintf("tag %d is not from 0 to %d", nums[13], math.MaxInt32), "")
	case nums[3] > 1 || nums[9] > 1:
		p.threads++
	}
	p.bytes += uint64(m.bytes)
	if m.received = max(m.received, m.posted); m.received < m.sent {
		if p.skewed++; p.skewed == 1 {
			p.skewedLine = p.Line
		}
	}
	p.noteTime(m.sent)
	return p.deliver(&m)
}
