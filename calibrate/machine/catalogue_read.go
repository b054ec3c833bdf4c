package machine

import (
	"fmt"
	"strings"

	"spoor/traces/unit"
)

type catalogueText struct {
	Date     *string `toml:"date"`
	Lifetime text    `toml:"lifetime"`
	Block    text    `toml:"block"`
}

type nodeText struct {
	Name           *string        `toml:"name"`
	Price          text           `toml:"price"`
	Processors     []int64        `toml:"processors"`
	ProcessorPrice text           `toml:"processor_price"`
	Most           *int64         `toml:"most"`
	Processor      *processorText `toml:"processor"`
	Cache          []cacheText    `toml:"cache"`
	LastCache      *choiceText    `toml:"last_cache"`
	Memory         *choiceText    `toml:"memory"`
	Disk           *diskText      `toml:"disk"`
}

// choiceText is the last cache or the memory, in several sizes.
type choiceText struct {
	Sizes      []text  `toml:"sizes"`
	Prices     []text  `toml:"prices"`
	Line       text    `toml:"line"`
	Ways       *int64  `toml:"ways"`
	Latency    text    `toml:"latency"`
	Occupancy  text    `toml:"occupancy"`
	Invalidate text    `toml:"invalidate"`
	Placement  *string `toml:"placement"`
	Page       text    `toml:"page"`
}

type linkText struct {
	Name  *string      `toml:"name"`
	Price text         `toml:"price"`
	Base  text         `toml:"base"`
	Most  *int64       `toml:"most"`
	Link  *networkText `toml:"link"`
}

// maxOffers bounds each list of a catalogue.
const maxOffers = 1000

// minLifetime and maxLifetime catch typing errors.
const minLifetime, maxLifetime = unit.Seconds(3600), unit.Seconds(3600 * 24 * 366 * 50)

// catalogue reads the sections [catalogue], [[node]] and [[network]]. It returns nil if there are none of them.
func (r *reader) catalogue(t *pricesText) *Catalogue {
	if t.Catalogue == nil && len(t.Node) == 0 && len(t.Network) == 0 {
		return nil
	}
	c := &Catalogue{Block: blockSize}
	switch {
	case t.Catalogue == nil:
		r.fail("catalogue", "the section [catalogue] is missing; it has the date of the prices")
		return nil
	case t.Catalogue.Date == nil || strings.TrimSpace(*t.Catalogue.Date) == "":
		r.fail("catalogue.date", "is missing; give the date of the prices")
		return nil
	case len(t.Node) == 0:
		r.fail("node", "the catalogue is empty: there is no [[node]]")
	case len(t.Node) > maxOffers || len(t.Network) > maxOffers:
		r.fail("catalogue", "has more than %d nodes or networks", maxOffers)
	case t.Catalogue.Block.given:
		if c.Block = r.size("catalogue.block", t.Catalogue.Block, minLine); r.err == nil && (!c.Block.IsPowerOfTwo() || c.Block > maxLine) {
			r.fail("catalogue.block", "%v is not a power of two of at most %v", c.Block, maxLine)
		}
	}
	c.Date = *t.Catalogue.Date
	c.Hourly = len(t.Node) > 0 && strings.HasSuffix(strings.TrimSpace(t.Node[0].Price.value), perHour)
	r.lifetime(t.Catalogue, c)
	for i := range t.Node {
		c.Nodes = append(c.Nodes, r.node(fmt.Sprintf("node[%d].", i), &t.Node[i], c.Hourly))
	}
	for i := range t.Network {
		c.Networks = append(c.Networks, r.link(fmt.Sprintf("network[%d].", i), &t.Network[i], c))
	}
	r.distinct(c)
	return c
}

func (r *reader) lifetime(t *catalogueText, c *Catalogue) {
	if !t.Lifetime.given {
		return
	}
	s, err := unit.Parse(t.Lifetime.value, "s")
	switch c.Lifetime = unit.Seconds(s); {
	case err != nil:
		r.fail("catalogue.lifetime", "%v", err)
	case c.Hourly:
		r.fail("catalogue.lifetime", "is for prices of purchase; these prices are per hour")
	case !(c.Lifetime >= minLifetime && c.Lifetime <= maxLifetime):
		r.fail("catalogue.lifetime", "%q is not from 1 h to 50 years", t.Lifetime.value)
	}
}

// distinct refuses two offers with the same name.
func (r *reader) distinct(c *Catalogue) {
	seen := map[string]bool{}
	check := func(at, name string) {
		if seen[name] {
			r.fail(at+".name", "%q is used twice", name)
		}
		seen[name] = true
	}
	for i, n := range c.Nodes {
		check(fmt.Sprintf("node[%d]", i), n.Name)
	}
	for i, n := range c.Networks {
		check(fmt.Sprintf("network[%d]", i), n.Name)
	}
}

