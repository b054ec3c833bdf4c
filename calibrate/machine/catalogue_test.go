package machine

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const someCatalogue = `name = "shop"
[catalogue]
date = "1999-06"
lifetime = "26280 h"
[[node]]
name = "ws"
price = "$1000"
processors = [1, 2]
processor_price = "$200"
most = 8
[node.processor]
clock = "200 MHz"
cpi = 1
[[node.cache]]
size = "16 KiB"
line = "32 B"
ways = 2
latency = "0 cycles"
[node.last_cache]
sizes = ["256 KiB", "512 KiB"]
prices = ["$0", "$150"]
line = "64 B"
ways = 2
latency = "1 cycle"
[node.memory]
sizes = ["64 MiB", "128 MiB"]
prices = ["$100", "$200"]
latency = "50 cycles"
[node.disk]
latency = "10 ms"
[[network]]
name = "ethernet"
price = "$40"
base = "$110"
most = 4
[network.link]
model = "bus"
bandwidth = "100 Mb/s"
`

func TestCatalogue(t *testing.T) {
	p, err := ParsePrices("shop.toml", []byte(someCatalogue))
	if err != nil {
		t.Fatal(err)
	}
	c := p.Catalogue
	if c.Hourly || c.Lifetime != 26280*3600 || c.Block != 256 || c.Date != "1999-06" {
		t.Errorf("%+v", c)
	}
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
	if m.Name != "3x2 ws 512KiB 128MiB ethernet" || m.System != (System{Target: CLUMP, Processors: 2, Nodes: 3, Block: 256}) ||
		len(m.Caches) != 2 || m.Caches[1].Size != 512<<10 || m.Memory.Size != 128<<20 || m.Disk == nil || m.Network.Model != "bus" {
		t.Errorf("%+v", m)
	}
	if parts.Processors = 1; c.Machine(parts).System.Target != COW {
		t.Error("workstations are a cow")
	}
	parts.Nodes, parts.Network = 1, NoNetwork
	if m := c.Machine(parts); m.System.Target != SMP || m.Network != nil || m.System.Block != 0 || c.Price(parts) != 1000+200+150+200 || c.MaxNodes(parts) != 1 {
		t.Errorf("%+v", m)
	}
}

// A change reaches the numbers it is of, and leaves the catalogue it is made from.
func TestCatalogueChanged(t *testing.T) {
	p, err := ParsePrices("shop.toml", []byte(someCatalogue))
	if err != nil {
		t.Fatal(err)
	}
	parts := Parts{Nodes: 2, Processors: 1}
	was := p.Catalogue.Machine(parts)
	price := p.Catalogue.Price(parts)
	c := p.Catalogue.Scaled(Scale{NodePrice: 2, NetworkPrice: 3, CPI: 5, Cache: 3, Memory: 7, Disk: 11, Network: 2})
	m := c.Machine(parts)
	if got := c.Price(parts); got != 3*110+2*(2*1300+3*40) {
		t.Errorf("price %v", got)
	}
	if m.Processor.CPI != 5 || m.Memory.Latency != inCycles(350) || m.Memory.Occupancy != inCycles(350) || m.At(m.Disk.Latency) < 0.1099 || m.Network.Bandwidth.Value != 50e6/8 {
		t.Errorf("%+v %+v", m, m.Network)
	}
	if last := len(m.Caches) - 1; m.Caches[last].Latency != was.Caches[last].Latency.times(3) || m.Caches[last].Latency == was.Caches[last].Latency {
		t.Errorf("latency of a cache: %v, was %v", m.Caches[last].Latency, was.Caches[last].Latency)
	}
	if again := p.Catalogue.Machine(parts); !reflect.DeepEqual(again.Caches, was.Caches) || again.Memory != was.Memory || !reflect.DeepEqual(again.Network, was.Network) || *again.Disk != *was.Disk || p.Catalogue.Price(parts) != price {
		t.Error("the catalogue itself changed")
	}
	if same := p.Catalogue.Scaled(Unscaled).Machine(parts); same.Memory != was.Memory || same.Processor != was.Processor || !reflect.DeepEqual(same.Network, was.Network) {
		t.Errorf("%+v", same)
	}
}

