package machine

import (
	"strings"

	"spoor/calibrate/strict"
	"spoor/traces/unit"
)

// Prices is a valid price list. It is a TOML document, decoded as strictly as a machine description; data/price has
// examples. A list has prices of hosts of parallel simulations, or a catalogue of clusters:
//
//	name = "sgi1993"
//	[windtunnel]               # hosts that simulate parallel computers [falsafi1997, sec. 5.2]
//	processor = "$20000"       # C_processor: a board without memory
//	memory = "$3200"           # C_memory: memory of one target
//	uniprocessor = "$3200"     # BaseC_Uni: frame of a uniprocessor host
//	bus = "$76800"             # BaseC_Bus: frame of a host with a bus
//	bus_processors = 40        # most processors on the bus
//	network = 2                # X_network: network of a massively parallel host, as a multiple of its processors
//
// A catalogue lists the parts of clusters:
//
//	name = "shop"
//	[catalogue]
//	date = "1999-06"           # of the prices
//	lifetime = "26280 h"       # service life; needed for the cost of a job
//	block = "256 B"            # coherence unit between nodes; if absent, 256 B
//	[[node]]
//	name = "ws"
//	price = "$1000"            # of a node without the choices below; or "$0.34/h": then all prices are per hour
//	processors = [1, 2]        # numbers of processors on offer
//	processor_price = "$200"   # of each; if absent, nothing
//	most = 16                  # most of these nodes in a cluster; if absent, any number
//	[node.processor]           # as in a machine description
//	clock = "200 MHz"
//	cpi = 1
//	[[node.cache]]             # inner levels, if any, as in a machine description
//	[node.last_cache]          # the last level; prices are per processor
//	sizes = ["256 KiB", "512 KiB"]
//	prices = ["$0", "$150"]    # of each size; if absent, nothing
//	line = "64 B"
//	ways = 2
//	latency = "1 cycle"
//	[node.memory]
//	sizes = ["64 MiB", "128 MiB"]
//	prices = ["$100", "$200"]
//	latency = "50 cycles"      # occupancy, invalidate, placement and page as in a machine
//	[node.disk]                # optional
//	latency = "10 ms"
//	[[network]]
//	name = "ethernet"
//	price = "$40"              # per connected node
//	base = "$100"              # of the network, whatever the number of nodes; if absent, nothing
//	most = 16                  # most nodes; if absent, any number
//	[network.link]             # as the section [network] of a machine
//	model = "bus"
//	bandwidth = "100 Mb/s"
type Prices struct {
	Name       string
	WindTunnel *WindTunnel // nil: not given
	Catalogue  *Catalogue  // nil: not given
}

// WindTunnel has the prices of hosts of parallel simulations [falsafi1997, sec. 5.2].
type WindTunnel struct {
	Processor, Memory, Uniprocessor, Bus unit.Dollars
	BusProcessors                        int
	Network                              float64
}

type pricesText struct {
	Name       *string         `toml:"name"`
	WindTunnel *windTunnelText `toml:"windtunnel"`
	Catalogue  *catalogueText  `toml:"catalogue"`
	Node       []nodeText      `toml:"node"`
	Network    []linkText      `toml:"network"`
}

type windTunnelText struct {
	Processor     text     `toml:"processor"`
	Memory        text     `toml:"memory"`
	Uniprocessor  text     `toml:"uniprocessor"`
	Bus           text     `toml:"bus"`
	BusProcessors *int64   `toml:"bus_processors"`
	Network       *float64 `toml:"network"`
}

// maxPrice and maxNetwork catch typing errors.
const (
	maxPrice   = unit.Dollars(1e12)
	maxNetwork = 1e6
)

// ReadPrices reads the price list name, which is a path or a name that FindPrices finds.
func ReadPrices(name string) (*Prices, error) {
	path, err := FindPrices(name)
	if err != nil {
		return nil, err
	}
	d, err := strict.Read(path)
	if err != nil {
		return nil, err
	}
	return decodePrices(d)
}

// ParsePrices parses a price list. Errors contain name.
func ParsePrices(name string, list []byte) (*Prices, error) {
	d, err := strict.Parse(name, list)
	if err != nil {
		return nil, err
	}
	return decodePrices(d)
}

func decodePrices(d *strict.Document) (*Prices, error) {
	var t pricesText
	if err := d.Decode(&t); err != nil {
		return nil, err
	}
	r := &reader{doc: d}
	p := &Prices{Name: r.name(t.Name)}
	if t.WindTunnel != nil {
		p.WindTunnel = r.windTunnel(t.WindTunnel)
	}
	p.Catalogue = r.catalogue(&t)
	if r.err != nil {
		return nil, r.err
	}
	return p, nil
}

func (r *reader) windTunnel(t *windTunnelText) *WindTunnel {
	w := &WindTunnel{
		Processor: r.price("windtunnel.processor", t.Processor), Memory: r.price("windtunnel.memory", t.Memory),
		Uniprocessor: r.price("windtunnel.uniprocessor", t.Uniprocessor), Bus: r.price("windtunnel.bus", t.Bus),
		BusProcessors: r.count("windtunnel.bus_processors", t.BusProcessors, maxProcessors),
	}
	switch {
	case r.err != nil:
	case w.Processor == 0 || w.Memory == 0:
		for _, free := range []struct {
			key   string
			price unit.Dollars
		}{{"processor", w.Processor}, {"memory", w.Memory}} {
			if free.price == 0 {
				r.fail("windtunnel."+free.key, "is not above $0; the ratio of processor to memory decides")
			}
		}
	case w.BusProcessors < 2:
		r.fail("windtunnel.bus_processors", "%d: a bus connects 2 processors or more", w.BusProcessors)
	case t.Network == nil:
		r.fail("windtunnel.network", "is missing")
	case !(*t.Network >= 0 && *t.Network <= maxNetwork):
		r.fail("windtunnel.network", "%v is not from 0 to %v times the processor", *t.Network, maxNetwork)
	default:
		w.Network = *t.Network
	}
	return w
}

// price reads an amount of money.
func (r *reader) price(path string, t text) unit.Dollars {
	if !t.given {
		r.fail(path, "is missing")
		return 0
	}
	d, err := unit.ParseDollars(strings.TrimSpace(t.value))
	if err != nil {
		r.fail(path, "%v", err)
	} else if d > maxPrice {
		r.fail(path, "%v is more than %v", d, maxPrice)
	}
	return d
}
