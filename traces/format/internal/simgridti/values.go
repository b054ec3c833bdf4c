package simgridti

import (
	"fmt"
	"math"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// wrong records the first problem of the line.
func (p *tiParser) wrong(reason, advice string) {
	if p.problem == nil {
		p.problem = p.bad(reason, advice)
	}
}

// integer returns value i, which must be at least least.
func (p *tiParser) integer(i int, what string, least int32) int32 {
	v, problem := tiInteger(p.values[i])
	if problem == "" && v < least {
		problem = "below " + fmt.Sprint(least)
	}
	if problem != "" {
		p.wrong(fmt.Sprintf("%s %s is %s", what, input.Quote(p.values[i]), problem), "")
	}
	return v
}

// elements returns value i, a number of elements from 0. SimGrid drops a fraction.
func (p *tiParser) elements(i int, what string) int64 {
	n := p.anyElements(i, what)
	if n < 0 {
		p.wrong(fmt.Sprintf("negative %s %s", what, input.Quote(p.values[i])), "")
	}
	return n
}

func (p *tiParser) anyElements(i int, what string) int64 {
	n, fraction, problem := tiNumber(p.values[i])
	if problem != "" {
		p.wrong(fmt.Sprintf("%s %s is %s", what, input.Quote(p.values[i]), problem), "")
	}
	if fraction != 0 {
		p.note(tiTruncated)
	}
	return n
}

// size returns the bytes of an element of the datatype in value i, or of the default if
// there are fewer values.
func (p *tiParser) size(i int) int64 {
	if i >= len(p.values) {
		p.note(tiUntyped)
		return p.rank.size
	}
	id, problem := tiInteger(p.values[i])
	switch {
	case problem == "" && id == tiNullType:
		p.note(tiNoType)
		return 0
	case problem != "" || id < 0 || int(id) >= len(tiTypeSizes):
		p.wrong("unknown datatype id "+input.Quote(p.values[i]), fmt.Sprintf("datatypes are 0 to %d, and %d for none; SimGrid crashes on others", len(tiTypeSizes)-1, tiNullType))
		return 0
	}
	return tiTypeSizes[id]
}

// product returns the bytes of n elements of size bytes.
func (p *tiParser) product(n, size int64) int64 {
	if n > 0 && size > math.MaxInt64/n {
		p.wrong(fmt.Sprintf("%d elements of %d bytes exceed 63 bits", n, size), "")
		return 0
	}
	return n * size
}

// amount returns value i in whole flop. It adds the fractions carried over from earlier
// amounts of the rank.
func (p *tiParser) amount(i int, what string) int64 {
	whole, fraction, problem := tiNumber(p.values[i])
	switch {
	case problem != "":
		p.wrong(fmt.Sprintf("%s %s is %s", what, input.Quote(p.values[i]), problem), "")
	case whole < 0 || fraction < 0:
		p.wrong("negative "+what, "")
	}
	if p.problem != nil {
		return 0
	}
	return p.carry(whole, fraction)
}

// carry adds the fractions of the rank to whole, once they reach a flop.
func (p *tiParser) carry(whole int64, fraction float64) int64 {
	if fraction != 0 {
		p.note(tiFraction)
		p.rank.fraction += fraction
		if p.rank.fraction >= 1 && whole < math.MaxInt64 {
			p.rank.fraction--
			whole++
		}
	}
	return whole
}

// emit emits an event unless the line is invalid.
func (p *tiParser) emit(e *trace.Event) error {
	if p.problem != nil {
		return p.problem
	}
	_, err := p.rank.rankWriter.Emit(e, p.at)
	return err
}
