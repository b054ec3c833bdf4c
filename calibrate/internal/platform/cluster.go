package platform

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spoor/calibrate/machine"
)

// cluster is a cluster of SimGrid. Bandwidths are in bytes per second, times in seconds.
type cluster struct {
	*element
	id                       string
	hosts, cores             int
	speed, bw, lat           float64
	backbone, backboneLat    float64
	hasBackbone              bool
	loopback, loopbackLat    float64
	hasLoopback              bool
	sharing, backboneSharing string
}

// The sharing policies of links.
const (
	shared  = "SHARED"  // both directions have the bandwidth together
	fatpipe = "FATPIPE" // each message has all of it
)

// cluster writes the machine file of a cluster.
func (s *source) cluster(e *element, config map[string]element) error {
	c := &cluster{element: e, id: e.attr["id"], sharing: e.get("sharing_policy", "SPLITDUPLEX"), backboneSharing: e.get("bb_sharing_policy", shared)}
	if err := s.numbers(c); err != nil {
		return err
	}
	f, err := s.factors(config)
	if err != nil {
		return err
	}
	s.top(c.id, fmt.Sprintf("cluster of SimGrid, %d hosts", c.hosts), filepath.Base(s.path))
	s.section("processor")
	s.key("clock", strconv.Quote(strconv.FormatFloat(c.speed, 'f', -1, 64)+" Hz"), "speed in flop/s, with one flop a period")
	s.key("cpi", "1.0", "not in the platform: SimGrid counts flop, not instructions")
	s.key("cpf", "1.0", "speed of <cluster>, line %d", e.line)
	s.note("cpi = 1.0 is no number of the platform: SimGrid counts flop. Replace it before you replay traces with instructions")
	s.section("network")
	if err := s.topology(c, f); err != nil {
		return err
	}
	s.overheads(f)
	s.smpi(c, f)
	s.local(c)
	s.system(c.cores, c.hosts, fmt.Sprintf("core of <cluster>, line %d", e.line), fmt.Sprintf("radical of <cluster>, line %d", e.line))
	return nil
}

// numbers reads the attributes of a cluster that are numbers.
func (s *source) numbers(c *cluster) (err error) {
	e := c.element
	speed, states, _ := strings.Cut(e.attr["speed"], ",")
	if states != "" {
		s.note("speed: the first of %q is read; Spoor has no power states", e.attr["speed"])
	}
	for _, one := range []struct {
		name, text string
		units      map[string]float64
		into       *float64
		given      *bool
	}{
		{"speed", strings.TrimSpace(speed), speeds, &c.speed, nil}, {"bw", e.attr["bw"], rates, &c.bw, nil}, {"lat", e.attr["lat"], times, &c.lat, nil},
		{"bb_bw", e.attr["bb_bw"], rates, &c.backbone, &c.hasBackbone}, {"bb_lat", e.attr["bb_lat"], times, &c.backboneLat, nil},
		{"loopback_bw", e.attr["loopback_bw"], rates, &c.loopback, &c.hasLoopback}, {"loopback_lat", e.attr["loopback_lat"], times, &c.loopbackLat, nil},
	} {
		if one.text == "" && (strings.Contains(one.name, "_")) {
			continue
		}
		if *one.into, err = s.quantity(e, one.name, one.text, one.units); err != nil {
			return err
		}
		if one.given != nil {
			*one.given = *one.into > 0
		}
	}
	return s.counts(c)
}

// counts reads the cores and hosts of a cluster.
func (s *source) counts(c *cluster) error {
	e := c.element
	cores, err := integers(e.get("core", "1"), ",")
	if err != nil || len(cores) > 1 {
		return s.errorf(e.line, "core: %q is not a number of cores", e.attr["core"])
	}
	c.cores = cores[0]
	if c.hosts, err = radicals(e.attr["radical"]); err != nil {
		return s.errorf(e.line, "%v", err)
	}
	if c.bw == 0 || c.speed == 0 {
		return s.errorf(e.line, "bw and speed must be above zero")
	}
	if e.attr["limiter_link"] != "" {
		s.note("limiter_link is not imported: Spoor limits the links of a host, not the host")
	}
	return nil
}

