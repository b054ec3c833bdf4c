package simgridti

import (
	"fmt"
	"math"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// The values of the setting source.
const (
	tiSource      = "source"
	tiSourceAuto  = "auto"
	tiSourceAny   = "any"
	tiSourceNull  = "null"
	tiNoMessages  = tiMeaning(0) // MPI_PROC_NULL
	tiAnyMessages = tiMeaning(1) // MPI_ANY_SOURCE
	tiBoth        = tiMeaning(2) // some of each
)

// tiMeaning is the meaning of source -333 in the receives of a rank with a tag.
type tiMeaning uint8

// tiInbox counts the messages to a rank with a tag, and its receives of them.
type tiInbox struct {
	sent  int64 // to the rank
	named int64 // receives that take a message for certain: from a rank, or from -555
	wild  int64 // receives from -333
}

// tiInboxKey names an inbox. The tag trace.None has the sums of all tags.
type tiInboxKey struct{ rank, tag int32 }

// tiCensus counts the messages of a whole trace, because SMPI writes -333 for both
// MPI_ANY_SOURCE and MPI_PROC_NULL. A receive from MPI_PROC_NULL has no message.
type tiCensus struct {
	inboxes map[tiInboxKey]*tiInbox
	anyTag  map[int32]bool // ranks that receive any tag
}

// sourceMeaning returns the meaning of -333 in a receive of this rank with a tag.
func (p *tiParser) sourceMeaning(tag int32) tiMeaning {
	switch p.source {
	case tiSourceAny:
		return tiAnyMessages
	case tiSourceNull:
		return tiNoMessages
	}
	if p.census == nil && p.problem == nil {
		if err := p.takeCensus(); err != nil {
			p.problem = err
		}
	}
	if p.problem != nil {
		return tiNoMessages
	}
	box, meaning := p.census.meaning(p.rank.number, tag)
	if meaning == tiBoth {
		p.wrong(fmt.Sprintf("source %d may be MPI_ANY_SOURCE or MPI_PROC_NULL: %s left for %s", tiUndefined,
			input.Plural(int(box.sent-box.named), "message"), input.Plural(int(box.wild), "such receive")),
			fmt.Sprintf("choose with --set %s=%s or %s", tiSource, tiSourceAny, tiSourceNull))
	}
	return meaning
}

// meaning compares the messages without a receive that names their sender with the
// other receives: there are as many if these are from any source, and none if they are
// from nobody.
func (c *tiCensus) meaning(rank, tag int32) (*tiInbox, tiMeaning) {
	if c.anyTag[rank] {
		tag = trace.None
	}
	box := c.inbox(rank, tag)
	switch left := box.sent - box.named; {
	case left <= 0:
		return box, tiNoMessages
	case left >= box.wild:
		return box, tiAnyMessages
	}
	return box, tiBoth
}

func (c *tiCensus) inbox(rank, tag int32) *tiInbox {
	key := tiInboxKey{rank, tag}
	if c.inboxes[key] == nil {
		c.inboxes[key] = new(tiInbox)
	}
	return c.inboxes[key]
}

// takeCensus reads all files of the trace once more. It skips what it does not
// understand, because the parser reports that.
func (p *tiParser) takeCensus() error {
	p.census = &tiCensus{inboxes: map[tiInboxKey]*tiInbox{}, anyTag: map[int32]bool{}}
	for file := p.firstFile; file < p.files.Len(); file++ {
		in, err := p.files.Again(file)
		if err != nil {
			return fmt.Errorf("%w; or choose the meaning of source %d with --set %s=%s or %s", err, tiUndefined, tiSource, tiSourceAny, tiSourceNull)
		}
		var scan tiParser
		owner := int32(trace.None)
		err = scan.Lines(in, func(line []byte, _ bool) error {
			scan.split(line)
			p.census.line(scan.fields, &owner, p.shared)
			return nil
		})
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// line counts an action. In a file of one rank, the first action tells the rank.
func (c *tiCensus) line(fields [][]byte, owner *int32, shared bool) {
	if len(fields) < 2 || fields[0][0] == '#' {
		return
	}
	rank, problem := tiInteger(fields[0])
	if *owner == trace.None {
		*owner = rank
	}
	if problem != "" || !shared && rank != *owner {
		return
	}
	value := func(i int) int32 {
		if i >= len(fields) {
			return math.MinInt32
		}
		v, problem := tiInteger(fields[i])
		if problem != "" {
			return math.MinInt32
		}
		return v
	}
	switch string(fields[1]) {
	case "send", "isend":
		c.send(value(2), value(3))
	case "recv", "irecv":
		c.receive(rank, value(2), value(3))
	case "sendRecv":
		c.send(value(3), 0)
		c.receive(rank, value(5), 0)
	}
}

func (c *tiCensus) send(to, tag int32) {
	if to >= 0 {
		c.inbox(to, tag).sent++
		c.inbox(to, trace.None).sent++
	}
}

func (c *tiCensus) receive(rank, from, tag int32) {
	if tag == tiAnyTag {
		c.anyTag[rank] = true
	}
	for _, box := range []*tiInbox{c.inbox(rank, tag), c.inbox(rank, trace.None)} {
		switch {
		case from >= 0 || from == tiAnySource:
			box.named++
		case from == tiUndefined:
			box.wild++
		}
	}
}
