package keyuse

import (
	"slices"
	"strings"

	"spoor/calibrate/machine"
	"spoor/predict/internal/catalogue"
)

// PriceLists are the sections of price files that are lists of tables.
var PriceLists = []string{"node", "node.cache", "network", "network.link.size", "network.link.level"}

// priceSections are the parts of a catalogue whose keys are those of machine files.
var priceSections = map[string]string{"node.processor.": "processor.", "node.cache.": "cache.", "node.last_cache.": "cache.",
	"node.memory.": "memory.", "node.disk.": "disk.", "network.link.": "network."}

// OfPrices returns a note that lists the keys of a price list that a command does not use. The model is that of predict budget and
// upgrade, or "" for predict windtunnel.
func OfPrices(p *machine.Prices, model string) []string {
	var uses []Use
	if model != "" {
		c := (*catalogue.Catalogue)(p.Catalogue)
		for _, parts := range c.Configurations() {
			uses = append(uses, Use{Models: []string{model}, Machine: c.Machine(parts)})
		}
	}
	return note(p.Name, unused(p.Given, func(key string) bool { return usesPrice(key, model, uses) }, PriceLists))
}

// OfExisting returns a note that lists the keys of an existing machine that are not compared with the parts of a catalogue.
func OfExisting(m *machine.Machine) []string {
	return note(m.Name, unused(m.Given, func(key string) bool {
		switch section, _, _ := strings.Cut(key, "."); section {
		case "network":
			return m.System.Nodes > 1
		case "system":
			return key != "system.protocol" && key != "system.target"
		case "node", "directory", "messages", "tlb":
			return false
		}
		return true
	}, ListSections))
}

// usesPrice reports whether a command uses a key of a price list.
func usesPrice(key, model string, uses []Use) bool {
	section, name, _ := strings.Cut(key, ".")
	switch {
	case key == "name":
		return true
	case section == "windtunnel" || model == "":
		return section == "windtunnel" && model == ""
	case model == "paper" && key == "node.last_cache.line":
		return true // at this cache the law is compared with the curve
	case name == "sizes" || name == "prices" || strings.HasSuffix(key, ".sizes") || strings.HasSuffix(key, ".prices"):
		return true
	}
	for prefix, to := range priceSections {
		if rest, is := strings.CutPrefix(key, prefix); is {
			return slices.ContainsFunc(uses, func(u Use) bool { return u.uses(to + rest) })
		}
	}
	return true
}
