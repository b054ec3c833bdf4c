package replay

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// description writes a machine file of random keys that are legal together, for at least so many processors.
type description struct {
	strings.Builder
	*choices
}

func (d *description) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

// maybe writes a line or leaves it out.
func (d *description) maybe(format string, args ...any) {
	if d.below(2) == 0 {
		d.line(format, args...)
	}
}

func (d *description) one(list ...string) string { return list[d.below(len(list))] }

// latency is one of a few, some of which are out of proportion.
func (d *description) latency() string {
	return d.one("0 cycles", "1 cycle", "3 cycles", "40 cycles", "0.3 ns", "17 ns", "900 ms")
}

func randomDescription(c *choices, target string, procs int) string {
	d := &description{choices: c}
	d.line("name = \"m\"\n[processor]\nclock = %q\ncpi = %s", d.one("33 MHz", "1 GHz", "3.1 GHz"), d.one("1", "0.25", "3"))
	if target != "pram" && d.below(3) == 0 {
		d.line("outstanding = %d\nwindow = %d", 1+d.below(4), 1+d.below(300))
	}
	if target == "smp" || target == "ccnuma" || target == "dir1sw" || target == "clogp" {
		d.maybe("ahead = %d\nstreams = %d", 1+d.below(4), 1+d.below(3))
	}
	if target == "pram" {
		d.line("[memory]\nsize = \"4096 B\"\nlatency = %q\n[system]\ntarget = \"pram\"\nprocessors = %d", d.one("1 cycle", "25 ns", "900 ns"), procs+d.below(2))
		return d.String()
	}
	line, size, slow := 4<<d.below(5), 0, "900 ns" // every touch takes it without caches
	if target != "logp" {
		line, size = d.caches(target)
		slow = "900 us"
	}
	d.line("[memory]\nsize = \"%d B\"\nlatency = %q", max(1<<12, 2*size), d.one("1 cycle", "25 ns", slow))
	d.maybe("occupancy = %q", d.latency())
	d.maybe("invalidate = %q", d.latency())
	d.maybe("placement = %q", d.one("first-touch", "interleaved"))
	d.maybe("page = \"%d B\"", 4<<d.below(11))
	perNode, nodes := d.system(target, procs, line)
	if nodes > 1 || d.below(2) == 0 {
		d.network((procs + perNode - 1) / perNode)
	}
	d.distributed(target, line)
	return d.String()
}

func (d *description) caches(target string) (line, size int) {
	line = 4 << d.below(5)
	ways := 1 + d.below(3)
	size = line * ways << d.below(4)
	for range 1 + d.below(3) {
		d.line("[[cache]]\nsize = \"%d B\"\nline = \"%d B\"\nways = %d\nlatency = %q", size, line, ways, d.one("0 cycles", "2 cycles", "3 ns"))
		size <<= d.below(3)
	}
	if target == "smp" && d.below(2) == 0 {
		d.line("[shared_cache]\nsize = \"%d B\"\nline = \"%d B\"\nways = %d\nlatency = %q", size, line, ways, d.latency())
	}
	return line, size
}

// system writes the nodes.
func (d *description) system(target string, procs, line int) (perNode, nodes int) {
	perNode, nodes = 1+d.below(3), procs+d.below(2)
	switch target {
	case "smp":
		perNode, nodes = procs, 1
	case "cow":
		perNode = 1
	}
	if target != "cow" && d.below(3) == 0 {
		perNode, nodes = procs, 1
	}
	if (target == "cow" || target == "clump") && d.below(2) == 0 {
		d.line("[disk]\nlatency = %q", d.latency())
	}
	d.line("[system]\ntarget = %q\nprocessors = %d\nnodes = %d", target, perNode, nodes)
	switch target {
	case "logp":
	case "dir1sw":
		d.maybe("protocol = \"msi\"")
	case "cow", "clump":
		d.maybe("block = \"%d B\"", line<<d.below(4))
		fallthrough
	default:
		d.maybe("protocol = %q", d.one("msi", "mesi", "moesi", "berkeley"))
	}
	return perNode, nodes
}

