package quanta

import (
	"math/rand/v2"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// maxSamples is how many processors in quanta are kept, give or take a factor of two.
const maxSamples = 1 << 16

// minQuanta are kept however many processors there are.
const minQuanta = 64

// samples is whole quanta chosen at random: one in each stretch of 2^level of them. When there are too many,
// stretches become twice as long, and of two neighbours one stays, so that what is
// kept depends on the number of quanta alone.
type samples struct {
	procs  int
	limit  int // of quanta
	seed   uint64
	level  uint
	number []uint64 // of each quantum
	time   []uint32 // of each processor in each quantum, in instructions
	active []int32
	counts [kinds][]uint32 // likewise, as far as the last one above 0
}

func newSamples(procs, limit int, seed uint64) *samples {
	return &samples{procs: procs, limit: max(2*limit/procs, minQuanta), seed: seed}
}

// chosen is the quantum that is kept of a stretch of 2^level.
func (s *samples) chosen(stretch uint64, level uint) uint64 {
	for ; level > 0; level-- {
		stretch = 2*stretch + rand.NewPCG(s.seed^uint64(level)<<56, stretch).Uint64()>>63
	}
	return stretch
}

// next is the first quantum from q on that is kept.
func (s *samples) next(q uint64) uint64 {
	stretch := q >> s.level
	if c := s.chosen(stretch, s.level); c >= q {
		return c
	}
	return s.chosen(stretch+1, s.level)
}

func (s *samples) wants(q uint64) bool { return s.chosen(q>>s.level, s.level) == q }

// add keeps a quantum that is wanted.
func (s *samples) add(q uint64, procs []progress, time func(*progress) uint64) {
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
				s.counts[k] = append(reach(s.counts[k], len(s.time)), n)
			}
		}
		s.time, s.active = append(s.time, uint32(t)), append(s.active, active)
	}
	if len(s.number) == s.limit {
		s.thin()
	}
}

// thin makes stretches twice as long.
func (s *samples) thin() {
	s.level++
	for k, of := range s.counts {
		if len(of) > 0 {
			s.counts[k] = reach(of, len(s.time))
		}
	}
	n := 0
	for i, q := range s.number {
		if !s.wants(q) {
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

// reach appends zeros up to a length.
func reach(s []uint32, n int) []uint32 { return append(s, make([]uint32, n-len(s))...) }

// table has a row for each processor in each quantum that is kept, and a column for each
// kind of reference and event that the trace has.
func (s *samples) table(cpi float64, present []happening, meta []trace.Arg) *store.Table {
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
