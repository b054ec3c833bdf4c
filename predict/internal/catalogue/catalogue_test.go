package catalogue

import (
	"os"
	"reflect"
	"testing"

	"spoor/calibrate/machine"
)

// shop returns the catalogue of the tests of package machine.
func shop(t testing.TB) *Catalogue {
	t.Helper()
	p, err := machine.ReadPrices("../../../calibrate/machine/testdata/shop.toml")
	if err != nil {
		t.Fatal(err)
	}
	return (*Catalogue)(p.Catalogue)
}

func TestClusters(t *testing.T) {
	c := shop(t)
	// Two sizes of cache and memory, one and two processors, alone and with ethernet.
	if got := c.Configurations(); len(got) != 16 {
		t.Errorf("%d series: %+v", len(got), got)
	}
	parts := Parts{Node: 0, Cache: 1, Memory: 1, Processors: 2, Nodes: 3, Network: 0}
	// 110 + 3 (1000 + 2 (200 + 150) + 200 + 40)
	if got := c.Price(parts); got != 5930 {
		t.Errorf("price %v", got)
	}
	if got := c.MaxNodes(parts); got != 4 {
		t.Errorf("at most %d nodes", got)
	}
	m := c.Machine(parts)
	if m.Name != "3x2 ws 512KiB 128MiB ethernet" || m.System != (machine.System{Target: machine.CLUMP, Processors: 2, Nodes: 3, Block: 256}) ||
		len(m.Caches) != 2 || m.Caches[1].Size != 512<<10 || m.Memory.Size != 128<<20 || m.Disk == nil || m.Network.Model != "bus" {
		t.Errorf("%+v", m)
	}
	if parts.Processors = 1; c.Machine(parts).System.Target != machine.COW {
		t.Error("workstations are a cow")
	}
	parts.Nodes, parts.Network = 1, NoNetwork
	if m := c.Machine(parts); m.System.Target != machine.SMP || m.Network != nil || m.System.Block != 0 || c.Price(parts) != 1000+200+150+200 || c.MaxNodes(parts) != 1 {
		t.Errorf("%+v", m)
	}
}

// A change reaches the numbers it is of, and leaves the catalogue it is made from.
func TestScaled(t *testing.T) {
	c := shop(t)
	parts := Parts{Nodes: 2, Processors: 1}
	was := c.Machine(parts)
	price := c.Price(parts)
	scaled := c.Scaled(Scale{NodePrice: 2, NetworkPrice: 3, CPI: 5, Cache: 3, Memory: 7, Disk: 11, Network: 2})
	m := scaled.Machine(parts)
	if got := scaled.Price(parts); got != 3*110+2*(2*1300+3*40) {
		t.Errorf("price %v", got)
	}
	if m.Processor.CPI != 5 || m.Memory.Latency.String() != "350 cycles" || m.Memory.Occupancy.String() != "350 cycles" || m.At(m.Disk.Latency) < 0.1099 || m.Network.Bandwidth.Value != 50e6/8 {
		t.Errorf("%+v %+v", m, m.Network)
	}
	if last := len(m.Caches) - 1; m.Caches[last].Latency != was.Caches[last].Latency.Times(3) || m.Caches[last].Latency == was.Caches[last].Latency {
		t.Errorf("latency of a cache: %v, was %v", m.Caches[last].Latency, was.Caches[last].Latency)
	}
	if again := c.Machine(parts); !reflect.DeepEqual(again.Caches, was.Caches) || again.Memory != was.Memory || !reflect.DeepEqual(again.Network, was.Network) || *again.Disk != *was.Disk || c.Price(parts) != price {
		t.Error("the catalogue itself changed")
	}
	if same := c.Scaled(Unscaled).Machine(parts); same.Memory != was.Memory || same.Processor != was.Processor || !reflect.DeepEqual(same.Network, was.Network) {
		t.Errorf("%+v", same)
	}
}

func FuzzClusters(f *testing.F) {
	text, err := os.ReadFile("../../../calibrate/machine/testdata/shop.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := machine.ParsePrices("fuzz", text)
		if err != nil || p.Catalogue == nil {
			return
		}
		c := (*Catalogue)(p.Catalogue)
		for _, s := range c.Configurations() {
			if m := c.Machine(s); m.Name == "" || c.Price(s) < 0 || c.MaxNodes(s) < 1 {
				t.Fatalf("%+v makes %+v", s, m)
			}
		}
	})
}
