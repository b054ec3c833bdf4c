package format

import (
	"fmt"
	"strconv"

	"spoor/traces/trace"
)

// tiOddity is something about actions that the trace cannot say or that was read
// in a way worth a note.
type tiOddity uint8

// The oddities.
const (
	tiFraction tiOddity = iota
	tiSleepLost
	tiSleepPaid
	tiLocationLost
	tiNoEffect
	tiWildcard
	tiToNobody
	tiProbed
	tiUntyped
	tiNoType
	tiTruncated
	tiOmitted
	tiInPlace
	tiSendRecv
	tiVector
	tiExscan
	tiReduceScatter
	tiTested
	tiTestLost
	tiTestLeft
	tiWaitWild
	tiWaitFew
	tiStranger
	tiUnended
	tiUnfinished
	tiOddities // their number
)

// tiOdd counts an oddity.
type tiOdd struct {
	n     int
	first trace.Pos
}

// tiOddText is what was counted, and what became of it.
var tiOddText = [tiOddities]struct{ noun, text string }{
	tiFraction:      {"amount", "of flop with a fraction: it is carried on to the next amount of the rank"},
	tiSleepLost:     {"sleep", "left out: their unit is seconds, and that of work is flop; --set flops=1Gf says how many a second is"},
	tiSleepPaid:     {"sleep", "turned into flop"},
	tiLocationLost:  {"location line", "left out"},
	tiNoEffect:      {"comm_size, comm_split, comm_dup or migrate", "left out: they have no effect; collectives of other communicators look like those of the world"},
	tiWildcard:      {"receive", "from any source or with any tag (-333, which SMPI writes for MPI_ANY_SOURCE and MPI_PROC_NULL, -555 or -444)"},
	tiToNobody:      {"action", "left out whose partner is MPI_PROC_NULL (-666, or -333 where something is sent)"},
	tiProbed:        {"receive", "without a size: its bytes are 0, for unknown"},
	tiUntyped:       {"size", "without datatype: of bytes, or of doubles after init with a value"},
	tiNoType:        {"size", "with datatype -1 (none): no bytes"},
	tiTruncated:     {"number", "of elements with a fraction, which is dropped"},
	tiOmitted:       {"collective", "without the number of elements received, which the tracer leaves out if it is 0"},
	tiInPlace:       {"collective", "in place: the rank contributes as much as it receives from another"},
	tiSendRecv:      {"sendRecv", "taken for irecv, send and wait, with tag 0"},
	tiVector:        {"collective", "with a number of elements for each rank, kept with the bytes of the rank itself"},
	tiExscan:        {"exscan", "taken for scan"},
	tiReduceScatter: {"reducescatter", "taken for reduce to rank 0 and scatter"},
	tiTested:        {"test", "taken for tests that do not succeed: a trace does not say"},
	tiTestLost:      {"test", "without a request, left out"},
	tiTestLeft:      {"request", "tested and not waited for: waited for at finalize, as in SimGrid's replay"},
	tiWaitWild:      {"wait", "for a sender and tag taken for the open receive from any"},
	tiWaitFew:       {"waitall", "for fewer requests than are open: it waits for all, as in SimGrid's replay"},
	tiStranger:      {"line", "of another rank than the file is of, left out as SimGrid does"},
	tiUnended:       {"last line", "without line end: SimGrid drops its action, here it is read; it may be cut"},
	tiUnfinished:    {"rank", "without finalize: the trace is truncated"},
}

// note counts an oddity of the line.
func (p *tiParser) note(o tiOddity) {
	if p.odd[o].n == 0 {
		p.odd[o].first = p.at
	}
	p.odd[o].n++
}

// describe is the note about an oddity.
func (p *tiParser) describe(o tiOddity) string {
	odd := p.odd[o]
	where := p.talk.where(odd.first)
	if odd.n > 1 {
		where = "the first in " + where
	}
	return fmt.Sprintf("%s %s (%s)", plural(odd.n, tiOddText[o].noun), tiOddText[o].text, where)
}

func (p *tiParser) oddNotes() (all []string) {
	for o := range tiOddities {
		if p.odd[o].n > 0 {
			all = append(all, p.describe(o))
		}
	}
	return all
}

// facts are sums over the actions as they are written.
func (p *tiParser) facts() []string {
	return []string{"computes " + strconv.FormatFloat(p.flops, 'g', 12, 64) + " flop",
		fmt.Sprintf("send and isend %.0f bytes", p.sent)}
}

// count is the number of actions by name, of those that there are.
func (p *tiParser) count() (all []Count) {
	for i, n := range p.counts {
		if n > 0 {
			all = append(all, Count{tiActions[i].name, n})
		}
	}
	return all
}
