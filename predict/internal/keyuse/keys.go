// Package keyuse tells which keys of a machine file or a price list affect the result of a command. The command then names the others.
// Package machine reads the files, and knows no commands.
package keyuse

import (
	"slices"
	"strings"

	"spoor/calibrate/machine"
)

// Use is what a command does with a machine: it simulates, runs models, or describes the network (logp).
type Use struct {
	References bool     // references are simulated
	Messages   bool     // messages are simulated
	Models     []string // names of models
	Apart      bool     // models of a program that passes messages: each processor has a memory of its own
	LogP       bool
	Procs      bool // the numbers of processors do not follow from the machine
	Machine    *machine.Machine
	Shares     bool // messages between ranks of a node are copied through its memory
	Flops      bool // the trace counts floating-point operations
	Recorded   bool // computation takes the recorded times
	SMPI       bool // messages cost what SMPI of SimGrid charges
	SMPIWithin bool // also between ranks of a node
}

// refs reports whether references are simulated.
func (u *Use) refs() bool { return u.References }

// messages reports whether messages are simulated.
func (u *Use) messages() bool { return u.Messages }

// hierarchy reports whether caches and memory are simulated, or are the input of any model.
func (u *Use) hierarchy() bool { return u.refs() || u.runs("paper", "curve", "mva") }

// runs reports whether one of the models runs.
func (u *Use) runs(models ...string) bool {
	return slices.ContainsFunc(models, func(m string) bool { return slices.Contains(u.Models, m) })
}

// exact reports whether lines and sets of caches matter: in simulations, and in models with measured distances.
func (u *Use) exact() bool { return u.refs() || u.runs("curve", "mva") }

// target reports whether the machine is of one of the targets.
func (u *Use) target(targets ...machine.Target) bool {
	return slices.Contains(targets, u.Machine.System.Target)
}

// clustered reports whether the memory is shared in blocks between nodes.
func (u *Use) clustered() bool { return u.target(machine.COW, machine.CLUMP) }

// network reports whether the network carries anything.
func (u *Use) network() bool {
	return u.messages() && !u.alone() || u.LogP || u.hierarchy() && u.Machine.System.Nodes > 1
}

// of reports whether the network is of one of the models.
func (u *Use) of(models ...string) bool {
	return u.Machine.Network != nil && slices.Contains(models, u.Machine.Network.Model)
}

// linked reports whether the network has links.
func (u *Use) linked() bool { return u.network() && !u.of("loggp", "plogp", "logp") }

// links reports whether properties of links matter. Logp takes L or g of the file instead, if they are there.
func (u *Use) links() bool {
	n := u.Machine.Network
	return u.linked() && !(u.LogP && n != nil && (n.Latency.Known || n.Gap.Known))
}

// overheads reports whether the costs of messages for processors matter.
func (u *Use) overheads() bool {
	return !u.SMPI && (u.messages() || u.LogP || u.network() && u.of("plogp"))
}

// lacks reports whether a cost for processors is missing in the machine and in one of its sizes.
func (u *Use) lacks(known bool, of func(machine.Size) bool) bool {
	n := u.Machine.Network
	return !known && !(n.Model == "plogp" && !slices.ContainsFunc(n.Sizes, func(s machine.Size) bool { return !of(s) }))
}

