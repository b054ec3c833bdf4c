package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/unit"
)

const good = `name = "test"
[processor]
clock = "200 MHz"
cpi = 1
[[cache]]
size = "32 KiB"
line = "32 B"
ways = 8
latency = "0 cycles"
[[cache]]
size = "256 KiB"
line = "64 B"
ways = 2
latency = "10 ns"
[memory]
size = "64 MiB"
latency = "50 cycles"
occupancy = "200 ns"
invalidate = "4 cycles"
[disk]
latency = "10 ms"
[network]
model = "loggp"
L = "2 us"
o = "0.5 us"
g = "0.7 us"
G = "2 ns/B"
S = "65535 B"
[system]
target = "clump"
processors = 4
nodes = 2
protocol = "mesi"
`

func TestParse(t *testing.T) {
	m, err := Parse("m.toml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "test" || m.Processor != (Processor{Clock: 200e6, CPI: 1}) || m.System != (System{Target: CLUMP, Processors: 4, Nodes: 2, Protocol: MESI, Block: 256}) {
		t.Errorf("got %+v", m)
	}
	if len(m.Caches) != 2 || m.Caches[0].Sets() != 128 || m.Caches[1].Sets() != 2048 || m.Caches[1].Lines() != 4096 {
		t.Errorf("caches %+v", m.Caches)
	}
	if m.Disk == nil || m.At(m.Disk.Latency) != 10e-3 || len(m.Assumed) != 0 {
		t.Errorf("disk %+v, assumed %q", m.Disk, m.Assumed)
	}
	if n := m.Network; n.Model != "loggp" || n.Latency.Value != 2e-6 || n.GapPerByte.Value != 2e-9 || n.RendezvousMin.Value != 65535 {
		t.Errorf("network %+v", n)
	}
	// 50 cycles at 200 MHz are 250 ns, and 200 ns are 40 cycles.
	if got := m.At(m.Memory.Latency).Picos(); got != 250_000 {
		t.Errorf("memory latency %v", got)
	}
	if got := m.Memory.Occupancy.Cycles(m.Processor.Clock); got != 40 {
		t.Errorf("memory occupancy %v", got)
	}
}

// change replaces the one line that begins old.
func change(t *testing.T, old, new string) string {
	t.Helper()
	if strings.Count(good, old) != 1 {
		t.Fatalf("%q is not once in the description", old)
	}
	return strings.Replace(good, old, new, 1)
}

