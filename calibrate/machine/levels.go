package machine

import (
	"fmt"
	"strings"

	"spoor/traces/unit"
)

// Level has the costs of messages between two ranks of one node: of one unit, such as a socket, or of the whole node.
// Two ranks have the costs of the smallest unit that holds both. A cost that is absent is that of the next larger
// level. A cost that no level gives is that of the node's memory, or of the network for its overheads and S.
type Level struct {
	Name       string // of its units; "" for the whole node
	Processors int    // of a unit; units divide the processors of a node in order; 0: the whole node

	Latency, Overhead, Sending, Receiving Optional[unit.Seconds]
	Gap                                   Optional[unit.Seconds] // between the starts of two messages of one rank
	GapPerByte                            Optional[unit.Seconds] // of a rank's copy; the memory's bandwidth also bounds it
	RendezvousMin                         Optional[unit.Bytes]
}

// localText is the section [network.local].
type localText struct {
	L         text `toml:"L"`
	O         text `toml:"o"`
	Sending   text `toml:"o_s"`
	Receiving text `toml:"o_r"`
	SmallG    text `toml:"g"`
	G         text `toml:"G"`
	S         text `toml:"S"`
}

// levelText is a section [[network.level]].
type levelText struct {
	Name       *string `toml:"name"`
	Processors *int64  `toml:"processors"`
	L          text    `toml:"L"`
	O          text    `toml:"o"`
	Sending    text    `toml:"o_s"`
	Receiving  text    `toml:"o_r"`
	SmallG     text    `toml:"g"`
	G          text    `toml:"G"`
	S          text    `toml:"S"`
}

// maxUnits bounds the levels of a node.
const maxUnits = 8

// levels reads the costs of messages within a node.
func (r *reader) levels(t *networkText, n *Network) {
	if len(t.Level) > maxUnits {
		r.fail(levelPath(maxUnits), "is one level too many; a node has at most %d", maxUnits)
		return
	}
	for i, one := range t.Level {
		at := levelPath(i)
		l := r.local(at, localText{one.L, one.O, one.Sending, one.Receiving, one.SmallG, one.G, one.S})
		if l.Name = r.oneLine(at+".name", one.Name); strings.TrimSpace(l.Name) == "" {
			r.fail(at+".name", "is missing; notes name the level by it")
		}
		l.Processors = r.count(at+".processors", one.Processors, MaxProcessors)
		n.Levels = append(n.Levels, l)
		r.unit(at, n.Levels)
	}
	if t.Local != nil {
		n.Levels = append(n.Levels, r.local("network.local", *t.Local))
	}
}

// unit checks the last of some levels.
func (r *reader) unit(at string, all []Level) {
	l := &all[len(all)-1]
	if r.err == nil && l.Processors == 1 {
		r.fail(at+".processors", "1: a unit needs several processors")
	}
	for i := range all[:len(all)-1] {
		if all[i].Name == l.Name {
			r.fail(at+".name", "%q is the name of an earlier level", l.Name)
		}
	}
	if len(all) < 2 || r.err != nil {
		return
	}
	if inner := all[len(all)-2].Processors; l.Processors == inner || l.Processors%inner != 0 {
		r.fail(at+".processors", "%d is not a multiple of the %d of the level before it; list the nearest first", l.Processors, inner)
	}
}

func levelPath(i int) string { return fmt.Sprintf("network.level[%d]", i) }

// local reads the costs of a level.
func (r *reader) local(at string, t localText) Level {
	l := Level{Latency: r.duration(at+".L", t.L), Overhead: r.duration(at+".o", t.O), Sending: r.duration(at+".o_s", t.Sending),
		Receiving: r.duration(at+".o_r", t.Receiving), Gap: r.duration(at+".g", t.SmallG), GapPerByte: r.per(at+".G", t.G, "/B", "2 ns/B")}
	if t.S.given {
		l.RendezvousMin = Optional[unit.Bytes]{r.size(at+".S", t.S, 0), true}
	}
	switch {
	case l.Overhead.Known && l.Sending.Known && l.Receiving.Known:
		r.fail(at+".o", "has no effect, because o_s and o_r are given")
	case t == localText{}:
		r.fail(at, "has no cost; add L, o, o_s, o_r, g, G or S")
	}
	return l
}

// unitsFit checks that the units of the levels divide the processors of a node.
func (r *reader) unitsFit() {
	if r.err != nil || r.m.Network == nil || r.m.System.Processors == 1 {
		return
	}
	for i, l := range r.m.Network.Levels {
		switch all := r.m.System.Processors; {
		case l.Processors == 0:
		case l.Processors == all:
			r.fail(levelPath(i)+".processors", "%d are all processors of a node; give their costs in [network.local]", l.Processors)
		case all%l.Processors != 0:
			r.fail(levelPath(i)+".processors", "%d does not divide the %d of system.processors", l.Processors, all)
		}
	}
}

// describeLevels adds the sections of levels.
func (n *Network) describeLevels(add func(key, value string), to *strings.Builder) {
	for _, l := range n.Levels {
		if l.Processors == 0 {
			to.WriteString("\n[network.local]\n")
		} else {
			fmt.Fprintf(to, "\n[[network.level]]\nname = %q\nprocessors = %d\n", l.Name, l.Processors)
		}
		for _, one := range []struct {
			key  string
			cost Optional[unit.Seconds]
		}{{"L", l.Latency}, {"o", l.Overhead}, {"o_s", l.Sending}, {"o_r", l.Receiving}, {"g", l.Gap}} {
			if one.cost.Known {
				add(one.key, duration(one.cost.Value))
			}
		}
		if l.GapPerByte.Known {
			add("G", exact(float64(l.GapPerByte.Value), "s/B"))
		}
		if l.RendezvousMin.Known {
			add("S", fmt.Sprintf("%q", l.RendezvousMin.Value.String()))
		}
	}
}
