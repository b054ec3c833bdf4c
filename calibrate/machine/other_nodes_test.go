package machine

import (
	"fmt"
	"strings"
	"testing"
)

const slowNode = `[[node]]
name = "slow"
count = 1
processors = 2
[node.processor]
clock = "100 MHz"
cpi = 2
`

// What a node does not have of its own it has from the others, for its own clock.
func TestNodesOfOtherKinds(t *testing.T) {
	m, err := Parse("m.toml", []byte(good+slowNode))
	if err != nil {
		t.Fatal(err)
	}
	o := m.Node(1)
	if m.Count() != 6 || m.Node(0) != m || len(m.OtherNodes) != 1 || o.Name != "slow" || o.Processor != (Processor{Clock: 100e6, CPI: 2}) || o.System.Processors != 2 {
		t.Errorf("%d processors, node 1 %+v", m.Count(), o)
	}
	if len(o.Caches) != 2 || o.Caches[1] != m.Caches[1] || o.Memory != m.Memory || *o.Disk != *m.Disk || o.At(o.Memory.Latency) != 2*m.At(m.Memory.Latency) {
		t.Errorf("%+v, want what %+v has", o, m)
	}
	m, err = Parse("m.toml", []byte(good+"[[node]]\nname = \"large\"\ncount = 2\n[[node.cache]]\nsize = \"1 MiB\"\nline = \"32 B\"\nways = 4\nlatency = \"1 cycle\"\n[node.memory]\nsize = \"1 GiB\"\nlatency = \"60 ns\"\n[node.disk]\nlatency = \"1 ms\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if o := m.Node(0); m.Count() != 8 || len(o.Caches) != 1 || o.Caches[0].Size != 1<<20 || o.Memory.Size != 1<<30 || o.Memory.Occupancy != o.Memory.Latency || o.Disk.Latency != InSeconds(1e-3) || o.Processor != m.Processor {
		t.Errorf("%d processors, %+v", m.Count(), o)
	}
	if len(m.Assumed) != 2 || !strings.HasPrefix(m.Assumed[0], "node large: memory.occupancy not given") {
		t.Errorf("assumed %q", m.Assumed)
	}
}

// Processors are those of one node after the other, of which the last may have more or less.
func TestNodeOf(t *testing.T) {
	m := &Machine{System: System{Processors: 2, Nodes: 4}, OtherNodes: []*Machine{{System: System{Processors: 3}}, {System: System{Processors: 1}}}}
	for p, want := range []int{0, 0, 1, 1, 2, 2, 2, 3, 4} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if got := m.NodeOf(p); got != want {
				t.Errorf("processor %d is in node %d, want %d", p, got, want)
			}
		})
	}
}

func TestWithOthers(t *testing.T) {
	m, err := Parse("m.toml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	same, err := m.WithNodes()
	if err != nil || same != m {
		t.Errorf("with none: %v, %v", same, err)
	}
	two, err := m.WithNodes(m, m)
	if err != nil || two.Name != "test + test + test" || two.Count() != 8 || len(m.OtherNodes) != 0 {
		t.Errorf("%+v, %v", two, err)
	}
	shared := *m
	shared.Shared = &Cache{}
	smp, ccnuma := *m, *m
	smp.System.Target, ccnuma.System.Target = SMP, CCNUMA
	coarse := *m
	coarse.Caches = []Cache{{Size: 1 << 20, Line: 64, Ways: 1}}
	diskless, cow, many := *m, *m, *m
	diskless.Disk = nil
	cow.System.Target = COW
	many.System.Processors = MaxProcessors
	for want, pair := range map[string][2]*Machine{
		"is a smp, whose nodes are equal":                       {&smp, m},
		"is a ccnuma, whose nodes are equal":                    {&ccnuma, m},
		"has lines of 64B, and that of test + test lines of 32": {m, &coarse},
		"machine test has a shared cache":                       {m, &shared},
		"one has a disk, the other has none":                    {m, &diskless},
		"a cow has one processor in each node":                  {&cow, m},
		"more than 1048576":                                     {m, &many},
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := pair[0].WithNodes(pair[1]); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
	if _, err := m.WithNodes(m, m, m); err == nil || !strings.Contains(err.Error(), "3 nodes of other kinds among the 2") {
		t.Error(err)
	}
}

func TestBadNodes(t *testing.T) {
	lines := strings.Count(good, "\n")
	for old, c := range map[string]struct {
		new, want string
		line      int
	}{
		`clock = "100 MHz"`: {`clock = "100"`, "node[0].processor.clock", 6},
		"count = 1":         {"count = 0", "node[0].count", 3},
		"processors = 2":    {"processors = 2.5", "", 4},
		`name = "slow"`:     {"", "node[0].name: is missing", 1},
		"cpi = 2":           {"cpi = 2\nspeed = 1", "unknown key node.processor.speed", 8},
		"cpi = 2\n":         {"cpi = 2\n[node.memory]\nplacement = \"interleaved\"\n", "placement and page are for all nodes; set them in [memory]", 8},
	} {
		t.Run(old, func(t *testing.T) {
			_, err := Parse("m.toml", []byte(good+strings.Replace(slowNode, old, c.new, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %q near line %d", c.new, err, c.want, lines+c.line)
			}
		})
	}
	if _, err := Parse("m.toml", []byte(good+strings.Replace(slowNode, "count = 1", "count = 60000", 1))); err == nil || !strings.Contains(err.Error(), "nodes of other kinds among the 2") {
		t.Error(err)
	}
}