// keyUses says for each key of machine files when a result, a warning or an error depends on it. Keys below [[node]] are as
// those of the machine; see [Use.uses].
var keyUses = map[string]func(u *Use) bool{
	"name": always, "about": always, "source": always, // they describe the machine
	"source.text": always, "source.url": always, "source.date": always, "source.validated": always,

	"processor.clock": func(u *Use) bool { return !u.LogP || u.cycles() },
	"processor.cpi":   func(u *Use) bool { return u.hierarchy() || u.messages() && !u.Recorded },
	"processor.cpf":   func(u *Use) bool { return u.Flops && !u.Recorded }, "processor.outstanding": (*Use).hierarchy,
	"processor.window": (*Use).exact, "processor.ahead": (*Use).hierarchy, "processor.streams": (*Use).refs,

	"cache.size": (*Use).hierarchy, "cache.ways": (*Use).exact, "cache.latency": (*Use).hierarchy,
	"cache.line": func(u *Use) bool {
		return u.exact() || u.Shares && u.Machine.Shared == nil || u.messages() && u.Machine.Network != nil && u.Machine.Network.PerLine.Known
	},
	"shared_cache.size": (*Use).hierarchy, "shared_cache.ways": (*Use).exact, "shared_cache.latency": (*Use).hierarchy,
	"shared_cache.line": func(u *Use) bool { return u.exact() || u.Shares },

	"memory.size": func(u *Use) bool {
		return u.refs() && !u.target(machine.PRAM) || u.runs("mva") || u.runs("paper", "curve", "mva") && (u.Machine.Disk != nil || u.Machine.System.Nodes > 1)
	},
	"memory.latency": func(u *Use) bool {
		return u.hierarchy() || u.Shares && (!u.locally(func(l machine.Level) bool { return l.Latency.Known }) ||
			!slices.Contains(u.Machine.Given, "memory.occupancy")) // which then is the latency
	},
	"memory.occupancy": func(u *Use) bool {
		return u.hierarchy() && (!u.Apart || u.runs("mva")) && !u.target(machine.LogP, machine.CLogP, machine.PRAM) || u.Shares
	},
	"memory.invalidate": func(u *Use) bool {
		return u.refs() && u.target(machine.SMP, machine.COW, machine.CLUMP) || u.runs("paper", "curve", "mva") && !u.Apart
	},
	"memory.placement": (*Use).placed,
	"memory.page": func(u *Use) bool {
		return u.placed() || u.refs() && u.Machine.Processor.Ahead > 0
	},
	"disk.latency": func(u *Use) bool { return u.refs() && u.clustered() || u.runs("paper", "curve") },

	"network.model": func(u *Use) bool { return u.network() || u.alone() }, // it says that they are copied
	"network.L": func(u *Use) bool {
		return u.network() && (!u.linked() || u.LogP || !u.Machine.Network.Fixed.Known && !(u.SMPI && u.smpi().Fixed.Known))
	},
	"network.o": func(u *Use) bool {
		n := u.Machine.Network
		return u.overheads() && (!u.inside(sends) && u.lacks(n.Sending.Known, func(s machine.Size) bool { return s.Sending.Known }) ||
			!u.inside(receives) && u.lacks(n.Receiving.Known, func(s machine.Size) bool { return s.Receiving.Known }))
	},
	"network.o_s": func(u *Use) bool {
		return u.overheads() && !u.inside(sends) && u.lacks(false, func(s machine.Size) bool { return s.Sending.Known })
	},
	"network.o_r": func(u *Use) bool {
		return u.overheads() && !u.inside(receives) && u.lacks(false, func(s machine.Size) bool { return s.Receiving.Known })
	},
	"network.g": func(u *Use) bool { return u.network() && (u.of("loggp", "logp") || u.LogP && !u.of("plogp")) },
	"network.G": func(u *Use) bool {
		n := u.Machine.Network
		switch {
		case u.LogP:
			return u.of("loggp") || !u.of("plogp") && n.Gap.Known
		case u.linked():
			return !n.Bandwidth.Known
		}
		return u.network() && u.of("loggp")
	},
	"network.S": func(u *Use) bool {
		return u.messages() && !u.inside(func(l machine.Level) bool { return l.RendezvousMin.Known })
	},
	"network.interrupt":   func(u *Use) bool { return u.messages() && !u.alone() && !u.SMPI },
	"network.buffer_copy": func(u *Use) bool { return u.messages() && !u.SMPI },
	"network.gamma":       (*Use).messages, "network.ports": (*Use).network,
	"network.size.bytes": (*Use).network, "network.size.g": (*Use).network,
	"network.size.o_s": func(u *Use) bool { return u.overheads() && !u.inside(sends) },
	"network.size.o_r": func(u *Use) bool { return u.overheads() && !u.inside(receives) },
	"network.local.L":  (*Use).copies, "network.local.o": (*Use).shares, "network.local.o_s": (*Use).shares, "network.local.o_r": (*Use).shares,
	"network.local.g": (*Use).shares, "network.local.G": (*Use).copies, "network.local.S": (*Use).shares,
	"network.level.L": (*Use).shares, "network.level.o": (*Use).shares, "network.level.o_s": (*Use).shares, "network.level.o_r": (*Use).shares,
	"network.level.g": (*Use).shares, "network.level.G": (*Use).shares, "network.level.S": (*Use).shares,
	"network.level.name": (*Use).shares, "network.level.processors": (*Use).shares,
	"network.gap": (*Use).simulatedNetwork, "network.spacing": (*Use).simulatedNetwork, "network.topology": (*Use).network,
	"network.latency": func(u *Use) bool { return u.links() && !(u.SMPI && u.smpi().Fixed.Known) }, "network.bandwidth": (*Use).links,
	"network.efficiency": func(u *Use) bool { return u.links() && !u.SMPI }, "network.header": func(u *Use) bool { return u.links() && !u.SMPI },
	"network.switch": func(u *Use) bool { return u.simulatedNetwork() && !(u.SMPI && u.smpi().Switch.Known) }, "network.sharing": (*Use).simulatedNetwork, "network.packet": (*Use).simulatedNetwork,
	"network.rows": (*Use).network, "network.cols": (*Use).network, "network.arity": (*Use).network,
	"network.dims": (*Use).network, "network.down": (*Use).network, "network.up": (*Use).network, "network.parallel": (*Use).network, "network.taper": (*Use).network,
	"network.groups": (*Use).network, "network.chassis": (*Use).network, "network.routers": (*Use).network, "network.hosts": (*Use).network, "network.global": (*Use).network,
	"network.simgrid.backbone": (*Use).charged, "network.simgrid.latency": (*Use).charged, "network.simgrid.switch": (*Use).charged,
	"network.simgrid.bw_factor": (*Use).charged, "network.simgrid.lat_factor": (*Use).charged, "network.simgrid.os": (*Use).charged,
	"network.simgrid.ois": (*Use).charged, "network.simgrid.or": (*Use).charged, "network.simgrid.async_small": (*Use).charged,
	"network.rails":   func(u *Use) bool { return u.routed() || u.LogP && !u.Machine.Network.Gap.Known },
	"network.routing": (*Use).routed, "network.seed": (*Use).routed,

	"directory.kind": (*Use).refs, "directory.pointers": (*Use).refs, "directory.overflow": (*Use).refs, "directory.entries": (*Use).refs,
	"directory.ways": (*Use).refs, "directory.latency": (*Use).refs, "directory.hints": (*Use).refs, "directory.trap": (*Use).refs,
	"messages.control": (*Use).protocolMessages, "messages.data": (*Use).protocolMessages,
	"tlb.entries": (*Use).refs, "tlb.ways": (*Use).refs, "tlb.page": (*Use).refs, "tlb.latency": (*Use).refs,

	"system.target":     (*Use).hierarchy,
	"system.processors": func(u *Use) bool { return !u.LogP }, "system.nodes": func(u *Use) bool { return !u.Procs },
	"system.protocol": func(u *Use) bool { return u.refs() || u.runs("mva") }, "system.block": func(u *Use) bool { return u.hierarchy() && !u.Apart },
	"node.name": always, "node.count": func(u *Use) bool { return !u.LogP }, "node.processors": func(u *Use) bool { return !u.LogP },
}

