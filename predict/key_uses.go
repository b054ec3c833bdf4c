package main

import (
	"slices"
	"strings"

	"spoor/calibrate/machine"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// keyUse is what a command does with a machine: it simulates, runs models, or describes the network (logp).
type keyUse struct {
	kind     simulationKind // of a simulation
	models   []string       // names of models
	logp     bool
	procs    bool // the numbers of processors do not follow from the machine
	machine  *machine.Machine
	shares   bool // messages between ranks of a node use its memory
	flops    bool // the trace counts floating-point operations
	recorded bool // computation takes the recorded times
}

// refs reports whether references are simulated.
func (u *keyUse) refs() bool { return u.kind == byMemory || u.kind == byBoth }

// messages reports whether messages are simulated.
func (u *keyUse) messages() bool { return u.kind == byMessages || u.kind == byBoth }

// hierarchy reports whether caches and memory are simulated, or are the input of any model.
func (u *keyUse) hierarchy() bool { return u.refs() || len(u.models) > 0 }

// runs reports whether one of the models runs.
func (u *keyUse) runs(models ...string) bool {
	return slices.ContainsFunc(models, func(m string) bool { return slices.Contains(u.models, m) })
}

// exact reports whether lines and sets of caches matter: in simulations, and in models with measured distances.
func (u *keyUse) exact() bool { return u.refs() || u.runs("curve", "mva") }

// target reports whether the machine is of one of the targets.
func (u *keyUse) target(targets ...machine.Target) bool {
	return slices.Contains(targets, u.machine.System.Target)
}

// clustered reports whether the memory is shared in blocks between nodes.
func (u *keyUse) clustered() bool { return u.target(machine.COW, machine.CLUMP) }

// network reports whether the network carries anything.
func (u *keyUse) network() bool {
	return u.messages() || u.logp || u.hierarchy() && u.machine.System.Nodes > 1
}

// of reports whether the network is of one of the models.
func (u *keyUse) of(models ...string) bool {
	return u.machine.Network != nil && slices.Contains(models, u.machine.Network.Model)
}

// linked reports whether the network has links.
func (u *keyUse) linked() bool { return u.network() && !u.of("loggp", "plogp", "logp") }

// links reports whether properties of links matter. Logp takes L or g of the file instead, if they are there.
func (u *keyUse) links() bool {
	n := u.machine.Network
	return u.linked() && !(u.logp && n != nil && (n.Latency.Known || n.Gap.Known))
}

// overheads reports whether the costs of messages for processors matter.
func (u *keyUse) overheads() bool {
	return u.messages() || u.logp || u.network() && u.of("plogp")
}

// lacks reports whether a cost for processors is missing in the machine and in one of its sizes.
func (u *keyUse) lacks(known bool, of func(machine.Size) bool) bool {
	n := u.machine.Network
	return !known && !(n.Model == "plogp" && !slices.ContainsFunc(n.Sizes, func(s machine.Size) bool { return !of(s) }))
}

// keyUses says for each key of machine files when a result, a warning or an error depends on it. Keys below [[node]] are as
// those of the machine; see [keyUse.uses].
var keyUses = map[string]func(u *keyUse) bool{
	"name": always, "about": always, "source": always, // they describe the machine

	"processor.clock": func(u *keyUse) bool { return !u.logp || u.cycles() },
	"processor.cpi":   func(u *keyUse) bool { return u.hierarchy() || u.messages() && !u.recorded },
	"processor.cpf":   func(u *keyUse) bool { return u.flops && !u.recorded }, "processor.outstanding": (*keyUse).hierarchy,
	"processor.window": (*keyUse).exact, "processor.ahead": (*keyUse).hierarchy, "processor.streams": (*keyUse).refs,

	"cache.size": (*keyUse).hierarchy, "cache.ways": (*keyUse).exact, "cache.latency": (*keyUse).hierarchy,
	"cache.line": func(u *keyUse) bool {
		return u.exact() || u.shares && u.machine.Shared == nil || u.messages() && u.machine.Network != nil && u.machine.Network.PerLine.Known
	},
	"shared_cache.size": (*keyUse).hierarchy, "shared_cache.ways": (*keyUse).exact, "shared_cache.latency": (*keyUse).hierarchy,
	"shared_cache.line": func(u *keyUse) bool { return u.exact() || u.shares },

	"memory.size": func(u *keyUse) bool {
		return u.refs() || u.runs("mva") || len(u.models) > 0 && (u.machine.Disk != nil || u.machine.System.Nodes > 1)
	},
	"memory.latency": func(u *keyUse) bool { return u.hierarchy() || u.shares },
	"memory.occupancy": func(u *keyUse) bool {
		return u.hierarchy() && !u.target(machine.LogP, machine.CLogP) || u.shares
	},
	"memory.invalidate": func(u *keyUse) bool {
		return u.refs() && u.target(machine.SMP, machine.COW, machine.CLUMP) || len(u.models) > 0
	},
	"memory.placement": (*keyUse).placed,
	"memory.page": func(u *keyUse) bool {
		return u.placed() || u.refs() && u.machine.Processor.Ahead > 0
	},
	"disk.latency": func(u *keyUse) bool { return u.refs() && u.clustered() || u.runs("paper", "curve") },

	"network.model": (*keyUse).network,
	"network.L": func(u *keyUse) bool {
		return u.network() && (!u.linked() || u.logp || !u.machine.Network.Fixed.Known)
	},
	"network.o": func(u *keyUse) bool {
		n := u.machine.Network
		return u.overheads() && (u.lacks(n.Sending.Known, func(s machine.Size) bool { return s.Sending.Known }) ||
			u.lacks(n.Receiving.Known, func(s machine.Size) bool { return s.Receiving.Known }))
	},
	"network.o_s": func(u *keyUse) bool {
		return u.overheads() && u.lacks(false, func(s machine.Size) bool { return s.Sending.Known })
	},
	"network.o_r": func(u *keyUse) bool {
		return u.overheads() && u.lacks(false, func(s machine.Size) bool { return s.Receiving.Known })
	},
	"network.g": func(u *keyUse) bool { return u.network() && (u.of("loggp", "logp") || u.logp && !u.of("plogp")) },
	"network.G": func(u *keyUse) bool {
		n := u.machine.Network
		switch {
		case u.logp:
			return u.of("loggp") || !u.of("plogp") && n.Gap.Known
		case u.linked():
			return !n.Bandwidth.Known
		}
		return u.network() && u.of("loggp")
	},
	"network.S": (*keyUse).messages, "network.gamma": (*keyUse).messages, "network.ports": (*keyUse).network,
	"network.size.bytes": (*keyUse).network, "network.size.g": (*keyUse).network,
	"network.size.o_s": (*keyUse).overheads, "network.size.o_r": (*keyUse).overheads,
	"network.gap": (*keyUse).simulatedNetwork, "network.spacing": (*keyUse).simulatedNetwork, "network.topology": (*keyUse).network,
	"network.latency": (*keyUse).links, "network.bandwidth": (*keyUse).links, "network.efficiency": (*keyUse).links, "network.header": (*keyUse).links,
	"network.switch": (*keyUse).simulatedNetwork, "network.sharing": (*keyUse).simulatedNetwork, "network.packet": (*keyUse).simulatedNetwork,
	"network.rows": (*keyUse).network, "network.cols": (*keyUse).network, "network.arity": (*keyUse).network,

	"directory.kind": (*keyUse).refs, "directory.pointers": (*keyUse).refs, "directory.overflow": (*keyUse).refs, "directory.entries": (*keyUse).refs,
	"directory.ways": (*keyUse).refs, "directory.latency": (*keyUse).refs, "directory.hints": (*keyUse).refs, "directory.trap": (*keyUse).refs,
	"messages.control": (*keyUse).protocolMessages, "messages.data": (*keyUse).protocolMessages,
	"tlb.entries": (*keyUse).refs, "tlb.ways": (*keyUse).refs, "tlb.page": (*keyUse).refs, "tlb.latency": (*keyUse).refs,

	"system.target":     (*keyUse).hierarchy,
	"system.processors": func(u *keyUse) bool { return !u.logp }, "system.nodes": func(u *keyUse) bool { return !u.procs },
	"system.protocol": func(u *keyUse) bool { return u.refs() || u.runs("mva") }, "system.block": (*keyUse).hierarchy,
	"node.name": always, "node.count": func(u *keyUse) bool { return !u.logp }, "node.processors": func(u *keyUse) bool { return !u.logp },
}

func always(*keyUse) bool { return true }

// placed reports whether the home of a page matters.
func (u *keyUse) placed() bool {
	return u.refs() && !u.target(machine.SMP) || u.runs("mva") && u.clustered()
}

// simulatedNetwork reports whether messages are sent through the network one by one. Models refuse keys that they lack.
func (u *keyUse) simulatedNetwork() bool { return u.network() && !u.logp }

// protocolMessages reports whether the sizes of messages of the coherence protocol matter. With messages of the program,
// they are not counted, and networks without bandwidth take no time for their bytes.
func (u *keyUse) protocolMessages() bool {
	return u.kind == byMemory || u.kind == byBoth && !u.of("logp") && !(u.of("ideal") && !u.machine.Network.Bandwidth.Known && !u.machine.Network.GapPerByte.Known)
}

// cycles reports whether the latency of messages is in cycles.
func (u *keyUse) cycles() bool {
	n := u.machine.Network
	return n != nil && u.links() && strings.Contains(n.Fixed.Value.String(), "cycle")
}

// uses reports whether a result depends on a key.
func (u *keyUse) uses(key string) bool {
	of, known := keyUses[key]
	if !known {
		of = keyUses[strings.TrimPrefix(key, "node.")]
		if u.logp || key == "node.memory.size" && len(u.models) > 0 {
			return false
		}
	}
	return of(u)
}

// listSections are the sections that are lists of tables.
var listSections = []string{"cache", "network.size", "node", "node.cache"}

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

// noteUnused notes the keys of a machine that none of the uses depends on.
func noteUnused(env *stage.Env, m *machine.Machine, all ...keyUse) {
	list := unused(m.Given, func(key string) bool {
		return slices.ContainsFunc(all, func(u keyUse) bool { u.machine = m; return u.uses(key) })
	}, listSections)
	if len(list) > 0 {
		env.Note("%s: not used here: %s", m.Name, strings.Join(list, ", "))
	}
	for i, o := range m.OtherNodes {
		if len(o.Given) > 0 && !slices.Contains(m.OtherNodes[:i], o) { // a file of --node
			noteUnusedOfNode(env, m, o, all)
		}
	}
}

// noteUnusedOfNode notes the keys of a file of --node that do not matter for a node.
func noteUnusedOfNode(env *stage.Env, m, o *machine.Machine, all []keyUse) {
	list := unused(o.Given, func(key string) bool {
		switch section, _, _ := strings.Cut(key, "."); section {
		case "name", "about", "source":
			return true
		case "processor", "cache", "memory", "disk":
			return key != "memory.placement" && key != "memory.page" &&
				slices.ContainsFunc(all, func(u keyUse) bool { u.machine = m; return u.uses("node." + key) })
		}
		return key == "system.processors"
	}, listSections)
	if len(list) > 0 {
		env.Note("%s: not used here: %s", o.Name, strings.Join(list, ", "))
	}
}

// noteUnusedOfSimulations notes the keys that no simulation on a machine depends on.
func noteUnusedOfSimulations(env *stage.Env, sims []*simulation, kind simulationKind, recorded bool, semantics replay.Semantics) {
	uses := map[*machine.Machine][]keyUse{}
	var machines []*machine.Machine
	for _, s := range sims {
		if uses[s.machine] == nil {
			machines = append(machines, s.machine)
		}
		uses[s.machine] = append(uses[s.machine], useOf(s.machine, kind, s.trace.Header().Procs, s.trace.Header().WorkUnit == trace.WorkFlop, recorded, semantics))
	}
	for _, m := range machines {
		noteUnused(env, m, uses[m]...)
	}
}

// useOf returns the use of a machine by a simulation.
func useOf(m *machine.Machine, kind simulationKind, procs int, flops, recorded bool, semantics replay.Semantics) keyUse {
	return keyUse{kind: kind, flops: flops, recorded: recorded && kind == byMessages,
		shares: kind != byMemory && m.Network != nil && m.Network.Model != "plogp" && semantics != replay.LogGOPSim && replay.RanksShareNodes(m, procs)}
}