// topology writes the model of the network.
func (s *source) topology(c *cluster, f *factors) error {
	at := fmt.Sprintf("of <cluster>, line %d", c.line)
	shape := c.attr["topo_parameters"]
	switch kind := c.get("topology", "FLAT"); kind {
	case "FLAT":
		return s.flat(c, f, at)
	case "TORUS":
		dims, err := integers(shape, ",")
		if err != nil || product(dims) != c.hosts {
			return s.misshapen(c, "sizes of dimensions such as 3,2,2, whose product is the number of hosts")
		}
		s.model("torus", "topology "+at)
		slices.Reverse(dims)
		s.key("dims", list(dims), "topo_parameters, whose first dimension has neighbouring hosts, and is the last here")
	case "FAT_TREE":
		if err := s.fatTree(c, shape, at); err != nil {
			return err
		}
	case "DRAGONFLY":
		if err := s.dragonfly(c, shape, at); err != nil {
			return err
		}
	default:
		return s.errorf(c.line, "topology %q is not FLAT, TORUS, FAT_TREE or DRAGONFLY", kind)
	}
	if c.hasBackbone || c.backboneLat > 0 {
		s.note("bb_bw and bb_lat are not imported: a %s has no backbone", c.attr["topology"])
	}
	if c.sharing == fatpipe {
		s.note("sharing_policy FATPIPE is not imported: links of Spoor are shared")
	}
	s.links(c, true, c.bw, c.lat*f.latency, "lat "+at+f.latencyOrigin, "bw "+at, f)
	s.key("switch", duration(c.lat*f.latency), "lat of each further link%s", f.latencyOrigin)
	return nil
}

func (s *source) model(name, origin string) { s.key("model", strconv.Quote(name), "%s", origin) }

func (s *source) misshapen(c *cluster, form string) error {
	return s.errorf(c.line, "topo_parameters: %q with %d hosts are not %s", c.attr["topo_parameters"], c.hosts, form)
}

// flat writes a cluster whose hosts have a link each, and a backbone between all of them, or none.
func (s *source) flat(c *cluster, f *factors, at string) error {
	bw, from, latency := c.bw, "bw "+at, 2*c.lat+c.backboneLat
	origin := "lat " + at + ", twice"
	if c.backboneLat > 0 {
		origin += ", and bb_lat"
	}
	name, why := "switch", "a flat cluster: hosts have a link each"
	if c.hasBackbone && c.backbone < bw {
		bw, from = c.backbone, "bb_bw "+at+", less than bw"
	}
	switch all := c.bw * float64(c.hosts); {
	case c.hasBackbone && c.backboneSharing == shared && c.backbone <= c.bw:
		name, why = "bus", "the backbone has no more than a link, and all messages share it"
	case c.sharing == fatpipe && (!c.hasBackbone || c.backboneSharing == fatpipe):
		name, why = "ideal", "sharing_policy FATPIPE: messages share nothing"
	case c.hasBackbone && c.backboneSharing == shared && c.backbone < all:
		s.note("the backbone of %s is only for predict replay --semantics simgrid: all hosts together can send %s, which a switch of Spoor carries", strings.Trim(bandwidth(c.backbone), `"`), strings.Trim(bandwidth(all), `"`))
	}
	s.model(name, why)
	s.links(c, name != "ideal", bw, latency*f.latency, origin+f.latencyOrigin, from, f)
	return nil
}