// network writes one that so many nodes can have.
func (d *description) network(nodes int) {
	models := []string{"ideal", "bus", "switch", "full", "mesh", "torus", "fattree", "dragonfly", "loggp", "logp"}
	if nodes&(nodes-1) == 0 {
		models = append(models, "hypercube")
	}
	model := d.one(models...)
	d.line("[network]\nmodel = %q", model)
	switch model {
	case "loggp":
		d.line("L = %q\no = \"0.5 us\"\ng = %q\nG = %q", d.one("0 s", "2 us", "1 s"), d.one("0 s", "0.7 us", "1 s"), d.one("0 s/B", "2 ns/B", "0.1 s/B"))
	case "logp":
		d.line("L = %q", d.one("0 s", "1.6 us", "1 s"))
		d.maybe("spacing = %q", d.one("any", "same-kind"))
		if d.below(2) == 0 {
			d.line("gap = %q\ntopology = %q", d.one("bisection", "traffic"), d.one("bus", "full", "mesh", "torus", "fattree"))
		} else {
			d.line("g = %q", d.one("0 s", "3.2 us", "1 s"))
		}
	default:
		d.line("bandwidth = %q", d.one("20 MB/s", "1 TB/s", "3 B/s"))
		d.maybe("efficiency = \"48/53\"")
		d.maybe("header = \"25 B\"")
		if model != "ideal" {
			d.maybe("rails = 2")
		}
		if k := comm.TopologyNamed(model); k != nil && k.Detours {
			d.maybe("routing = %q", d.one("valiant", "adaptive"))
		}
		d.maybe("latency = %q", d.latency())
	}
}

func (d *description) distributed(target string, line int) {
	switch target {
	case "dir1sw":
		d.line("[directory]\ntrap = %q", d.latency())
		d.maybe("latency = %q", d.latency())
		if d.below(2) == 0 {
			d.line("[tlb]\nentries = %d\nways = 1\npage = \"%d B\"\nlatency = %q", 1<<d.below(3), line<<d.below(6), d.latency())
		}
	case "ccnuma":
		d.line("[directory]")
		switch d.below(4) {
		case 0:
			d.line("kind = \"limited\"\npointers = %d\noverflow = %q", 1+d.below(3), d.one("broadcast", "no-broadcast"))
		case 1:
			ways := 1 + d.below(3)
			d.line("kind = \"sparse\"\nentries = %d\nways = %d", ways<<d.below(3), ways)
		}
		d.maybe("latency = %q", d.latency())
		d.maybe("hints = true")
	case "logp", "clogp":
	default:
		return
	}
	if d.below(2) == 0 {
		d.line("[messages]")
		d.maybe("control = \"%d B\"", 1+d.below(100))
		d.maybe("data = \"%d B\"", 4+d.below(200))
	}
}