func always(*Use) bool { return true }

// shares reports whether there are messages between ranks of a node that have costs of their own.
func (u *Use) shares() bool { return u.Shares }

// copies reports whether messages between ranks of a node have the latency and bandwidth of [network.local].
func (u *Use) copies() bool { return u.Shares || u.SMPIWithin }

// charged reports whether messages cost what SMPI charges.
func (u *Use) charged() bool { return u.SMPI }

// smpi returns what the machine says of SMPI.
func (u *Use) smpi() machine.SimGrid {
	if s := u.Machine.Network.SimGrid; s != nil {
		return *s
	}
	return machine.SimGrid{}
}

// sends and receives report whether a level has o_s and o_r.
func sends(l machine.Level) bool    { return l.Sending.Known || l.Overhead.Known }
func receives(l machine.Level) bool { return l.Receiving.Known || l.Overhead.Known }

// locally reports whether all messages within a node have a cost of [network.local] or of a level.
func (u *Use) locally(has func(machine.Level) bool) bool {
	n := u.Machine.Network
	return u.Shares && len(n.Levels) > 0 && n.Levels[len(n.Levels)-1].Processors == 0 && has(n.Levels[len(n.Levels)-1])
}

// alone reports whether messages are copied within the only node, so that none uses the network.
func (u *Use) alone() bool { return u.Shares && u.Machine.System.Nodes == 1 }

