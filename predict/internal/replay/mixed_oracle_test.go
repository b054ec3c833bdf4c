package replay

import (
	"fmt"
	"reflect"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/memsys"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// randomMixed is a program of processors that share lines, locks and flags, fork and join each other, pass messages and meet at barriers.
// It is written as if one processor ran at a time, and no processor waits while it has a lock, so that it ends in any order.
func randomMixed(c *choices) *trace.Memory {
	m := &mixedWriter{choices: c}
	procs := 2 + c.below(3)
	for p := range procs {
		m.all = append(m.all, &builder{})
		m.open = append(m.open, nil)
		if p > 0 && c.below(6) == 0 {
			m.all[c.below(p)].at(trace.Fork, int32(p))
		}
	}
	for range 8 + c.below(60) {
		m.something()
	}
	for p, requests := range m.open {
		for _, r := range requests {
			m.all[p].at(trace.Wait, trace.None).Request = r
		}
	}
	for p := 1; p < procs; p++ {
		if c.below(5) == 0 {
			m.all[c.below(p)].at(trace.Join, int32(p))
		}
	}
	return source(m.all...)
}

type mixedWriter struct {
	*choices
	all     []*builder
	open    [][]int32 // requests that are not waited for, by processor
	request int32
	signals [2]int32
}

// something is a few rows of some processors.
func (m *mixedWriter) something() {
	p := m.below(len(m.all))
	b := m.all[p]
	b.work(uint32(m.below(30)))
	switch m.below(10) {
	case 0, 1, 2, 3:
		m.message(p, (p+1+m.below(len(m.all)-1))%len(m.all))
	case 4:
		for _, b := range m.all {
			b.at(trace.Barrier, 0)
		}
	case 5:
		m.locked(p)
	case 6:
		flag := m.below(len(m.signals))
		m.signals[flag]++
		b.at(trace.Signal, int32(flag))
	case 7:
		flag := m.below(len(m.signals))
		b.at(trace.WaitFlag, int32(flag)).Tag = int32(m.below(int(m.signals[flag]) + 1))
	case 8:
		if len(m.open[p]) > 0 {
			b.at(trace.Wait, trace.None).Request = m.open[p][0]
			m.open[p] = m.open[p][1:]
		}
	default:
		for range m.below(8) {
			b.ref(uint32(m.below(5)), uint64(m.below(96))*4, uint16(1+m.below(20)), []trace.Op{trace.Load, trace.Store}[m.below(2)])
		}
	}
}

// locked is references under a lock, perhaps with a message that nobody waits for there.
func (m *mixedWriter) locked(p int) {
	b, object := m.all[p], int32(m.below(2))
	b.at(trace.Lock, object)
	b.ref(1, uint64(m.below(8))*8, 8, trace.Store)
	if m.below(3) == 0 {
		to := (p + 1) % len(m.all)
		sent := b.at(trace.Send, int32(to))
		sent.Tag, sent.Bytes = 0, int64(m.below(100))
		b.work(uint32(m.below(9)))
		b.at(trace.Unlock, object)
		got := m.all[to].at(trace.Recv, int32(p))
		got.Tag, got.Bytes = 0, sent.Bytes
		return
	}
	b.work(uint32(m.below(9)))
	b.at(trace.Unlock, object)
}

// message passes one. Those of tag 1 are for whoever receives from anybody.
func (m *mixedWriter) message(from, to int) {
	tag, peer, bytes := int32(m.below(2)), int32(from), int64(m.below(200))
	if tag == 1 {
		peer = trace.None
	}
	send, receive := trace.Send, trace.Recv
	if m.below(2) == 0 {
		send = trace.Isend
	}
	if m.below(2) == 0 {
		receive = trace.Irecv
	}
	m.event(from, send, int32(to), tag, bytes)
	m.event(to, receive, peer, tag, bytes)
}

func (m *mixedWriter) event(p int, k trace.Kind, peer, tag int32, bytes int64) {
	e := m.all[p].at(k, peer)
	e.Tag, e.Bytes = tag, bytes
	if k == trace.Isend || k == trace.Irecv {
		m.request++
		e.Request = m.request
		m.open[p] = append(m.open[p], m.request)
	}
}

// randomMixedMachine is an SMP on whose processors ports of LogGP pass messages, or that says what they cost in a node: its file, and what that says.
func randomMixedMachine(t *testing.T, c *choices, procs int) (m *machine.Machine, cfg memsys.Config, net cost.Model, local bool) {
	t.Helper()
	cfg = randomConfig(c, procs)
	cfg.Memory.Latency = max(cfg.Memory.Latency, 100) // machine files have no 0
	net = cost.Model{Send: unit.Picos(1+c.below(40)) * 500, Latency: unit.Picos(1+c.below(200)) * 500, Gap: unit.Picos(c.below(100)) * 500, PerByte: float64(c.below(5)) * 250, EagerLimit: -1}
	net.Receive = net.Send
	cache, section := cfg.Caches[0], "[network]"
	if local = c.below(2) == 0; local {
		section = "[network]\nmodel = \"loggp\"\nL = \"1 s\"\no = \"2 s\"\ng = \"3 s\"\nG = \"1 us/B\"\n[network.local]"
	} else {
		section += "\nmodel = \"loggp\""
	}
	m, err := machine.Parse("m.toml", fmt.Appendf(nil, `name = "m"
[processor]
clock = %q
cpi = %s
[[cache]]
size = "%d B"
line = "%d B"
ways = %d
latency = "%d cycles"
[memory]
size = "64 MiB"
latency = "%d ps"
occupancy = "%d ps"
invalidate = "%d ps"
%s
L = "%d ps"
o = "%d ps"
g = "%d ps"
G = "%g ps/B"
[system]
target = "smp"
processors = %d
`, []string{"1 GHz", "2.4 GHz", "200 MHz"}[c.below(3)], []string{"1", "0.97", "0.25"}[c.below(3)], cache.Size, cache.Line, cache.Ways, c.below(4),
		cfg.Memory.Latency, cfg.Memory.Occupancy, cfg.Memory.Invalidate, section, net.Latency, net.Send, net.Gap, net.PerByte, procs))
	if err != nil {
		t.Fatal(err)
	}
	return m, cfg, net, local
}

// checkMixed compares a random program with its definition, whatever the batches.
func checkMixed(t *testing.T, c *choices) {
	t.Helper()
	src := randomMixed(c)
	m, cfg, net, local := randomMixedMachine(t, c, src.Head.Procs)
	clock, err := ClockOf(m)
	if err != nil {
		t.Fatal(err)
	}
	want, err := runNaiveMixed(src, cfg, net, local, float64(m.At(m.Memory.Occupancy))*1e12/float64(cfg.Caches[0].Line), clock)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{0, 1, 3} {
		got, err := replayMixed(src.InBatches(batch), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkMixedSums(t, fmt.Sprint("batches of ", batch), got)
		got.Warnings, got.Messages = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("batches of %d:\n got %+v\nwant %+v", batch, got, want)
		}
	}
}

func TestMixedIsNaive(t *testing.T) {
	for seed := range testsize.Cases[uint64](500, 100) {
		if checkMixed(t, randomChoices(seed, 900)); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzMixedIsNaive(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(randomChoices(seed, 300).data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkMixed(t, &choices{data: data}) })
}