func TestAbsentBusTimesAreAssumedAndSaidSo(t *testing.T) {
	m, err := Parse("m.toml", []byte(change(t, "occupancy = \"200 ns\"\ninvalidate = \"4 cycles\"\n", "")))
	if err != nil {
		t.Fatal(err)
	}
	if m.Memory.Occupancy != inCycles(50) || m.Memory.Invalidate != inCycles(50) || len(m.Assumed) != 2 {
		t.Errorf("got %+v, %q", m.Memory, m.Assumed)
	}
	m, err = Parse("m.toml", []byte(change(t, "invalidate = \"4 cycles\"\n", "")))
	if err != nil || m.Memory.Invalidate != m.Memory.Occupancy || len(m.Assumed) != 1 {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestBadDescriptions(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`clock = "200 MHz"`, `clock = "200"`, "m.toml:3: processor.clock: "},
		{`clock = "200 MHz"`, `clock = 200`, "m.toml:3: processor.clock: "},
		{`clock = "200 MHz"`, `clock = "0 MHz"`, "m.toml:3: processor.clock: "},
		{`clock = "200 MHz"`, `clock = "200 THz"`, "m.toml:3: processor.clock: "},
		{`clock = "200 MHz"`, `clock = "NaN MHz"`, "m.toml:3: processor.clock: "},
		{`clock = "200 MHz"`, ``, "m.toml:2: processor.clock: is missing"},
		{`clock = "200 MHz"`, `clocks = "200 MHz"`, "m.toml:3: unknown key processor.clocks"},
		{"cpi = 1\n", "cpi = 1\nwindow = 3\n", "m.toml:5: processor.window: needs outstanding"},
		{"cpi = 1\n", "cpi = 1\noutstanding = 3\n", "m.toml:2: processor.window: is missing"},
		{"cpi = 1\n", "cpi = 1\noutstanding = 0\nwindow = 5\n", "m.toml:5: processor.outstanding: 0 is not from 1"},
		{"cpi = 1\n", "cpi = 1\nstreams = 3\n", "m.toml:5: processor.streams: needs ahead"},
		{"cpi = 1\n", "cpi = 1\nahead = 3\n", "m.toml:2: processor.streams: is missing"},
		{"cpi = 1\n", "cpi = 1\nahead = 2000\nstreams = 3\n", "m.toml:5: processor.ahead: 2000 is not from 1"},
		{"cpi = 1\n", "cpi = nan\n", "m.toml:4: processor.cpi: "},
		{"cpi = 1\n", "cpi = 1e-308\n", "m.toml:4: processor.cpi: 1e-308 is not from 0.001 to 1000 periods of the clock"},
		{"cpi = 1\n", "cpi = 1\ncpf = 1e-308\n", "m.toml:5: processor.cpf: 1e-308 is not from 0.001 to 1000 periods of the clock"},
		{"cpi = 1\n", "cpi = 500\n", "m.toml:4: processor.cpi: 500 cycles of 200MHz are 2.5us; an instruction takes from 0 to 1us"},
		{`latency = "10 ns"`, `latency = "9 s"`, `m.toml:14: cache[1].latency: "9 s" is 9s; a cache or memory takes from 0 to 1s`},
		{`latency = "50 cycles"`, `latency = "9 s"`, `m.toml:17: memory.latency: "9 s" is 9s; a cache or memory takes from 0 to 1s`},
		{`occupancy = "200 ns"`, `occupancy = "9 s"`, `m.toml:18: memory.occupancy: "9 s" is 9s; a cache or memory takes from 0 to 1s`},
		{"cpi = 1\n", "cpi = inf\n", "m.toml:4: processor.cpi: "},
		{"cpi = 1\n", "cpi = 0\n", "m.toml:4: processor.cpi: "},
		{"cpi = 1\n", "cpi = -1\n", "m.toml:4: processor.cpi: "},
		{"cpi = 1\n", "cpi = \"1\"\n", "m.toml:4: "},
		{`size = "256 KiB"`, `size = "200 KiB"`, "m.toml:11: cache[1].size: 200KiB in 2 ways of 64B lines are 1600 sets, which is not a power of two"},
		{`size = "256 KiB"`, `size = "262145 B"`, "m.toml:11: cache[1].size: 262145B is not a multiple of line x ways = 64B x 2 = 128B"},
		{`size = "256 KiB"`, `size = "16 KiB"`, "m.toml:11: cache[1].size: 16KiB is less than"},
		{`size = "256 KiB"`, `size = "-256 KiB"`, "m.toml:11: cache[1].size: "},
		{`size = "256 KiB"`, `size = "0 KiB"`, "m.toml:11: cache[1].size: "},
		{`size = "256 KiB"`, `size = "256 KB"`, "m.toml:11: cache[1].size: "},
		{`size = "256 KiB"`, `size = 262144`, "m.toml:11: cache[1].size: "},
		{`line = "64 B"`, `line = "48 B"`, "m.toml:12: cache[1].line: 48B is not a power of two"},
		{`line = "64 B"`, `line = "16 B"`, "m.toml:12: cache[1].line: 16B is smaller than the 32B line"},
		{"ways = 2", "ways = 0", "m.toml:13: cache[1].ways: "},
		{"ways = 2", "ways = 2.5", "m.toml:13: "},
		{"ways = 2", "ways = 9223372036854775807", "m.toml:13: cache[1].ways: "},
		{`latency = "10 ns"`, `latency = "10"`, "m.toml:14: cache[1].latency: "},
		{`latency = "10 ns"`, `latency = "-1 ns"`, "m.toml:14: cache[1].latency: "},
		{`latency = "50 cycles"`, `latency = "0 cycles"`, "m.toml:17: memory.latency: "},
		{`latency = "50 cycles"`, `latency = "50 min"`, "m.toml:17: memory.latency: "},
		{`size = "64 MiB"`, `size = "256 KiB"`, "m.toml:16: memory.size: "},
		{`model = "loggp"`, `model = "ethernet"`, "m.toml:23: network.model: "},
		{`g = "0.7 us"`, ``, "m.toml:22: network.g: is missing"},
		{`G = "2 ns/B"`, `G = "2 ns"`, "m.toml:27: network.G: "},
		{`S = "65535 B"`, `S = "65535"`, "m.toml:28: network.S: "},
		{"[memory]\n", "[shared_cache]\nsize = \"1 MiB\"\nline = \"64 B\"\nways = 4\nlatency = \"40 cycles\"\n[memory]\n", "m.toml:15: shared_cache: is for target smp only"},
		{"[memory]\n", "[shared_cache]\nsize = \"3 MiB\"\nline = \"64 B\"\nways = 4\nlatency = \"40 cycles\"\n[memory]\n", "m.toml:16: shared_cache.size: "},
		{`target = "clump"`, `target = "cluster"`, "m.toml:30: system.target: "},
		{`protocol = "mesi"`, `protocol = "mosi"`, "m.toml:33: system.protocol: "},
		{`invalidate = "4 cycles"`, `placement = "here"`, "m.toml:19: memory.placement: "},
		{`invalidate = "4 cycles"`, `page = "5 KiB"`, "m.toml:19: memory.page: 5KiB is not a power of two"},
		{`target = "clump"`, `target = "smp"`, "m.toml:32: system.nodes: an smp is one node"},
		{`target = "clump"`, `target = "cow"`, "m.toml:31: system.processors: "},
		{"nodes = 2", "nodes = 2\nblock = \"192 B\"", "m.toml:33: system.block: 192B is not a power of two"},
		{"nodes = 2", "nodes = 2\nblock = \"32 B\"", "m.toml:33: system.block: 32B is less than the line of 64B"},
		{"nodes = 2", "nodes = 2\nblock = \"4 MiB\"", "m.toml:33: system.block: 4MiB is not"},
		{"nodes = 2", "nodes = 2\nblock = 256", "m.toml:33: system.block: "},
		{"target = \"clump\"", "block = \"256 B\"\ntarget = \"ccnuma\"", "m.toml:30: system.block: has no effect for target"},
		{"processors = 4", "processors = 0", "m.toml:31: system.processors: "},
		{"processors = 4", "processors = -4", "m.toml:31: system.processors: "},
		{"nodes = 2", "nodes = 1048576", "m.toml:32: system.nodes: "},
		{"nodes = 2", "nodes = 0", "m.toml:32: system.nodes: "},
		{"[memory]\n", "[memory]\nsocket = 3\n", "m.toml:16: unknown key memory.socket"},
		{"[disk]\n", "[dusk]\n", "m.toml:20: unknown key dusk"},
		{`name = "test"`, ``, "m.toml: name: is missing"},
		{`name = "test"`, `name = "  "`, "m.toml:1: name: is missing"},
	} {
		t.Run(c.old+" -> "+c.new, func(t *testing.T) {
			m, err := Parse("m.toml", []byte(change(t, c.old, c.new)))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || m != nil {
				t.Fatalf("got %v, %v, want an error that begins %q", m, err, c.want)
			}
		})
	}
}