// links writes what all links have. SimGrid gives messages that share a link max-min fair rates.
func (s *source) links(c *cluster, contended bool, bw, latency float64, latencyFrom, bwFrom string, f *factors) {
	s.key("latency", duration(latency), "%s", latencyFrom)
	s.key("bandwidth", bandwidth(bw), "%s", bwFrom)
	if f.bandwidth != 1 {
		s.key("efficiency", strconv.FormatFloat(f.bandwidth, 'f', -1, 64), "%s", f.bandwidthOrigin)
	}
	if contended {
		s.key("sharing", strconv.Quote(machine.ShareMaxMin), "as in the flow models of SimGrid")
	}
	if c.sharing == shared {
		s.note("sharing_policy SHARED is not imported: the two directions of a link have a bandwidth each in Spoor")
	}
}

// fourRows reads A,...;B,...;C,...;D,...
func fourRows(shape string) (rows [4][]int, err error) {
	parts := strings.Split(shape, ";")
	if len(parts) != len(rows) {
		return rows, fmt.Errorf("%d rows", len(parts))
	}
	for i, part := range parts {
		if rows[i], err = integers(part, ","); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// fatTree writes a fat tree of levels;down;up;parallel.
func (s *source) fatTree(c *cluster, shape, at string) error {
	const form = "LEVELS;DOWN,...;UP,...;LINKS,..., such as 2;4,4;1,2;1,2, whose product of DOWN is the number of hosts"
	rows, err := fourRows(shape)
	if err != nil || len(rows[0]) != 1 || slices.ContainsFunc(rows[1:], func(r []int) bool { return len(r) != rows[0][0] }) || product(rows[1]) != c.hosts {
		return s.misshapen(c, form)
	}
	s.model("fattree", "topology "+at)
	s.key("down", list(rows[1]), "topo_parameters: links down of a switch of each level, leaves first")
	s.key("up", list(rows[2]), "topo_parameters: switches above")
	s.key("parallel", list(rows[3]), "topo_parameters: links between two of them")
	return nil
}

// dragonfly writes a dragonfly of groups,links;chassis,links;routers,links;hosts.
func (s *source) dragonfly(c *cluster, shape, at string) error {
	const form = "GROUPS,LINKS;CHASSIS,LINKS;ROUTERS,LINKS;HOSTS, such as 3,4;4,3;5,1;2, whose product is the number of hosts"
	rows, err := fourRows(shape)
	if err != nil || len(rows[0]) != 2 || len(rows[1]) != 2 || len(rows[2]) != 2 || len(rows[3]) != 1 ||
		product([]int{rows[0][0], rows[1][0], rows[2][0], rows[3][0]}) != c.hosts {
		return s.misshapen(c, form)
	}
	s.model("dragonfly", "topology "+at)
	for i, name := range []string{"groups", "chassis", "routers", "hosts"} {
		s.key(name, strconv.Itoa(rows[i][0]), "topo_parameters")
	}
	if links := rows[0][1]; rows[0][0] > 1 {
		s.key("global", strconv.Itoa(links), "topo_parameters: links between two groups")
		if links > 1 {
			s.note("the %d links between two groups are one link of their bandwidth in SimGrid", links)
		}
	}
	for i, name := range []string{"", "between chassis", "between routers of a chassis"} {
		if i > 0 && rows[i][1] > 1 {
			s.note("links %s have %d times the bandwidth in SimGrid, and once in Spoor", name, rows[i][1])
		}
	}
	return nil
}

// local writes the costs within a host. Without loopback, SimGrid has a bandwidth of its own.
func (s *source) local(c *cluster) {
	const usual = 10e9 // network/loopback-bw of SimGrid
	switch {
	case c.cores == 1 && !c.hasLoopback:
		return
	case !c.hasLoopback:
		s.section("network.local")
		s.key("L", `"0 ns"`, "SimGrid's own, without loopback_lat")
		s.key("G", perByte(usual), "SimGrid's own, without loopback_bw: 10 GB/s")
	default:
		s.section("network.local")
		s.key("L", duration(c.loopbackLat), "loopback_lat of <cluster>, line %d", c.line)
		s.key("G", perByte(c.loopback), "loopback_bw of <cluster>, line %d", c.line)
	}
}
