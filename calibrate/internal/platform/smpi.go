package platform

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// smpiKeys are the keys of [network.simgrid] by property of <config>.
var smpiKeys = map[string]string{"smpi/bw-factor": "bw_factor", "smpi/lat-factor": "lat_factor", "smpi/os": "os", "smpi/ois": "ois", "smpi/or": "or",
	"smpi/async-small-thresh": "async_small"}

// smpi writes what only predict replay --semantics simgrid reads.
func (s *source) smpi(c *cluster, f *factors) {
	flat := c.get("topology", "FLAT") == "FLAT"
	switch {
	case flat && c.sharing == fatpipe:
		s.note("for predict replay --semantics simgrid, FATPIPE is no bound on sums; SimGrid 3.32 instead has one link for both directions of a host")
	case flat && c.hasBackbone && c.backboneSharing == fatpipe && c.backbone < c.bw:
		s.note("for predict replay --semantics simgrid, bb_bw bounds each link of a host; in SimGrid it bounds each message")
	}
	backbone := flat && c.hasBackbone && c.backboneSharing == shared && c.backbone > c.bw && c.backbone < c.bw*float64(c.hosts)
	if !backbone && len(f.smpi) == 0 && f.latency == 1 {
		return
	}
	s.section("network.simgrid")
	if backbone {
		s.key("backbone", bandwidth(c.backbone), "bb_bw of <cluster>, line %d", c.line)
	}
	if f.latency != 1 {
		first := c.lat
		if flat {
			first = 2*c.lat + c.backboneLat
		} else {
			s.key("switch", duration(c.lat), "lat of <cluster>, line %d, without factor", c.line)
		}
		s.key("latency", duration(first), "lat of <cluster>, line %d, without factor", c.line)
	}
	for _, key := range slices.Sorted(maps.Keys(f.smpi)) {
		value := f.smpi[key]
		if key == "async_small" {
			value += " B"
		} else {
			value = strings.TrimSuffix(strings.TrimSpace(value), ";")
		}
		s.key(key, strconv.Quote(value), "of <config>")
	}
}
