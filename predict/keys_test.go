package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/stagetest"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// keyed is a key of a description with a value and another one.
type keyed struct{ key, value, other string }

// described is a description whose keys a test changes.
type described struct {
	name string
	keys []keyed
}

// text returns the description as TOML, with the other value of one key. List sections named again begin a new table.
func (d *described) text(changed int, lists []string) string {
	var b strings.Builder
	section := ""
	for i, k := range d.keys {
		at, name := "", k.key
		if n := strings.LastIndex(k.key, "."); n >= 0 {
			at, name = k.key[:n], k.key[n+1:]
		}
		if at != section || k.key == "network.size.bytes" {
			section = at
			if slices.Contains(lists, at) {
				fmt.Fprintf(&b, "[[%s]]\n", at)
			} else {
				fmt.Fprintf(&b, "[%s]\n", at)
			}
		}
		value := k.value
		if i == changed {
			value = k.other
		}
		fmt.Fprintf(&b, "%s = %s\n", name, value)
	}
	return b.String()
}

// write writes the description to a file.
func (d *described) write(t *testing.T, changed int, lists []string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), d.name+".toml")
	if err := os.WriteFile(path, []byte(d.text(changed, lists)), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

var (
	headKeys = []keyed{{"name", `"m"`, `"other"`}, {"about", `"a"`, `"b"`}, {"source.text", `"a"`, `"b"`}, {"source.url", `"a"`, `["b", "c"]`},
		{"source.date", `"2026"`, `"2026-08-31"`}, {"source.validated", `"no"`, `"b"`}}
	processorKeys = []keyed{{"processor.clock", `"1 GHz"`, `"2 GHz"`}, {"processor.cpi", "1", "2"}, {"processor.cpf", "4", "8"}}
	overlapKeys   = []keyed{{"processor.outstanding", "4", "1"}, {"processor.window", "200", "20"}}
	aheadKeys     = []keyed{{"processor.ahead", "4", "1"}, {"processor.streams", "4", "1"}}
	cacheKeys     = []keyed{{"cache.size", `"1 KiB"`, `"8 KiB"`}, {"cache.line", `"64 B"`, `"32 B"`}, {"cache.ways", "2", "1"}, {"cache.latency", `"1 cycle"`, `"3 cycles"`}}
	sharedKeys    = []keyed{{"shared_cache.size", `"16 KiB"`, `"8 KiB"`}, {"shared_cache.line", `"64 B"`, `"128 B"`}, {"shared_cache.ways", "2", "1"}, {"shared_cache.latency", `"5 cycles"`, `"9 cycles"`}}
	memoryKeys    = []keyed{{"memory.size", `"64 MiB"`, `"16.5 KiB"`}, {"memory.latency", `"50 cycles"`, `"90 cycles"`}, {"memory.occupancy", `"30 cycles"`, `"60 cycles"`},
		{"memory.invalidate", `"10 cycles"`, `"40 cycles"`}, {"memory.placement", `"interleaved"`, `"first-touch"`}, {"memory.page", `"4 KiB"`, `"256 B"`}}
	diskKeys   = []keyed{{"memory.size", `"9 KiB"`, `"4 KiB"`}, {"memory.latency", `"50 cycles"`, `"90 cycles"`}, {"memory.occupancy", `"30 cycles"`, `"60 cycles"`}, {"memory.invalidate", `"10 cycles"`, `"40 cycles"`}, {"memory.placement", `"interleaved"`, `"first-touch"`}, {"memory.page", `"4 KiB"`, `"256 B"`}, {"disk.latency", `"9 us"`, `"30 us"`}}
	onlyDisk   = []keyed{{"disk.latency", `"9 us"`, `"30 us"`}}
	costKeys   = []keyed{{"network.o", `"1 us"`, `"2 us"`}}
	sidedKeys  = []keyed{{"network.o_s", `"1 us"`, `"2 us"`}, {"network.o_r", `"3 us"`, `"4 us"`}}
	linkedKeys = []keyed{{"network.latency", `"2 us"`, `"5 us"`}, {"network.bandwidth", `"10 MB/s"`, `"5 MB/s"`}, {"network.efficiency", "0.9", "0.5"}, {"network.header", `"8 B"`, `"80 B"`}}
	localKeys  = []keyed{{"L", `"300 ns"`, `"400 ns"`}, {"g", `"200 ns"`, `"9 us"`}, {"G", `"8 ns/B"`, `"20 ns/B"`}, {"S", `"64 B"`, `"1 MiB"`}}
	overLocal  = []keyed{{"o", `"100 ns"`, `"200 ns"`}}
	sidedLocal = []keyed{{"o_s", `"100 ns"`, `"200 ns"`}, {"o_r", `"300 ns"`, `"400 ns"`}}
	smpiKeys   = []keyed{{"backbone", `"11 MB/s"`, `"5 MB/s"`}, {"bw_factor", `"0:0.5"`, `"0:0.6"`}, {"lat_factor", `"0:2"`, `"0:3"`}, {"os", `"0:1e-6:0"`, `"0:2e-6:0"`},
		{"ois", `"0:1e-6:0"`, `"0:2e-6:0"`}, {"or", `"0:1e-6:0"`, `"0:2e-6:0"`}, {"async_small", `"20 B"`, `"1 KiB"`}}
	slowKeys    = []keyed{{"network.o", `"20 us"`, `"30 us"`}} // messages come meanwhile
	copyKeys    = []keyed{{"network.buffer_copy", `"0.2 ns/B"`, `"9 ns/B"`}}
	arrivalKeys = append(copyKeys, keyed{"network.interrupt", `"1 us"`, `"2 us"`})
	eagerKeys   = []keyed{{"network.S", `"64 B"`, `"1 MiB"`}, {"network.gamma", `"50 ns/line"`, `"90 ns/line"`}}
)

func systemKeys(target string, processors, nodes int) []keyed {
	p, n := fmt.Sprint(processors), fmt.Sprint(nodes)
	keys := []keyed{{"system.target", `"` + target + `"`, ""}, {"system.processors", p, ""}, {"system.nodes", n, ""}}
	if target == "smp" {
		keys = keys[:2]
	}
	return keys
}

var protocolKeys = []keyed{{"system.protocol", `"msi"`, `"mesi"`}}
var blockKeys = []keyed{{"system.block", `"128 B"`, `"256 B"`}}
var directoryKeys = []keyed{{"directory.latency", `"5 cycles"`, `"15 cycles"`}}
var messagesKeys = []keyed{{"messages.control", `"8 B"`, `"80 B"`}, {"messages.data", `"72 B"`, `"172 B"`}}
var tlbKeys = []keyed{{"tlb.entries", "4", "2"}, {"tlb.ways", "2", "1"}, {"tlb.page", `"1 KiB"`, `"512 B"`}, {"tlb.latency", `"20 cycles"`, `"50 cycles"`}}

func join(parts ...[]keyed) []keyed { return slices.Concat(parts...) }

func net(model string, more ...[]keyed) []keyed {
	return append([]keyed{{"network.model", `"` + model + `"`, ""}}, slices.Concat(more...)...)
}

var lg = []keyed{{"network.L", `"2 us"`, `"5 us"`}, {"network.g", `"3 us"`, `"6 us"`}, {"network.G", `"9 ns/B"`, `"30 ns/B"`}}
var lAndG = []keyed{{"network.L", `"2 us"`, `"5 us"`}, {"network.G", `"9 ns/B"`, `"30 ns/B"`}}

var describedMachines = []described{
	{"smp", join(headKeys, processorKeys, overlapKeys, aheadKeys, cacheKeys, sharedKeys, memoryKeys, onlyDisk, systemKeys("smp", 4, 1), protocolKeys)},
	{"smp-loggp", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("smp", 4, 1), net("loggp", lg, costKeys, eagerKeys, []keyed{{"network.ports", `"send"`, `"both"`}}))},
	{"smp-switch", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("smp", 4, 1), net("switch", linkedKeys, costKeys, eagerKeys, []keyed{{"network.switch", `"1 us"`, `"2 us"`}}))},
	{"smp-logp", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("smp", 4, 1), net("logp", []keyed{{"network.L", `"2 us"`, `"5 us"`}, {"network.g", `"3 us"`, `"6 us"`}}, costKeys))},
	{"smp-shared", join(headKeys, processorKeys, cacheKeys, sharedKeys, memoryKeys, onlyDisk, systemKeys("smp", 4, 1), net("loggp", lg, costKeys))},
	{"clump-loggp", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("clump", 1, 4), net("loggp", lg, costKeys, []keyed{{"network.ports", `"send"`, `"both"`}}))},
	{"cow-bus", join(headKeys, processorKeys, overlapKeys, cacheKeys, diskKeys, systemKeys("cow", 1, 4), blockKeys, net("bus", linkedKeys, costKeys, eagerKeys, []keyed{{"network.sharing", `"exclusive"`, `"max-min"`}, {"network.rails", "1", "2"}}))},
	{"clump-switch", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("clump", 2, 2), protocolKeys, blockKeys, net("switch", lAndG, sidedKeys, eagerKeys, []keyed{{"network.switch", `"1 us"`, `"2 us"`}}))},
	{"ccnuma-mesh", join(headKeys, processorKeys, aheadKeys, cacheKeys, memoryKeys, onlyDisk, systemKeys("ccnuma", 1, 4), protocolKeys, directoryKeys,
		[]keyed{{"directory.kind", `"limited"`, ""}, {"directory.pointers", "1", "2"}, {"directory.overflow", `"broadcast"`, `"no-broadcast"`}, {"directory.hints", "false", "true"}}, messagesKeys,
		net("mesh", linkedKeys, costKeys, []keyed{{"network.switch", `"1 us"`, `"2 us"`}, {"network.rows", "1", ""}, {"network.cols", "4", ""}}))},
	{"ccnuma-sparse", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("ccnuma", 1, 4), []keyed{{"directory.kind", `"sparse"`, ""}, {"directory.entries", "16", "8"}, {"directory.ways", "2", "1"}}, net("fattree", linkedKeys, []keyed{{"network.switch", `"1 us"`, `"2 us"`}, {"network.arity", "2", "4"}}))},
	{"ccnuma-dims", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("ccnuma", 1, 4), net("mesh", linkedKeys, []keyed{{"network.dims", "[2, 2]", "[4]"}, {"network.rails", "2", "1"}, {"network.switch", `"1 us"`, `"2 us"`}}))},
	{"ccnuma-levels", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("ccnuma", 1, 4), net("fattree", linkedKeys, []keyed{{"network.down", "[2, 2]", "[1, 4]"}, {"network.up", "[1, 1]", "[1, 2]"}, {"network.parallel", "[1, 1]", "[1, 2]"}}))},
	{"ccnuma-tree", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("ccnuma", 1, 4), net("fattree", linkedKeys, []keyed{{"network.switch", `"1 us"`, `"2 us"`}, {"network.arity", "2", "4"}, {"network.routing", `"adaptive"`, `"valiant"`}}))},
	{"ccnuma-taper", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("ccnuma", 1, 4), net("fattree", linkedKeys, []keyed{{"network.arity", "2", "4"}, {"network.taper", "2.0", "1.0"}}))},
	{"ccnuma-dragonfly", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("ccnuma", 1, 4), net("dragonfly", linkedKeys, []keyed{{"network.switch", `"1 us"`, `"2 us"`}, {"network.groups", "2", "1"}, {"network.chassis", "1", "2"},
		{"network.routers", "2", "4"}, {"network.hosts", "1", "2"}, {"network.global", "1", "2"}, {"network.routing", `"valiant"`, `"adaptive"`}, {"network.seed", "1", "2"}}))},
	{"logp", join(headKeys, processorKeys, memoryKeys, onlyDisk, systemKeys("logp", 1, 4), messagesKeys, net("logp", []keyed{{"network.L", `"2 us"`, `"5 us"`}, {"network.g", `"3 us"`, `"6 us"`}, {"network.spacing", `"any"`, `"same-kind"`}}, costKeys))},
	{"clogp", join(headKeys, processorKeys, cacheKeys, memoryKeys, onlyDisk, systemKeys("clogp", 1, 4), protocolKeys, messagesKeys, net("logp", []keyed{{"network.L", `"2 us"`, `"5 us"`}, {"network.gap", `"bisection"`, `"traffic"`}, {"network.topology", `"full"`, `"bus"`}, {"network.G", `"50 ns/B"`, `"80 ns/B"`}}, costKeys, eagerKeys))},
	{"dir1sw", join(headKeys, processorKeys, cacheKeys, memoryKeys, onlyDisk, systemKeys("dir1sw", 1, 4), directoryKeys, []keyed{{"directory.trap", `"1 us"`, `"3 us"`}}, messagesKeys, tlbKeys, net("ideal", []keyed{{"network.latency", `"2 us"`, `"5 us"`}}, costKeys))},
	{"packets", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("clump", 1, 4), net("torus", linkedKeys, costKeys, []keyed{{"network.sharing", `"packets"`, ""}, {"network.packet", `"128 B"`, `"512 B"`}}))},
	{"plogp", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("clump", 1, 4), net("plogp", []keyed{{"network.L", `"2 us"`, `"5 us"`}, {"network.o", `"1 us"`, `"2 us"`}}), []keyed{{"network.size.bytes", `"1 B"`, `"3 B"`}, {"network.size.o_s", `"1 us"`, `"2 us"`}, {"network.size.o_r", `"1 us"`, `"2 us"`}, {"network.size.g", `"9 us"`, `"19 us"`},
		{"network.size.bytes", `"1 KiB"`, `"1.5 KiB"`}, {"network.size.o_s", `"5 us"`, `"6 us"`}, {"network.size.o_r", `"5 us"`, `"6 us"`}, {"network.size.g", `"40 us"`, `"50 us"`}})},
	{"arrivals", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("clump", 1, 4), net("loggp", lg, slowKeys, arrivalKeys))},
	{"arrivals-links", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("clump", 1, 4), net("switch", lAndG, slowKeys, arrivalKeys))},
	{"early", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("smp", 4, 1), net("loggp", lg, costKeys, copyKeys))},
	{"clump-local", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("clump", 2, 2), net("loggp", lg, costKeys, within("network.local.", localKeys, sidedLocal)))},
	{"smp-levels", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("smp", 4, 1), net("loggp", lg, costKeys, eagerKeys, within("network.local.", localKeys, overLocal),
		[]keyed{{"network.level.name", `"unit"`, `"socket"`}, {"network.level.processors", "2", "4"}}, within("network.level.", localKeys, overLocal)))},
	{"plogp-levels", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("smp", 4, 1), net("plogp", []keyed{{"network.L", `"2 us"`, `"5 us"`}, {"network.o", `"1 us"`, `"2 us"`}}, []keyed{{"network.size.bytes", `"1 B"`, ""}, {"network.size.g", `"9 us"`, `"19 us"`},
		{"network.level.name", `"unit"`, `"socket"`}, {"network.level.processors", "2", "4"}}, within("network.level.", localKeys, sidedLocal)))},
	{"smpi", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("clump", 1, 4), net("switch", linkedKeys, costKeys, eagerKeys, []keyed{{"network.switch", `"1 us"`, `"2 us"`}, {"network.sharing", `"max-min"`, `"exclusive"`}},
		within("network.simgrid.", smpiKeys, []keyed{{"latency", `"3 us"`, `"4 us"`}, {"switch", `"5 us"`, `"6 us"`}})))},
	{"smpi-cores", join(headKeys, processorKeys, cacheKeys, memoryKeys, systemKeys("clump", 2, 2), net("switch", lAndG, []keyed{{"network.switch", `"1 us"`, `"2 us"`}, {"network.sharing", `"max-min"`, ""}},
		within("network.local.", localKeys, overLocal), within("network.simgrid.", smpiKeys[1:])))},
	{"nodes", join(headKeys, processorKeys, overlapKeys, cacheKeys, diskKeys, systemKeys("clump", 1, 4), blockKeys, net("bus", linkedKeys, costKeys), []keyed{{"node.name", `"n"`, `"o"`}, {"node.count", "1", "2"}, {"node.processors", "1", ""}},
		within("node.", processorKeys, overlapKeys, cacheKeys, diskKeys[:1], []keyed{{"memory.latency", `"70 cycles"`, `"99 cycles"`}}, diskKeys[2:4], diskKeys[6:]))},
}

