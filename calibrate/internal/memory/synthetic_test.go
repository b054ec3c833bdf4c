package memory

import (
	"math"
	"math/rand/v2"
	"sync"

	"spoor/calibrate/internal/host"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// way is a set-associative cache with LRU replacement, as simple as can be.
type way struct {
	line, sets uint64
	ways       int
	content    [][]uint64 // by set, the last used first
}

func newWay(size, line unit.Bytes, ways int) *way {
	sets := uint64(size/line) / uint64(ways)
	return &way{uint64(line), sets, ways, make([][]uint64, sets)}
}

func (w *way) hit(addr uint64) bool {
	block := addr / w.line
	set := &w.content[block%w.sets]
	for i, b := range *set {
		if b == block {
			copy((*set)[1:i+1], (*set)[:i])
			(*set)[0] = block
			return true
		}
	}
	if len(*set) < w.ways {
		*set = append(*set, 0)
	}
	copy((*set)[1:], *set)
	(*set)[0] = block
	return false
}

// synthetic is a host whose every property is known.
type synthetic struct {
	levels    []level
	line      unit.Bytes
	latency   float64 // of the memory, in ns
	bandwidth float64
	buffers   []level // of translations: size is in entries
	clock     float64 // GHz
	together  float64 // misses under way at most
	room      float64 // instructions behind one
	largest   unit.Bytes
	once      sync.Once
	ideal     map[Point]ideal
}

// level is one of a synthetic host.
type level struct {
	size               unit.Bytes
	ways               int
	latency, bandwidth float64 // ns, GB/s
}

// load is what a load takes, in ns: as a rule, and of what a distance changes.
func (h *synthetic) load(levels, buffers []*way, addr uint64, small bool) (near, far float64) {
	if small {
		for i, b := range buffers {
			if b.hit(addr) {
				break
			}
			near += h.buffers[i].latency
		}
	}
	at := len(levels)
	for i := len(levels) - 1; i >= 0; i-- { // all levels see all loads: they are inclusive
		if levels[i].hit(addr) {
			at = i
		}
	}
	switch {
	case at == len(levels):
		return near, h.latency
	case at > 1:
		return near, h.levels[at].latency
	}
	return near + h.levels[at].latency, 0
}

// chased is what an operation along a point's cycle takes when it has been walked once.
func (h *synthetic) chased(p Point) ideal {
	var levels, buffers []*way
	for _, l := range h.levels {
		levels = append(levels, newWay(l.size, h.line, l.ways))
	}
	for _, b := range h.buffers {
		buffers = append(buffers, newWay(b.size*page, page, b.ways))
	}
	cycle := p.Cycle(0, rand.New(rand.NewPCG(7, 7)))
	var total ideal
	for range 2 {
		total = ideal{}
		for _, at := range cycle {
			near, far := h.load(levels, buffers, uint64(at), p.Kind == Pages)
			total.near += near
			total.far += far
		}
	}
	operations := float64(len(cycle))
	if p.Kind == Pair {
		operations /= 2
	}
	return ideal{total.near / operations, total.far / operations}
}

// ideal is the time of an operation without noise, in ns.
type ideal struct{ near, far float64 }

func (h *synthetic) prepare() {
	h.ideal = map[Point]ideal{}
	for _, p := range Plan(h.largest, h.line, 4) {
		switch p.Kind {
		case Chase, Pair, Pages:
			h.ideal[p] = h.chased(p)
		case Read:
			bandwidth := h.bandwidth
			for i := len(h.levels) - 1; i >= 0; i-- {
				if p.Region <= h.levels[i].size {
					bandwidth = h.levels[i].bandwidth
				}
			}
			h.ideal[p] = ideal{near: 1 / bandwidth}
		case Chains:
			h.ideal[p] = ideal{far: h.latency / min(float64(p.count()), h.together)}
		case Behind:
			if p.Region == h.largest {
				h.ideal[p] = ideal{near: (behindInstructions - h.room) * 0.5 / h.clock, far: h.latency}
			} else {
				h.ideal[p] = ideal{near: behindInstructions * 0.5 / h.clock}
			}
		case Clock:
			h.ideal[p] = ideal{near: 1 / h.clock}
		case Loop:
			h.ideal[p] = ideal{near: 0.5 / h.clock}
		default:
			h.ideal[p] = ideal{near: 300}
		}
	}
}

// noise is how a synthetic host disturbs.
type noise struct {
	launch    float64 // relative standard deviation of launches
	jitter    float64 // mean of a relative delay that every sample has
	outliers  float64 // share of samples that take up to ten times as long
	disturbed float64 // share of those that say so
	switching float64 // probability of another state before a sample
	far       float64 // factor of what is not in private caches in the second state
	stolen    float64
}

// run is a synthetic host while it is measured.
type run struct {
	*synthetic
	noise
	r        *rand.Rand
	now      float64
	switches int64
	second   bool
	factor   float64
}

var _ Bench = &run{}

func (h *synthetic) begin(n noise, seed uint64) *run {
	h.once.Do(h.prepare)
	return &run{synthetic: h, noise: n, r: rand.New(rand.NewPCG(seed, 99)), factor: 1}
}

func (b *run) Now() unit.Seconds { return unit.Seconds(b.now) }
func (b *run) Switches() int64   { return b.switches }

func (b *run) Watch(d unit.Seconds) (watched, stolen unit.Seconds) {
	return d, d * unit.Seconds(b.stolen)
}

func (b *run) Sentinel() unit.Seconds {
	if b.r.Float64() < b.switching {
		b.second = !b.second
	}
	trip := 115e-9
	if b.second {
		trip = 780e-9
	}
	return unit.Seconds(trip * (1 + 0.05*b.r.ExpFloat64()))
}

func (b *run) Launch(int) error {
	b.factor = math.Exp(b.launch * b.r.NormFloat64())
	return nil
}

func (b *run) Facts() []trace.Arg {
	f := &Facts{Processors: 2, Memory: 8 << 30, Huge: true, Trip: 115e-9}
	for i, l := range b.levels {
		f.Kernel = append(f.Kernel, host.KernelCache{Level: i + 1, Size: l.size, Line: b.line, Ways: l.ways, Shared: 1 + i/2})
	}
	return f.List()
}

func (b *run) Trial(p Point, _ *rand.Rand) (host.Trial, error) {
	return func() unit.Seconds {
		far := 1.0
		if b.second {
			far = b.far
		}
		t := (b.ideal[p].near + far*b.ideal[p].far) * 1e-9 * b.factor * (1 + b.jitter*b.r.ExpFloat64())
		switch u := b.r.Float64(); {
		case u < b.outliers:
			t *= 1 + 9*b.r.Float64()
		case u < b.outliers+b.disturbed:
			t *= 20
			b.switches++
		}
		b.now += 200e-6
		return unit.Seconds(t)
	}, nil
}
