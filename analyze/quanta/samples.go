package quanta

import (
	"math/rand/v2"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// maxSamples is the maximum number of pairs of quantum and processor that are kept, within a factor of two.
const maxSamples = 1 << 16

// minQuanta is the minimum number of quanta that may be kept, whatever the number of processors.
const minQuanta = 64

// samples holds whole quanta chosen at random: one of each stretch of 2^level quanta. If there are too many,
// stretches double in length, and one of two neighbours stays. So the choice depends only on the number of
// quanta.
type samples struct {
	procs  int
	limit  int // maximum number of quanta
	seed   uint64
	level  uint
	number []uint64 // of each quantum
	time   []uint32 // of each processor in each quantum, in instructions
	active []int32
	counts [numEvents][]uint32 // by event, for each processor in each quantum, up to the last nonzero count
}

func newSamples(procs, limit int, seed uint64) *samples {
	return &samples{procs: procs, limit: max(2*limit/procs, minQuanta), seed: seed}
}

// selected returns the quantum that is kept of a stretch of 2^level.
func (s *samples) selected(stretch uint64, level uint) uint64 {
	for ; level > 0; level-- {
		stretch = 2*stretch + rand.NewPCG(s.seed^uint64(level)<<56, stretch).Uint64()>>63
	}
	return stretch
}

// nextSelected returns the first quantum from q on that is kept.
func (s *samples) nextSelected(q uint64) uint64 {
	stretch := q >> s.level
	if c := s.selected(stretch, s.level); c >= q {
		return c
	}
	return s.selected(stretch+1, s.level)
}

func (s *samples) selects(q uint64) bool { return s.selected(q>>s.level, s.level) == q }

// add keeps a selected quantum.
func (s *samples) add(q uint64, procs []processorState, time func(*processorState) uint64) {
	s.number = append(s.number, q)
	for i := range procs {
		p := &procs[i]
		t := time(p)
		active := int32(0)
		if t > 0 || p.event {
			active = 1
		}
		for k, n := range &p.counts {
			if n > 0 {
				s.counts[k] = append(extend(s.counts[k], len(s.time)), n)
			}
		}
		s.time, s.active = append(s.time, uint32(t)), append(s.active, active)
	}
	if len(s.number) == s.limit {
		s.halve()
	}
}

// halve doubles the length of stretches.
func (s *samples) halve() {
	s.level++
	for k, of := range s.counts {
		if len(of) > 0 {
			s.counts[k] = extend(of, len(s.time))
		}
	}
	n := 0
	for i, q := range s.number {
		if !s.selects(q) {
			continue
		}
		s.number[n] = q
		from, to := i*s.procs, n*s.procs
		copy(s.time[to:to+s.procs], s.time[from:])
		copy(s.active[to:to+s.procs], s.active[from:])
		for _, of := range s.counts {
			if len(of) > 0 {
				copy(of[to:to+s.procs], of[from:])
			}
		}
		n++
	}
	s.number, s.time, s.active = s.number[:n], s.time[:n*s.procs], s.active[:n*s.procs]
	for k, of := range s.counts {
		s.counts[k] = of[:min(len(of), n*s.procs)]
	}
}

// extend appends zeros up to a length.
func extend(s []uint32, n int) []uint32 { return append(s, make([]uint32, n-len(s))...) }

// table returns a table with a row for each processor in each sampled quantum. It has a column for each kind
// of reference and event that the trace has.
func (s *samples) table(cpi float64, present []countedEvent, meta []trace.Arg) *store.Table {
	rows := len(s.time)
	number, proc, time := make([]uint64, rows), make([]int32, rows), make([]float64, rows)
	for i := range rows {
		number[i], proc[i], time[i] = s.number[i/s.procs], int32(i%s.procs), float64(s.time[i])*cpi
	}
	t := &store.Table{Name: "quanta", Meta: meta, Columns: []store.Column{
		{Name: "quantum", Data: number}, {Name: "proc", Data: proc},
		{Name: "time", Unit: "cycles", Data: time}, {Name: "active", Data: s.active},
	}}
	for _, k := range present {
		count := make([]uint64, rows)
		for i, n := range s.counts[k] {
			count[i] = uint64(n)
		}
		t.Columns = append(t.Columns, store.Column{Name: k.String(), Data: count})
	}
	return t
}