func TestCataloguesRefuse(t *testing.T) {
	for _, row := range []struct{ old, new, say string }{
		{`date = "1999-06"`, ``, "shop.toml:2: catalogue.date: is missing"},
		{"[catalogue]\ndate = \"1999-06\"\nlifetime = \"26280 h\"\n", "", "catalogue: the section [catalogue] is missing"},
		{`"26280 h"`, `"26280"`, `shop.toml:4: catalogue.lifetime: "26280" has no unit`},
		{`"26280 h"`, `"26280 $"`, "shop.toml:4: catalogue.lifetime:"},
		{`"26280 h"`, `"0 h"`, "is not from 1 h"},
		{`"$1000"`, `"1000"`, `shop.toml:7: node[0].price: "1000" has no unit`},
		{`"$1000"`, `1000`, "shop.toml:7: node[0].price:"},
		{`"$1000"`, `"$NaN"`, "shop.toml:7: node[0].price:"},
		{`"$1000"`, `"$1/h"`, "shop.toml:4: catalogue.lifetime: is for prices of purchase"},
		{`"$40"`, `"$40/h"`, `shop.toml:33: network[0].price: "$40/h" is per hour, and the catalogue's other prices are not`},
		{`"$1000"`, `"$0"`, ""},
		{`[1, 2]`, `[]`, "node[0].processors: is missing"},
		{`[1, 2]`, `[0]`, "shop.toml:8: node[0].processors: 0 is not from 1"},
		{`[1, 2]`, `[1, 70000]`, "70000 is not from 1"},
		{`most = 8`, `most = 0`, "shop.toml:10: node[0].most: 0 is not from 1"},
		{`most = 4`, `most = 1`, "network[0].most: 1: a network"},
		{`"200 MHz"`, `"200"`, "shop.toml:12: node[0].processor.clock:"},
		{`cpi = 1`, `cpi = nan`, "node[0].processor.cpi: NaN"},
		{`["256 KiB", "512 KiB"]`, `["256 KiB", "300 KiB"]`, "shop.toml:19: node[0].last_cache.size: 300KiB"},
		{`["256 KiB", "512 KiB"]`, `["8 KiB", "512 KiB"]`, "is less than the 16KiB of the level before"},
		{`["256 KiB", "512 KiB"]`, `["256 KiB"]`, "shop.toml:21: node[0].last_cache.prices: has 2 prices for 1 sizes"},
		{`["256 KiB", "512 KiB"]`, `[]`, "node[0].last_cache.sizes: is missing"},
		{`["$100", "$200"]`, `["$100", "200"]`, "node[0].memory.prices: \"200\" has no unit"},
		{`latency = "50 cycles"`, ``, "node[0].memory.latency: is missing"},
		{`latency = "50 cycles"`, "latency = \"50 cycles\"\nways = 3", "node[0].memory.ways: has no effect here; remove it"},
		{`model = "bus"`, `model = "string"`, "network[0].link.model:"},
		{"[network.link]\nmodel = \"bus\"\nbandwidth = \"100 Mb/s\"\n", ``, "network[0].link: the section [link] is missing"},
		{`name = "ethernet"`, `name = "ws"`, `network[0].name: "ws" is used twice`},
		{`name = "ws"`, ``, "node[0].name: is missing"},
		{`price = "$40"`, ``, "network[0].price: is missing"},
		{`most = 8`, `cheap = 8`, "unknown key node.cheap"},
	} {
		t.Run(fmt.Sprintf("%v %v", row.old, row.new), func(t *testing.T) {
			text := strings.Replace(someCatalogue, row.old, row.new, 1)
			_, err := ParsePrices("shop.toml", []byte(text))
			if row.say == "" {
				if err != nil {
					t.Errorf("%s -> %s: %v", row.old, row.new, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.say) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s -> %s: got %v, want %q", row.old, row.new, err, row.say)
			}
		})
	}
	if _, err := ParsePrices("x", []byte("name = \"x\"\n[catalogue]\ndate = \"today\"\n")); err == nil || !strings.Contains(err.Error(), "the catalogue is empty") {
		t.Error(err)
	}
	free := strings.NewReplacer(`"$1000"`, `"$0"`, `"$200"`+"\nmost", `"$0"`+"\nmost", `["$100", "$200"]`, `["$0", "$200"]`).Replace(someCatalogue)
	if _, err := ParsePrices("x", []byte(free)); err == nil || !strings.Contains(err.Error(), "a node must have a price above $0") {
		t.Error(err)
	}
}

func FuzzParsePrices(f *testing.F) {
	f.Add([]byte(someCatalogue))
	f.Add([]byte(somePrices))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ParsePrices("fuzz", text)
		if err != nil || p.Catalogue == nil {
			return
		}
		for _, s := range p.Catalogue.Configurations() {
			if m := p.Catalogue.Machine(s); m.Name == "" || p.Catalogue.Price(s) < 0 || p.Catalogue.MaxNodes(s) < 1 {
				t.Fatalf("%+v makes %+v", s, m)
			}
		}
	})
}
