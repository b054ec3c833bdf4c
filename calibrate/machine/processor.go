package machine

import "spoor/traces/unit"

// processor reads the clock and the costs of instructions.
func (r *reader) processor(p *processorText) {
	clock, err := unit.Parse(p.Clock.value, "Hz")
	switch {
	case !p.Clock.given:
		r.fail("processor.clock", "is missing")
	case err != nil:
		r.fail("processor.clock", "%v", err)
	case !(unit.Hertz(clock) >= minClock && unit.Hertz(clock) <= maxClock):
		r.fail("processor.clock", "%q is not from %v to %v", p.Clock.value, minClock, maxClock)
	}
	switch {
	case p.CPI == nil:
		r.fail("processor.cpi", "is missing")
	case !(*p.CPI >= minCPI && *p.CPI <= maxCPI):
		r.fail("processor.cpi", "%v is not from %v to %v periods of the clock", *p.CPI, minCPI, maxCPI)
	case unit.Cycles(*p.CPI).At(unit.Hertz(clock)) > maxStep:
		r.fail("processor.cpi", "%v cycles of %v are %v; an instruction takes from 0 to %v", *p.CPI, unit.Hertz(clock), unit.Cycles(*p.CPI).At(unit.Hertz(clock)), maxStep)
	default:
		r.m.Processor = Processor{Clock: unit.Hertz(clock), CPI: unit.Cycles(*p.CPI)}
		r.overlap(p)
		r.ahead(p)
		r.flops(p)
	}
}

// flops reads the cost of a floating-point operation.
func (r *reader) flops(p *processorText) {
	switch {
	case p.CPF == nil:
	case !(*p.CPF >= minCPI && *p.CPF <= maxCPI):
		r.fail("processor.cpf", "%v is not from %v to %v periods of the clock", *p.CPF, minCPI, maxCPI)
	default:
		r.m.Processor.CPF = unit.Cycles(*p.CPF)
	}
}

// overlap reads how far instructions continue while misses are in progress.
func (r *reader) overlap(p *processorText) {
	if p.Outstanding == nil {
		if p.Window != nil {
			r.fail("processor.window", "needs outstanding, the number of misses in progress")
		}
		return
	}
	r.m.Processor.Outstanding = r.count("processor.outstanding", p.Outstanding, maxOutstanding)
	r.m.Processor.Window = unit.Cycles(r.count("processor.window", p.Window, maxWindow)) * r.m.Processor.CPI
}

// ahead reads the hardware prefetcher.
func (r *reader) ahead(p *processorText) {
	switch {
	case p.Ahead == nil && p.Streams != nil:
		r.fail("processor.streams", "needs ahead, the number of lines to prefetch")
	case p.Ahead != nil:
		r.m.Processor.Ahead = r.count("processor.ahead", p.Ahead, maxAhead)
		r.m.Processor.Streams = r.count("processor.streams", p.Streams, maxStreams)
	}
}
