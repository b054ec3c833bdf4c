package platform

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// node has the numbers of a node of Dimemas: times in seconds, bandwidths in bytes per second (0: no limit), and
// counts of buses and links (0: no limit).
type node struct {
	line                        int
	processors                  int
	ratio                       float64
	localLatency, localBW       float64
	localBuses, localIn, localO int
	latency                     float64
	in, out                     int
}

// maxRails is the largest network.rails of a machine file.
const maxRails = 64

// megabyte is the MB of Dimemas: communic.c divides by 2^20.
const megabyte = 1 << 20

// dimemasRecords are the records of a configuration file of Dimemas 5.
type dimemasRecords struct {
	machine *record
	nodes   []node
	count   int // of nodes in the records of nodes
	mapping []record
}

// dimemas reads a configuration file of Dimemas 5 (records_definition.txt of its sources).
//
// In Dimemas, latency is the time for which a processor is busy before it sends: it becomes o_s. A message then holds a
// link of its sender, a bus, and a link of its receiver for its bytes divided by the bandwidth.
func (s *source) dimemas() error {
	all, err := s.records()
	if err != nil {
		return err
	}
	var d dimemasRecords
	for i := range all {
		if err := s.dimemasRecord(&d, &all[i]); err != nil {
			return err
		}
	}
	switch {
	case d.machine == nil:
		return s.failf("no record %q; the file may be cut", "environment information")
	case len(d.nodes) == 0:
		return s.failf("no record of nodes; the file may be cut")
	}
	return s.dimemasMachine(&d)
}

// dimemasRecord stores one record.
func (s *source) dimemasRecord(d *dimemasRecords, r *record) error {
	switch r.name {
	case "wide area network information":
		if err := s.fields(r, 7); err != nil {
			return err
		}
		if n, err := s.count(r, 1, "number of machines", 1); err != nil || n > 1 {
			return cmp.Or(err, s.errorf(r.line, "%d machines, but a machine of Spoor is one", n))
		}
	case "environment information":
		if d.machine != nil {
			return s.errorf(r.line, "a second machine, but a machine of Spoor is one")
		}
		d.machine = r
		return s.fields(r, 7)
	case "node information", "multi node information":
		return s.node(d, r)
	case "mapping information", "predefined mapping information":
		d.mapping = append(d.mapping, *r)
	case "configuration files":
		for _, v := range r.values {
			if v.text != "" {
				s.note("the file %q of %q is not imported", v.text, r.name)
			}
		}
	case "accelerator node information", "modules information", "file system parameters", "dedicated connection information":
		s.note("%q is not imported: a machine file of Spoor has nothing like it", r.name)
	default:
		return s.errorf(r.line, "unknown record %.60q", r.name)
	}
	return nil
}

// node reads a node, or several equal ones. All nodes must be equal.
func (s *source) node(d *dimemasRecords, r *record) error {
	at, count := 1, 1 // index before the name of the node
	if r.name == "multi node information" {
		if err := s.fields(r, 14); err != nil {
			return err
		}
		var err error
		if count, err = s.count(r, 1, "number of nodes", 1); err != nil {
			return err
		}
		at = 2
	} else if err := s.fields(r, 13); err != nil {
		return err
	}
	n := node{line: r.line}
	err := s.numbersOf(r, at, &n)
	if err != nil {
		return err
	}
	d.count += count
	if len(d.nodes) > 0 {
		first := d.nodes[0]
		if first.line = n.line; first != n {
			return s.errorf(r.line, "nodes differ from those of line %d; the network of Spoor has the same costs between all nodes", d.nodes[0].line)
		}
		return nil
	}
	d.nodes = append(d.nodes, n)
	return nil
}

// numbersOf reads the numbers of a node, which follow its name at index at.
func (s *source) numbersOf(r *record, at int, n *node) error {
	for _, one := range []struct {
		what  string
		count *int
		real  *float64
		scale float64
	}{
		{"number of processors", &n.processors, nil, 0}, {"processor speed", nil, &n.ratio, 1},
		{"latency within a node", nil, &n.localLatency, 1}, {"bandwidth within a node", nil, &n.localBW, megabyte},
		{"buses of a node", &n.localBuses, nil, 0}, {"input links within a node", &n.localIn, nil, 0}, {"output links within a node", &n.localO, nil, 0},
		{"latency between nodes", nil, &n.latency, 1}, {"input links of a node", &n.in, nil, 0}, {"output links of a node", &n.out, nil, 0},
	} {
		at++
		var err error
		if one.count != nil {
			*one.count, err = s.count(r, at, one.what, 0)
		} else {
			least := 0.0
			if one.real == &n.ratio {
				least = -1e18
			}
			*one.real, err = s.number(r, at, one.what, least)
			*one.real *= one.scale
		}
		if err != nil {
			return err
		}
	}
	if n.processors < 1 {
		return s.errorf(r.line, "%q: a node has no processors", r.name)
	}
	return nil
}