// node reads one kind of node, at a path.
func (r *reader) node(at string, t *nodeText, hourly bool) (n NodeOffer) {
	r.at = at
	defer func() { r.at = "" }()
	n.Name = r.name(t.Name)
	r.require("processor", t.Processor != nil)
	r.require("last_cache", t.LastCache != nil)
	r.require("memory", t.Memory != nil)
	if r.err != nil {
		return n
	}
	n.Price = r.payment("price", t.Price, hourly)
	n.PerProcessor = r.optional("processor_price", t.ProcessorPrice, hourly)
	if n.MaxNodes = 0; t.Most != nil {
		n.MaxNodes = r.count("most", t.Most, maxNodeProcessors)
	}
	if len(t.Processors) == 0 {
		r.fail("processors", "is missing; give a list of numbers of processors, such as [1, 2]")
	}
	for _, p := range t.Processors {
		n.Processors = append(n.Processors, r.count("processors", &p, maxNodeProcessors))
	}
	n.Caches = r.choices("last_cache", t.LastCache, hourly)
	n.Memories = r.choices("memory", t.Memory, hourly)
	for i := range n.Caches {
		var row []*Machine
		for j := range n.Memories {
			row = append(row, r.variant(t, i, j))
		}
		n.Machines = append(n.Machines, row)
	}
	if r.err == nil && r.floor(&n) <= 0 {
		r.fail("price", "a node must have a price above $0")
	}
	return n
}

// floor returns the lowest price of the node.
func (r *reader) floor(n *NodeOffer) unit.Dollars {
	least := func(list []Choice) unit.Dollars {
		price := list[0].Price
		for _, c := range list {
			price = min(price, c.Price)
		}
		return price
	}
	return n.Price + n.PerProcessor + least(n.Caches) + least(n.Memories)
}

// choices reads a list of sizes and the list of their prices.
func (r *reader) choices(at string, t *choiceText, hourly bool) (list []Choice) {
	switch {
	case len(t.Sizes) == 0:
		r.fail(at+".sizes", "is missing: a list of sizes, such as [\"256 KiB\"]")
	case len(t.Sizes) > maxOffers:
		r.fail(at+".sizes", "has more than %d sizes", maxOffers)
	case len(t.Prices) != 0 && len(t.Prices) != len(t.Sizes):
		r.fail(at+".prices", "has %d prices for %d sizes", len(t.Prices), len(t.Sizes))
	}
	for i := range t.Sizes {
		c := Choice{Size: r.size(at+".sizes", t.Sizes[i], 1)}
		if r.err == nil && len(t.Prices) > 0 {
			c.Price = r.payment(at+".prices", t.Prices[i], hourly)
		}
		list = append(list, c)
	}
	return list
}

// variant returns the machine of one processor with the given cache and memory.
func (r *reader) variant(t *nodeText, cache, memory int) *Machine {
	if r.err != nil {
		return nil
	}
	r.m = &Machine{}
	r.processor(t.Processor)
	r.caches(t.Cache)
	if r.err != nil {
		return nil
	}
	l, m := t.LastCache, t.Memory
	for _, none := range []struct {
		path  string
		given bool
	}{{"last_cache.occupancy", l.Occupancy.given}, {"last_cache.invalidate", l.Invalidate.given}, {"last_cache.placement", l.Placement != nil},
		{"last_cache.page", l.Page.given}, {"memory.line", m.Line.given}, {"memory.ways", m.Ways != nil}} {
		if none.given {
			r.fail(none.path, "has no effect here; remove it")
			return nil
		}
	}
	r.m.Caches = append(r.m.Caches, r.cache("last_cache", cacheText{Size: l.Sizes[cache], Line: l.Line, Ways: l.Ways, Latency: l.Latency}))
	r.memory(&memoryText{Size: m.Sizes[memory], Latency: m.Latency, Occupancy: m.Occupancy, Invalidate: m.Invalidate, Placement: m.Placement, Page: m.Page})
	if t.Disk != nil {
		r.m.Disk = &Disk{r.latency("disk.latency", t.Disk.Latency)}
	}
	return r.m
}

// link reads one network.
func (r *reader) link(at string, t *linkText, c *Catalogue) (n NetworkOffer) {
	r.at = at
	n.Name = r.name(t.Name)
	n.Price = r.payment("price", t.Price, c.Hourly)
	n.Base = r.optional("base", t.Base, c.Hourly)
	if t.Most != nil {
		if n.MaxNodes = r.count("most", t.Most, maxNodeProcessors); n.MaxNodes == 1 {
			r.fail("most", "1: a network connects 2 nodes or more")
		}
	}
	r.require("link", t.Link != nil)
	if r.at = strings.TrimSuffix(at, "."); r.err == nil {
		r.at, r.rename = at, [2]string{"network.", "link."}
		n.Link = r.network(t.Link)
	}
	r.at, r.rename = "", [2]string{}
	return n
}

// perHour is the end of a price per hour.
const perHour = "/h"

// payment reads a price. It must be per hour if and only if hourly is set.
func (r *reader) payment(path string, t text, hourly bool) unit.Dollars {
	value, isHourly := strings.CutSuffix(strings.TrimSpace(t.value), perHour)
	switch {
	case t.given && isHourly && !hourly:
		r.fail(path, "%q is per hour, and the catalogue's other prices are not", t.value)
	case t.given && !isHourly && hourly:
		r.fail(path, "%q is not per hour, such as \"$0.34/h\", and the catalogue's other prices are", t.value)
	case t.given:
		return r.price(path, text{value, true})
	}
	return r.price(path, t)
}

// optional reads a price. It is 0 if it is absent.
func (r *reader) optional(path string, t text, hourly bool) unit.Dollars {
	if !t.given {
		return 0
	}
	return r.payment(path, t, hourly)
}
