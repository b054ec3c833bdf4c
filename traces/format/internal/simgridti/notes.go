package simgridti

import (
	"fmt"
	"strconv"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// tiOddity is a property of actions that a trace cannot express, or whose import needs
// a note.
type tiOddity uint8

// The oddities.
const (
	tiFraction tiOddity = iota
	tiSleepLost
	tiSleepPaid
	tiLocationLost
	tiNoEffect
	tiWildcard
	tiNoPartner
	tiNobody
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
	tiOtherRank
	tiUnended
	tiUnfinished
	tiOddities // their number
)

// tiOdd counts an oddity.
type tiOdd struct {
	n     int
	first trace.Pos
}

// tiOddText has the counted noun and what import did with it.
var tiOddText = [tiOddities]struct{ noun, text string }{
	tiFraction:      {"amount", "of flop with a fraction, which is added to the next amount of the rank"},
	tiSleepLost:     {"sleep", "omitted: their unit is seconds, but work is in flop; --set flops=1Gf converts them"},
	tiSleepPaid:     {"sleep", "converted to flop"},
	tiLocationLost:  {"location line", "omitted"},
	tiNoEffect:      {"comm_size, comm_split, comm_dup or migrate", "omitted: they have no effect; collectives of other communicators look like those of the world"},
	tiWildcard:      {"receive", "from any source or with any tag (-333, which SMPI writes for MPI_ANY_SOURCE and MPI_PROC_NULL, -555 or -444)"},
	tiNoPartner:     {"action", "with partner MPI_PROC_NULL (-666, or -333 in a send) omitted"},
	tiNobody:        {"receive", "from -333 omitted as from MPI_PROC_NULL: no message is left for it; --set source=any reads it otherwise"},
	tiProbed:        {"receive", "without a size: 0 bytes, meaning unknown"},
	tiUntyped:       {"size", "without datatype: in bytes, or in doubles if init has a value"},
	tiNoType:        {"size", "with datatype -1 (none): 0 bytes"},
	tiTruncated:     {"number", "of elements with a fraction, rounded down"},
	tiOmitted:       {"collective", "without the number of elements received, which the tracer omits if it is 0"},
	tiInPlace:       {"collective", "in place: the rank contributes as much as it receives from another"},
	tiSendRecv:      {"sendRecv", "imported as irecv, send and wait, with tag 0"},
	tiVector:        {"collective", "with a number of elements for each rank, stored with the bytes of the rank itself"},
	tiExscan:        {"exscan", "imported as scan"},
	tiReduceScatter: {"reducescatter", "imported as reduce to rank 0 and scatter"},
	tiTested:        {"test", "imported as unsuccessful, because the trace does not say"},
	tiTestLost:      {"test", "without a request, omitted"},
	tiTestLeft:      {"request", "tested but not waited for: completed at finalize, as in SimGrid's replay"},
	tiWaitWild:      {"wait", "for a sender and tag, matched with the open receive from any"},
	tiWaitFew:       {"waitall", "for fewer requests than are open: waits for all, as in SimGrid's replay"},
	tiOtherRank:     {"line", "of another rank than its file, omitted as in SimGrid"},
	tiUnended:       {"last line", "without line end: read here, dropped by SimGrid; it may be truncated"},
	tiUnfinished:    {"rank", "without finalize: the trace is truncated"},
}

// note counts an oddity of the line.
func (p *tiParser) note(o tiOddity) {
	if p.odd[o].n == 0 {
		p.odd[o].first = p.at
	}
	p.odd[o].n++
}

// describe returns the note about an oddity.
func (p *tiParser) describe(o tiOddity) string {
	odd := p.odd[o]
	where := p.messages.Where(odd.first)
	if odd.n > 1 {
		where = "the first in " + where
	}
	return fmt.Sprintf("%s %s (%s)", input.Plural(odd.n, tiOddText[o].noun), tiOddText[o].text, where)
}

func (p *tiParser) oddNotes() (all []string) {
	for o := range tiOddities {
		if p.odd[o].n > 0 {
			all = append(all, p.describe(o))
		}
	}
	return all
}

// facts returns sums over the actions as written in the file.
func (p *tiParser) facts() []string {
	return []string{"computes " + strconv.FormatFloat(p.flops, 'g', 12, 64) + " flop",
		fmt.Sprintf("send and isend %.0f bytes", p.sent)}
}

// count returns the number of actions by name, without zeros.
func (p *tiParser) count() (all []format.Count) {
	for i, n := range p.counts {
		if n > 0 {
			all = append(all, format.Count{Name: tiActions[i].name, N: n})
		}
	}
	return all
}