// section cuts the section that begins with head out of the description.
func section(t *testing.T, head string) string {
	t.Helper()
	begin := strings.Index(good, head)
	end := strings.Index(good[begin+1:], "\n[")
	if end < 0 {
		return good[:begin]
	}
	return good[:begin] + good[begin+end+2:]
}

// What a hit takes is bounded, where there is no cache that of the memory.
func TestNearestIsFast(t *testing.T) {
	slow := change(t, `latency = "0 cycles"`, `latency = "2 us"`)
	if m, err := Parse("m.toml", []byte(slow)); err == nil || !strings.HasPrefix(err.Error(), `m.toml:9: cache[0].latency: "2 us" is 2us; the nearest cache, or the memory if there are no caches, takes from 0 to 1us`) {
		t.Errorf("%+v, %v", m, err)
	}
	const none = `name = "none"
[processor]
clock = "200 MHz"
cpi = 1
[memory]
size = "64 MiB"
latency = "LATENCY"
[system]
target = "logp"
processors = 1
[network]
model = "full"
bandwidth = "20 MB/s"
`
	if _, err := Parse("m.toml", []byte(strings.Replace(none, "LATENCY", "1 us", 1))); err != nil {
		t.Error(err)
	}
	if m, err := Parse("m.toml", []byte(strings.Replace(none, "LATENCY", "9 s", 1))); err == nil || !strings.HasPrefix(err.Error(), `m.toml:7: memory.latency: "9 s" is 9s; the nearest cache`) {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestMissingSections(t *testing.T) {
	for head, want := range map[string]string{
		"[processor]": "m.toml: the machine lacks 1 section; add [processor] for instructions",
		"[memory]":    "m.toml: the machine lacks 1 section; add [memory] for references",
		"[system]":    "m.toml: the machine lacks 1 section; add [system] for the target and its size",
		"[network]":   "m.toml: the machine lacks 1 section; add [network] for messages between nodes",
	} {
		t.Run(head, func(t *testing.T) {
			if _, err := Parse("m.toml", []byte(section(t, head))); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("without %s: got %v, want an error that begins %q", head, err, want)
			}
		})
	}
	want := "m.toml: the machine lacks 4 sections; add [processor] for instructions, [memory] for references, [[cache]] for references, [system] for the target and its size"
	if _, err := Parse("m.toml", []byte("name = \"m\"\n[network]\nmodel = \"ideal\"\n")); err == nil || err.Error() != want {
		t.Errorf("with [network] alone: %v", err)
	}
	if _, err := Parse("m.toml", []byte(section(t, "[disk]"))); err != nil {
		t.Errorf("the disk is optional: %v", err)
	}
	if _, err := Parse("m.toml", nil); err == nil || err.Error() != "m.toml: the document is empty" {
		t.Errorf("empty: got %v", err)
	}
}

func TestLatencyIsCyclesOrSeconds(t *testing.T) {
	for _, c := range []struct {
		text string
		at   unit.Hertz
		want unit.Picos
	}{
		{"58 cycles", 200e6, 290_000},
		{"58 cycles", 400e6, 145_000},
		{"290 ns", 200e6, 290_000},
		{"290 ns", 400e6, 290_000},
		{"0 cycles", 1e9, 0},
		{"1 cycle", 1e9, 1000},
	} {
		t.Run(fmt.Sprintf("%v %v", c.text, c.at), func(t *testing.T) {
			l, err := parseLatency(c.text)
			if err != nil || l.at(c.at).Picos() != c.want {
				t.Errorf("%s at %v: %v, %v, want %v", c.text, c.at, l.at(c.at), err, c.want)
			}
		})
	}
}

// Every machine of the project is valid and named as its file.
func TestDataMachines(t *testing.T) {
	files, err := filepath.Glob("../../data/machine/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no machines: %v", err)
	}
	for _, f := range files {
		m, err := Read(f)
		if err != nil {
			t.Error(err)
			continue
		}
		if want := strings.TrimSuffix(filepath.Base(f), ".toml"); m.Name != want {
			t.Errorf("%s is called %q", f, m.Name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	if text, err := os.ReadFile("../../data/machine/du2000-smp-256k.toml"); err == nil {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("m.toml", text)
		if err != nil {
			if m != nil || !strings.HasPrefix(err.Error(), "m.toml") {
				t.Fatalf("%v, %v", m, err)
			}
			return
		}
		for _, c := range m.Caches {
			if c.Sets() < 1 || unit.Bytes(c.Sets()*c.Ways)*c.Line != c.Size {
				t.Fatalf("impossible cache %+v", c)
			}
		}
		if !(m.At(m.Memory.Latency) > 0) || m.System.Processors < 1 || m.System.Nodes < 1 {
			t.Fatalf("impossible machine %+v", m)
		}
	})
}