// within returns keys of a section.
func within(section string, lists ...[]keyed) (all []keyed) {
	for _, k := range slices.Concat(lists...) {
		k.key = section + k.key
		all = append(all, k)
	}
	return all
}

// writeKeyTraces writes a trace of four processors that shares memory, and one that passes messages, too.
func writeKeyTraces(t *testing.T) (memory, messages string) {
	t.Helper()
	for _, name := range []string{"memory", "messages"} {
		prefix := filepath.Join(t.TempDir(), name)
		head := trace.Header{Program: name, Format: "spmd", Procs: 4, WorkUnit: trace.WorkInstr}
		w, err := store.Create(prefix, head)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		for p := range 4 {
			refs := trace.Refs{Proc: trace.Proc(p)}
			for i := range uint64(3000) {
				refs.Append(2, uint64(p+1)<<20+8*i, 8, trace.Op(1+i%2))
				refs.Append(1, 8*((i*37+uint64(p))%2048), 8, trace.Op(1+i%7/6))
				refs.Append(1, 1<<16+8*(i%40), 8, trace.Op(1+i%7/6))
			}
			var rows []trace.Event
			add := func(k trace.Kind, change func(*trace.Event)) {
				e := trace.NewEvent(k)
				e.Refs = 3000 * uint64(1+len(rows)/4)
				if len(rows)%4 == 0 {
					e.Instr = 4000 // of the references before it
				}
				change(&e)
				rows = append(rows, e)
			}
			if name == "memory" {
				add(trace.Barrier, func(e *trace.Event) { e.Peer = 0 })
			} else {
				for round := range 2 {
					bytes := int64(40 + 2000*round)
					kinds := []trace.Kind{trace.Send, trace.Recv}
					if p%2 == 1 {
						slices.Reverse(kinds)
					}
					for _, k := range kinds {
						add(k, func(e *trace.Event) {
							e.Peer, e.Tag, e.Bytes, e.Addr, e.Count, e.Block, e.Stride = int32(p^1), 0, bytes, 1<<20, 1, bytes, bytes
						})
					}
					add(trace.AllToAll, func(e *trace.Event) { e.Bytes = 400 })
					add(trace.Gather, func(e *trace.Event) { e.Bytes, e.Peer = 3000, 0 })
				}
			}
			if err := w.Refs(&refs); err != nil {
				t.Fatal(err)
			}
			if err := w.Events(&trace.Events{Proc: trace.Proc(p), Rows: rows}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(head); err != nil {
			t.Fatal(err)
		}
		if name == "memory" {
			memory = prefix
		} else {
			messages = prefix
		}
	}
	return memory, messages
}

// digestCell is a digest in a result. It changes with every key.
var digestCell = regexp.MustCompile(`[0-9a-f]{64}`)

// outcome is a run of predict: its result, and the keys that it says are not used.
func outcomeOf(t *testing.T, args ...string) (status int, result string, unused string) {
	t.Helper()
	status, out, errs := predict(args...)
	var notes []string
	for _, line := range strings.Split(errs, "\n") {
		if _, list, is := strings.Cut(line, notUsed); is {
			unused = list
		} else {
			notes = append(notes, line)
		}
	}
	return status, digestCell.ReplaceAllString(out, "") + strings.Join(notes, "\n"), unused
}

const notUsed = "not used here: "

// withoutUnused returns notes without those of keys that are not used.
func withoutUnused(notes string) (rest string) {
	for line := range strings.Lines(notes) {
		if !strings.Contains(line, notUsed) {
			rest += line
		}
	}
	return rest
}

// keyConsumers are the commands that read a machine, by what they do with it.
func keyConsumers(memory, messages, analyses string, d *described) map[string][]string {
	perNode := "1"
	if d.name == "clump-switch" {
		perNode = "2"
	}
	all := map[string][]string{"references": {"replay", memory}, "messages": {"replay", messages, "--references=false"}, "smpi": {"replay", messages, "--references=false", "--semantics", "simgrid"}, "mixed": {"replay", messages, "--references"}, "logp": {"logp", "--network"},
		"direct references": {"direct", "radix", "--set", "keys=2000", "--procs", "4"}, "direct messages": {"direct", "transfer", "--set", "rows=40", "--set", "cols=40", "--procs", "4", "--references=false"}}
	for _, model := range []string{"paper", "curve", "mva"} {
		all[model] = []string{"cluster", "--params", filepath.Join(analyses, perNode), "--model", model}
	}
	return all
}

// hidden are keys that a result depends on, but not for this machine and program, by machine, what is done, and key. Without a
// machine, the key matters on some machines only.
var hidden = map[string]string{
	"paper memory.invalidate": "only a bound depends on it", "curve memory.invalidate": "only a bound depends on it",
	"mva system.protocol":  "only a bound depends on it",
	"smp curve cache.size": "of the shared cache", "smp curve cache.line": "of the shared cache", "smp curve cache.ways": "of the shared cache",
	"smp curve shared_cache.latency": "misses overlap", "smp mva shared_cache.latency": "misses overlap",
	"smp curve disk.latency": "the data fit into the memory", "smp-shared curve disk.latency": "the data fit into the memory",
	"direct references memory.size": "the data fit into the memory", "direct messages network.g": "messages are further apart",
	"direct messages network.ports": "messages are further apart", "nodes direct messages node.count": "processors of both nodes are equal",
	"clump-switch direct messages network.L": "pairs are within nodes", "clump-switch direct messages network.G": "pairs are within nodes",
	"clump-local direct messages network.L": "pairs are within nodes", "clump-local direct messages network.G": "pairs are within nodes",
	"smpi-cores direct messages network.L": "pairs are within nodes", "smpi-cores direct messages network.G": "pairs are within nodes",
	"clump-local direct messages network.o": "pairs are within nodes", "plogp-levels direct messages network.o": "pairs are within units",
	"direct messages network.local.L": "pairs are within units", "direct messages network.local.o": "pairs are within units",
	"direct messages network.local.g": "pairs are within units", "direct messages network.local.G": "pairs are within units",
	"direct messages network.local.S": "pairs are within units", "plogp-levels direct messages memory.latency": "pairs are within units",
	"direct messages network.interrupt": "receivers wait", "direct messages network.buffer_copy": "receivers wait",
	"direct messages network.dims": "pairs are neighbours", "direct messages network.rails": "pairs send one message at a time", "direct messages network.up": "pairs are neighbours",
	"direct messages network.parallel": "pairs are neighbours", "direct messages network.taper": "pairs are neighbours", "direct messages network.global": "pairs are in a group",
	"direct messages network.routing": "pairs are in a group", "direct messages network.seed": "pairs are in a group", "direct messages network.down": "pairs are neighbours",
	"ccnuma-tree logp network.arity": "both trees have the same bisection",
	"direct messages network.switch": "pairs are neighbours", "direct messages network.arity": "pairs are neighbours",
	"smp mva memory.occupancy": "misses overlap", "smp mva memory.invalidate": "misses overlap", "cow-bus curve memory.occupancy": "the disk is slower",
	"smp-loggp logp network.ports": "of one processor", "ccnuma-sparse logp network.arity": "both trees have the same bisection",
	"cow-bus mva memory.invalidate": "no block is upgraded within a node", "nodes mva memory.invalidate": "no block is upgraded within a node",
	"nodes mva node.memory.invalidate": "no block is upgraded within a node", "clogp mixed system.protocol": "the protocol takes no time",
	"nodes messages node.count": "processors of both nodes are equal", "clump-loggp logp network.ports": "only bounds depend on it",
}

// TestEveryKeyHasAnEffectOrANote changes each key of each machine in turn. Either the result changes, or an error says why the value
// cannot be used, or a note says that the key is not used. Each key is tested with each command.
//
// It stays beside the command: the thousands of runs are calls, not processes. Other tests of the whole are in internal/repository.
func TestEveryKeyHasAnEffectOrANote(t *testing.T) {
	memory, messages := writeKeyTraces(t)
	analyses := analyzeForKeys(t, memory)
	tested := map[[2]string]bool{}
	for _, d := range describedMachines {
		for name, args := range keyConsumers(memory, messages, analyses, &d) {
			testKeys(t, &d, name, args, tested)
		}
	}
	for _, key := range machine.Keys() {
		if !keyuse.Known(key) {
			t.Errorf("keyUses has no key %s", key)
		}
		for name := range keyConsumers(memory, messages, analyses, &describedMachines[0]) {
			if !tested[[2]string{name, key}] && untestable[key] == "" && untestable[name+" "+key] == "" {
				t.Errorf("%s with key %s is not tested: add the key to a machine of describedMachines", name, key)
			}
		}
	}
}

// untestable are keys that cannot be changed alone, and those that only machines have that a command refuses.
var untestable = map[string]string{
	"source":               "a machine has it or source.text",
	"node.processor.ahead": "clusters have no prefetching", "node.processor.streams": "clusters have no prefetching",
	"node.memory.placement": "refused in [[node]]", "node.memory.page": "refused in [[node]]",
}

// testKeys changes each key of one machine for one command.
func testKeys(t *testing.T, d *described, name string, args []string, tested map[[2]string]bool) {
	run := func(changed int) (status int, result, unused string) {
		return outcomeOf(t, append(slices.Clone(args), "--format", "csv", "--machine", d.write(t, changed, keyuse.ListSections))...)
	}
	status, want, unused := run(-1)
	for i, k := range d.keys {
		tested[[2]string{name, k.key}] = true
		if status != 0 || k.other == "" || k.key == "name" || k.key == "about" || strings.HasPrefix(k.key, "source.") || k.key == "node.name" {
			continue
		}
		status, got, _ := run(i)
		noted := isListed(unused, k.key)
		at := d.name + " " + name + " " + k.key
		switch changed := status != 0 || got != want; {
		case changed && noted && status == 0:
			t.Errorf("%s: noted as not used, but the result changes", at)
		case !changed && !noted && hidden[at] == "" && hidden[name+" "+k.key] == "":
			t.Errorf("%s: no effect and no note; not used: %s", at, unused)
		}
	}
}

// isListed reports whether a list of unused keys has a key or its section.
func isListed(list, key string) bool {
	section := key[:max(0, strings.LastIndexByte(key, '.'))]
	for _, item := range strings.Split(list, ", ") {
		if item == key || strings.Trim(item, "[]") == section && section != "" && item != section {
			return true
		}
	}
	return false
}

// analyzeForKeys analyzes the trace for nodes of one and of two processors.
func analyzeForKeys(t *testing.T, memory string) string {
	dir, bin := t.TempDir(), commandsBuilt(t)
	for _, n := range []string{"1", "2"} {
		stagetest.Run(t, dir, filepath.Join(bin, "analyze"), "--run", "reuse,locality,phases", "--line", "32B,64B,128B,256B", "--block", "128B",
			"--per-node", n, "--placement", "interleaved", "--sets", "8,16,32,64,128", "-o", n, memory)
	}
	return dir
}

var describedPrices = described{"prices", join([]keyed{{"name", `"p"`, `"q"`}, {"windtunnel.processor", `"$9"`, `"$8"`}, {"windtunnel.memory", `"$1"`, `"$2"`}, {"windtunnel.uniprocessor", `"$5"`, `"$6"`},
	{"windtunnel.bus", `"$20"`, `"$30"`}, {"windtunnel.bus_processors", "16", "2"}, {"windtunnel.network", "0.5", "0.9"},
	{"catalogue.date", `"1999"`, `"2000"`}, {"catalogue.lifetime", `"26280 h"`, `"13140 h"`}, {"catalogue.block", `"128 B"`, `"256 B"`},
	{"node.name", `"n"`, `"o"`}, {"node.price", `"$100"`, `"$120"`}, {"node.processors", "[1, 2]", "[1]"}, {"node.processor_price", `"$10"`, `"$20"`}, {"node.most", "4", "3"}},
	within("node.", processorKeys, overlapKeys, aheadKeys, cacheKeys),
	[]keyed{{"node.last_cache.sizes", `["16 KiB", "32 KiB"]`, `["16 KiB", "64 KiB"]`}, {"node.last_cache.prices", `["$0", "$50"]`, `["$0", "$60"]`}, {"node.last_cache.line", `"64 B"`, `"128 B"`},
		{"node.last_cache.ways", "2", "4"}, {"node.last_cache.latency", `"5 cycles"`, `"9 cycles"`},
		{"node.memory.sizes", `["64 KiB", "128 KiB"]`, `["64 KiB", "96 KiB"]`}, {"node.memory.prices", `["$10", "$20"]`, `["$10", "$30"]`}},
	within("node.", memoryKeys[1:], diskKeys[6:]),
	[]keyed{{"network.name", `"e"`, `"f"`}, {"network.price", `"$4"`, `"$5"`}, {"network.base", `"$10"`, `"$12"`}, {"network.most", "4", "3"}},
	within("network.link.", []keyed{{"model", `"bus"`, `"switch"`}, {"latency", `"2 us"`, `"5 us"`}, {"bandwidth", `"100 MB/s"`, `"50 MB/s"`}, {"efficiency", "0.9", "0.5"}, {"header", `"8 B"`, `"80 B"`}, {"o", `"1 us"`, `"2 us"`}}))}

// hiddenPrices are keys that a result depends on, but not for these prices and this program.
var hiddenPrices = map[string]string{
	"curve node.cache.size": "the last cache decides", "curve node.cache.line": "the last cache decides", "curve node.cache.ways": "the last cache decides",
	"curve node.disk.latency": "the data fit into the memory", "curve node.memory.invalidate": "only a bound depends on it",
	"paper node.memory.invalidate": "only a bound depends on it",
}

// TestEveryPriceHasAnEffectOrANote does the same for price lists.
func TestEveryPriceHasAnEffectOrANote(t *testing.T) {
	memory, _ := writeKeyTraces(t)
	analyses := filepath.Join(analyzeForKeys(t, memory), "1")
	water := t.TempDir()
	stagetest.Run(t, water, filepath.Join(commandsBuilt(t), "analyze"), "--run", "quanta,footprint", "-o", "w", memory)
	consumers := map[string][]string{"windtunnel": {"windtunnel", "--params", filepath.Join(water, "w")}}
	for _, model := range []string{"paper", "curve"} {
		consumers[model] = []string{"budget", "--params", analyses, "--budget", "$2000", "--beaten", "--model", model}
	}
	for name, args := range consumers {
		run := func(changed int) (status int, result, unused string) {
			return outcomeOf(t, append(slices.Clone(args), "--prices", describedPrices.write(t, changed, keyuse.PriceLists))...)
		}
		status, want, unused := run(-1)
		if status != 0 {
			t.Fatalf("%s: %s", name, want)
		}
		for i, k := range describedPrices.keys {
			if k.key == "name" || k.key == "catalogue.date" {
				continue // they describe the list
			}
			status, got, _ := run(i)
			noted, changed, at := isListed(unused, k.key), status != 0 || got != want, name+" "+k.key
			switch {
			case changed && noted && status == 0:
				t.Errorf("%s: noted as not used, but the result changes", at)
			case !changed && !noted && hiddenPrices[at] == "":
				t.Errorf("%s: no effect and no note; not used: %s", at, unused)
			}
		}
	}
}

// commandsBuilt returns the folder of the built commands.
func commandsBuilt(t *testing.T) string {
	if bin := os.Getenv("KEYSBIN"); bin != "" {
		return bin
	}
	return stagetest.Build(t, "..")
}