// checkMachine replays a random trace on a machine that the file describes: it can, whatever the machine; the parts of the time
// add up; and neither batches nor what is known of hits in advance matter.
func checkMachine(t *testing.T, target string, c *choices) {
	t.Helper()
	trace := randomTrace(c)
	text := randomDescription(c, target, trace.Head.Procs)
	m, err := machine.Parse("m.toml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	clock, err := ClockOf(m)
	if err != nil {
		if target == "logp" && strings.Contains(err.Error(), "a cache access takes") {
			return
		}
		t.Fatalf("%v\n%s", err, text)
	}
	want, err := runReferences(context.Background(), trace, scanned(t, trace), m, clock, Options{Phases: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	checkSums(t, want)
	for p, q := range want.Procs {
		if q.Ideal < 0 || q.Latency < 0 || q.Contention < 0 || q.Sync < 0 || q.End < 0 {
			t.Errorf("processor %d: %+v", p, q.Times)
		}
	}
	for _, batch := range []int{1, 3} {
		got, err := runReferences(context.Background(), trace.InBatches(batch), scanned(t, trace.InBatches(batch)), m, clock, Options{Phases: true})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("batches of %d: %v\n got %+v\nwant %+v\n%s", batch, err, got, want, text)
		}
	}
	if !memsys.NeedsTraffic(m) {
		checkPlain(t, trace, m, clock, want)
		checkWarm(t, trace, m)
	}
	if t.Failed() {
		t.Fatal(text)
	}
}

// checkPlain replays with no hit known in advance.
func checkPlain(t *testing.T, m trace.Source, desc *machine.Machine, clock Clock, want *Result) {
	t.Helper()
	sys, err := memsys.New(desc, m.Header())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Run(context.Background(), m, plainOf(sys, m.Header().Procs), clock, Options{Phases: true})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("without hits: %v\n got %+v\nwant %+v", err, got, want)
	}
}

// checkWarm holds a warm run to the second half of a program that does everything twice, with so long a barrier between
// that nothing is under way behind it. Instructions take whole nanoseconds, so that halves round alike.
func checkWarm(t *testing.T, m *trace.Memory, desc *machine.Machine) {
	t.Helper()
	both, ok := twice(m)
	if !ok {
		return
	}
	clock, err := NewClock(1e9, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	run := func(m trace.Source, opt Options) *Result {
		opt.Barrier, opt.Phases = 1e16, true
		r, err := runReferences(context.Background(), m, scanned(t, m), desc, clock, opt)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all, cold, warm := run(both, Options{}), run(m, Options{}), run(m, Options{Warm: true})
	checkSums(t, warm)
	if want := all.Time - cold.Time - 1e16; warm.Time != want {
		t.Errorf("a warm run takes %d ps; the second half of both takes %d", warm.Time, want)
	}
	for p := range all.Procs {
		sum := cold.Procs[p].Counts
		if sum.Add(warm.Procs[p].Counts); sum != all.Procs[p].Counts {
			t.Errorf("processor %d, of both:\n got %+v\nwant %+v", p, sum, all.Procs[p].Counts)
		}
	}
	if messages := all.Shared.Messages - cold.Shared.Messages; warm.Shared.Messages != messages || warm.Shared.Lines != all.Shared.Lines {
		t.Errorf("warm: %+v; cold: %+v; both: %+v", warm.Shared, cold.Shared, all.Shared)
	}
}

// twice is a program that does m, meets at a barrier and does m again; there is none if m forks.
func twice(m *trace.Memory) (*trace.Memory, bool) {
	both := &trace.Memory{Head: m.Head}
	for p := range m.RefsOf {
		refs, events := &m.RefsOf[p], m.EventsOf[p].Rows
		all := trace.Refs{Proc: refs.Proc}
		at, event := uint64(0), uint64(0)
		for i := range refs.Addr {
			at += uint64(refs.Instr[i])
			all.Append(refs.Instr[i], refs.Addr[i], refs.Size[i], refs.Op[i])
		}
		rows := slices.Clone(events)
		for _, e := range events {
			if e.Kind == trace.Fork || e.Kind == trace.Join {
				return nil, false
			}
			event += uint64(e.Instr)
		}
		between := trace.NewEvent(trace.Barrier)
		between.Peer, between.Refs, between.Instr = 1<<20, uint64(refs.Len()), uint32(max(at, event)-event)
		rows = append(rows, between)
		for _, e := range events {
			if e.Refs += uint64(refs.Len()); e.Kind == trace.Signal || e.Kind == trace.WaitFlag {
				e.Peer += 1 << 20
			}
			rows = append(rows, e)
		}
		for i := range refs.Addr {
			more := refs.Instr[i]
			if i == 0 {
				more += uint32(max(at, event) - at)
			}
			all.Append(more, refs.Addr[i], refs.Size[i], refs.Op[i])
		}
		both.RefsOf, both.EventsOf = append(both.RefsOf, all), append(both.EventsOf, trace.Events{Proc: refs.Proc, Rows: rows})
	}
	return both, true
}

func TestAnyMachine(t *testing.T) {
	for _, target := range memsys.All {
		for seed := range testsize.Cases[uint64](300, 20) {
			if checkMachine(t, target.Name(), randomChoices(seed, 900)); t.Failed() {
				t.Fatalf("%s, seed %d", target.Name(), seed)
			}
		}
	}
}

func FuzzAnyMachine(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(byte(seed), randomChoices(seed, 400).data)
	}
	f.Fuzz(func(t *testing.T, target byte, data []byte) {
		checkMachine(t, memsys.All[int(target)%len(memsys.All)].Name(), &choices{data: data})
	})
}
