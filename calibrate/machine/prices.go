package machine

import (
	"strings"

	"spoor/calibrate/internal/strict"
	"spoor/traces/unit"
)

// Prices is a valid price list: hosts that simulate parallel computers [falsafi1997, sec. 5.2], or a catalogue of parts
// of clusters. It is a TOML document, decoded as strictly as a machine description. docs/reference/machine.md lists
// its keys; data/price has examples.
type Prices struct {
	Name       string
	WindTunnel *WindTunnel // nil: not given
	Catalogue  *Catalogue  // nil: not given
	Given      []string    // keys that the list has, as [PriceKeys] names them
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

// ReadPrices reads the price list name, which is a path or a name that findPrices finds.
func ReadPrices(name string) (*Prices, error) {
	path, err := findPrices(name)
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
	p := &Prices{Name: r.name(t.Name), Given: given(d)}
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
		BusProcessors: r.count("windtunnel.bus_processors", t.BusProcessors, maxNodeProcessors),
	}
	switch {
	case r.err != nil:
	case w.Processor == 0 || w.Memory == 0:
		for _, free := range []struct {
			key   string
			price unit.Dollars
		}{{"processor", w.Processor}, {"memory", w.Memory}} {
			if free.price == 0 {
				r.fail("windtunnel."+free.key, "is not above $0; the model needs the ratio of processor to memory")
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
