package machine

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
)

//go:embed testdata/shop.toml
var someCatalogue string

func TestCatalogue(t *testing.T) {
	p, err := ParsePrices("shop.toml", []byte(someCatalogue))
	if err != nil {
		t.Fatal(err)
	}
	c := p.Catalogue
	if c.Hourly || c.Lifetime != 26280*3600 || c.Block != 256 || c.Date != "1999-06" {
		t.Errorf("%+v", c)
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
		if p, err := ParsePrices("fuzz", text); (err == nil) != (p != nil) {
			t.Fatal(p, err)
		}
	})
}