// inside reports whether no message has the cost of those between nodes.
func (u *Use) inside(has func(machine.Level) bool) bool { return u.alone() && u.locally(has) }

// placed reports whether the home of a page matters.
func (u *Use) placed() bool {
	return u.refs() && !u.target(machine.SMP) || u.runs("mva") && u.clustered()
}

// simulatedNetwork reports whether messages are sent through the network one by one. Models refuse keys that they lack.
func (u *Use) simulatedNetwork() bool { return u.network() && !u.LogP }

// routed reports whether messages have routes. No model of a cluster knows them.
func (u *Use) routed() bool { return u.network() && (u.refs() || u.messages()) }

// protocolMessages reports whether the sizes of messages of the coherence protocol matter: their bytes are counted.
func (u *Use) protocolMessages() bool { return u.References }

// cycles reports whether the latency of messages is in cycles.
func (u *Use) cycles() bool {
	n := u.Machine.Network
	return n != nil && u.links() && strings.Contains(n.Fixed.Value.String(), "cycle")
}

// uses reports whether a result depends on a key.
func (u *Use) uses(key string) bool {
	of, known := keyUses[key]
	if !known {
		of = keyUses[strings.TrimPrefix(key, "node.")]
		if u.LogP || key == "node.memory.size" && len(u.Models) > 0 {
			return false
		}
	}
	return of(u)
}

// ListSections are the sections that are lists of tables.
var ListSections = []string{"cache", "network.size", "network.level", "node", "node.cache"}

// unused lists the keys of a description that no use depends on. It names a section once if all its keys are unused.
func unused(given []string, uses func(key string) bool, lists []string) (out []string) {
	section := func(key string) string { return key[:max(0, strings.LastIndexByte(key, '.'))] }
	used := map[string]bool{}
	for _, key := range given {
		used[section(key)] = used[section(key)] || uses(key)
	}
	for _, key := range given {
		name := key
		switch s := section(key); {
		case uses(key):
			continue
		case s == "" || used[s]:
		case slices.Contains(lists, s):
			name = "[[" + s + "]]"
		default:
			name = "[" + s + "]"
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Known reports whether key is a key of machine files.
func Known(key string) bool {
	return keyUses[key] != nil || keyUses[strings.TrimPrefix(key, "node.")] != nil
}

// OfMachine returns notes that list the keys of a machine, and of files of its other nodes, that none of the uses depends on.
func OfMachine(m *machine.Machine, all ...Use) (notes []string) {
	uses := func(key string) bool {
		return slices.ContainsFunc(all, func(u Use) bool { u.Machine = m; return u.uses(key) })
	}
	notes = note(m.Name, unused(m.Given, uses, ListSections))
	for i, o := range m.OtherNodes {
		if len(o.Given) > 0 && !slices.Contains(m.OtherNodes[:i], o) { // a file of --node
			notes = append(notes, ofNode(o, uses)...)
		}
	}
	return notes
}

// ofNode lists the keys of a file of --node that do not matter for a node.
func ofNode(o *machine.Machine, uses func(key string) bool) []string {
	return note(o.Name, unused(o.Given, func(key string) bool {
		switch section, _, _ := strings.Cut(key, "."); section {
		case "name", "about", "source":
			return true
		case "processor", "cache", "memory", "disk":
			return key != "memory.placement" && key != "memory.page" && uses("node."+key)
		}
		return key == "system.processors"
	}, ListSections))
}

// note returns the note that a file has keys without effect, or none.
func note(file string, keys []string) []string {
	if len(keys) == 0 {
		return nil
	}
	return []string{file + ": not used here: " + strings.Join(keys, ", ")}
}