// dimemasMachine writes the machine file.
func (s *source) dimemasMachine(d *dimemasRecords) error {
	r, n := d.machine, d.nodes[0]
	nodes, err := s.count(r, 3, "number of nodes", 1)
	if err != nil {
		return err
	}
	bw, err := s.number(r, 4, "bandwidth", 0)
	if err != nil {
		return err
	}
	buses, err := s.count(r, 5, "number of buses", 0)
	if err != nil {
		return err
	}
	if nodes != d.count {
		return s.errorf(r.line, "%q has %d nodes, but the records of nodes have %d", r.name, nodes, d.count)
	}
	name := strings.TrimSuffix(filepath.Base(s.path), filepath.Ext(s.path))
	s.top(cmp.Or(r.values[0].text, name), fmt.Sprintf("configuration of Dimemas, %d nodes", nodes), filepath.Base(s.path))
	s.between(r, &n, bw*megabyte, buses)
	s.within(&n)
	s.system(n.processors, nodes, fmt.Sprintf("number of processors, line %d", n.line), fmt.Sprintf("number of nodes, line %d", r.line))
	if n.ratio != 1 {
		s.note("the processor speed %v is not imported: CPU bursts keep their recorded times", n.ratio)
	}
	s.note("the collectives model %s is not imported; see 'predict replay --collectives'", r.values[6].text)
	for i := range d.mapping {
		if err := s.mapping(&d.mapping[i], nodes); err != nil {
			return err
		}
	}
	return nil
}

// between writes the section [network].
func (s *source) between(r *record, n *node, bw float64, buses int) {
	s.section("network")
	model, why := "switch", fmt.Sprintf("input and output links, line %d: one message at a time", n.line)
	switch {
	case bw == 0:
		model, why = "ideal", fmt.Sprintf("bandwidth 0, line %d: messages take no time", r.line)
	case buses == 1:
		model, why = "bus", fmt.Sprintf("buses, line %d: one message at a time", r.line)
	case n.in == 0 && n.out == 0:
		model, why = "ideal", fmt.Sprintf("no limit of links, line %d", n.line)
	}
	s.model(model, why)
	s.key("latency", duration(0), "Dimemas has none beside that of the sender")
	if bw > 0 {
		s.key("bandwidth", bandwidth(bw), "bandwidth, line %d, of 2^20 B", r.line)
	}
	s.key("o_s", duration(n.latency), "latency between nodes, line %d: the sender is busy", n.line)
	s.key("o_r", duration(0), "a receiver is busy before a message comes, not after")
	if bw > 0 && buses > 1 {
		s.note("%d buses are not imported: a %s of Spoor has no limit of messages", buses, model)
	}
	switch {
	case model != "switch" || n.in == 1 && n.out == 1:
	case n.in == n.out && n.in <= maxRails:
		s.key("rails", strconv.Itoa(n.in), "input and output links, line %d", n.line)
		s.note("messages of a node take turns on its %d links in Spoor; in Dimemas each takes a free one", n.in)
	default:
		s.note("%d input and %d output links of a node are not imported: it has one of each in Spoor", n.in, n.out)
	}
}

// within writes the section [network.local].
func (s *source) within(n *node) {
	if n.processors == 1 {
		return
	}
	s.section("network.local")
	s.key("L", duration(0), "Dimemas has none beside that of the sender")
	s.key("o_s", duration(n.localLatency), "latency within a node, line %d: the sender is busy", n.line)
	s.key("o_r", duration(0), "a receiver is busy before a message comes, not after")
	g := strconv.Quote("0 ns/B")
	if n.localBW > 0 {
		g = perByte(n.localBW)
	}
	s.key("G", g, "bandwidth within a node, line %d, of 2^20 B; 0 is no limit", n.line)
	if n.localBuses+n.localIn+n.localO > 0 {
		s.note("%d buses, %d input and %d output links within a node are not imported: messages within a node share its memory in Spoor", n.localBuses, n.localIn, n.localO)
	}
}

// mapping notes how to place ranks as the file does.
func (s *source) mapping(r *record, nodes int) error {
	if r.name == "predefined mapping information" {
		last := r.values[len(r.values)-1].text
		switch words := strings.Fields(last); {
		case last == "FILL_NODES":
			s.note("mapping FILL_NODES: predict replay places ranks so")
		case last == "INTERLEAVED":
			s.note("mapping INTERLEAVED: give predict replay --map cyclic")
		case len(words) == 2 && words[1] == "TASKS_PER_NODE" && !strings.ContainsFunc(words[0], func(c rune) bool { return c < '0' || c > '9' }):
			s.note("mapping %s: give predict replay --ranks-per-node %s", last, words[0])
		default:
			return s.errorf(r.line, "%q: %.60q is not FILL_NODES, INTERLEAVED or N TASKS_PER_NODE", r.name, last)
		}
		return nil
	}
	if err := s.fields(r, 3); err != nil {
		return err
	}
	tasks, err := s.count(r, 1, "number of tasks", 1)
	if err != nil {
		return err
	}
	of := r.values[2].list
	if len(of) != tasks || slices.Min(of) < 0 || slices.Max(of) >= nodes {
		return s.errorf(r.line, "%q: %d tasks need as many nodes from 0 to %d", r.name, tasks, nodes-1)
	}
	s.noteMapping(of, nodes)
	return nil
}

// noteMapping notes the placement of tasks on nodes.
func (s *source) noteMapping(of []int, nodes int) {
	each := 1
	for each < len(of) && of[each] == of[0] {
		each++
	}
	block, cyclic := true, true
	for task, node := range of {
		block = block && node == task/each
		cyclic = cyclic && node == task%nodes
	}
	switch {
	case block:
		s.note("mapping of %d tasks: give predict replay --ranks-per-node %d", len(of), each)
	case cyclic:
		s.note("mapping of %d tasks: give predict replay --map cyclic", len(of))
	default:
		fmt.Fprintf(&s.b, "\n# nodes of tasks: %s\n", list(of))
		s.note("mapping of %d tasks: the last comment of the machine file has their nodes; write them into a file for predict replay --map", len(of))
	}
}
