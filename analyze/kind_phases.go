package main

import (
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/phases"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

// phasesFlags are what is counted of coherent caches, and of the traffic between nodes.
type phasesFlags struct {
	sets       []int64
	window     fromOne
	block      string
	placements []string
	perNode    []int
	delays     []int64
	latency    int64
	right      float64
	miss       int64
	ways       int
	networks   []string
}

// ofNodes are flags of what is counted between nodes, and in them.
var ofNodes = map[string]string{"block": "per-node", "placement": "per-node", "delay": "per-node", "between": "per-node", "latency": "per-node",
	"right": "per-node", "miss": "per-node", "ways": "per-node"}

func phasesKind() *kind {
	o := &phasesFlags{}
	return &kind{name: "phases", doc: "misses and bus operations of coherent caches of 1 to 20 ways between barriers: phases.arrow",
		details: phases.Columns + "\n" + trafficColumns, flags: o.add, needs: ofNodes, build: o.analysis}
}

// fromOne is a flag's whole number, of which an error says that they begin with 1.
type fromOne uint64

// Set reads the number.
func (n *fromOne) Set(text string) error {
	v, err := strconv.ParseUint(text, 0, 64)
	if errors.Is(err, strconv.ErrRange) {
		return errors.New("too large")
	}
	if err != nil {
		return errors.New("not a whole number from 1")
	}
	*n = fromOne(v)
	return nil
}

func (n *fromOne) String() string { return strconv.FormatUint(uint64(*n), 10) }

// Type is what the number is called in help.
func (n *fromOne) Type() string { return "uint" }

func (o *phasesFlags) add(f *pflag.FlagSet) {
	f.Int64SliceVar(&o.sets, "sets", []int64{2048, 4096}, "phases: numbers of sets of the caches, as a `list` of powers of two")
	o.window = fromOne(phases.DefaultWindow)
	f.Var(&o.window, "window", "phases: `instructions` that are counted together; doubled while there are too many windows")
	f.StringVar(&o.block, "block", "256B", "phases: `size` of the blocks that nodes share in software")
	f.StringSliceVar(&o.placements, "placement", []string{string(phases.FirstTouch)}, "phases: policies that give nodes the pages that the program does not place, as a `list`: first-touch, interleaved")
	f.IntSliceVar(&o.perNode, "per-node", nil, "phases: numbers of processors of a node, as a `list`")
	f.Int64SliceVar(&o.delays, "delay", []int64{0, 1 << 10, 1 << 12, 1 << 14}, "phases: for how many `instructions` a block is waited for, as a list")
	f.StringSliceVar(&o.networks, "between", []string{string(phases.Ideal), string(phases.Bus), string(phases.Switch)}, "phases: what messages between nodes wait for, as a `list`: ideal (nothing), bus, switch")
	f.Int64Var(&o.miss, "miss", 50, "phases: `instructions` that a miss takes in a node of --per-node, and an access to its memory by another one; 0: nothing is counted of one node with all processors")
	f.IntVar(&o.ways, "ways", 2, "phases: `ways` of the caches in nodes, which have the first of --sets and of the line sizes")
	f.Int64Var(&o.latency, "latency", 0, "phases: `instructions` of the delay of each message for which it does not hold the network")
	f.Float64Var(&o.right, "right", phases.DefaultRight, "phases: `part` of the rest of the delay of a block that messages without one take")
}

func (o *phasesFlags) analysis(r *request) (analysis.Analysis, error) {
	sets, err := checkSets(o.sets)
	if err != nil {
		return nil, err
	}
	if o.window < 1 || o.window > 1<<40 {
		return nil, stage.Usage("--window: %d is not a number of instructions from 1 to %d", o.window, 1<<40)
	}
	a := &phases.Analysis{Lines: r.lines, Sets: sets, Window: unit.Instructions(o.window), Meta: r.meta}
	return a, o.between(a)
}

// between gives a what is to be counted between nodes.
func (o *phasesFlags) between(a *phases.Analysis) (err error) {
	if a.Block, err = unit.ParseBytes(o.block); err != nil || !a.Block.IsPowerOfTwo() || a.Block > phases.Page {
		return stage.Usage("--block: %q is not a power of two of bytes to %v", o.block, phases.Page)
	}
	if slices.ContainsFunc(o.perNode, func(n int) bool { return n < 1 }) {
		return stage.Usage("--per-node: %v are not numbers of processors from 1", o.perNode)
	}
	a.PerNode = sorted(o.perNode)
	if a.Placements, err = named("--placement", o.placements, phases.Placements); err != nil {
		return err
	}
	if a.Networks, err = named("--between", o.networks, phases.Networks); err != nil {
		return err
	}
	for _, d := range sorted(o.delays) {
		if d < 0 || d > int64(phases.MaxDelay) {
			return stage.Usage("--delay: %d is not a number of instructions from 0 to %d", d, phases.MaxDelay)
		}
		a.Delays = append(a.Delays, unit.Instructions(d))
	}
	if a.Latency = unit.Instructions(o.latency); o.latency < 0 || a.Latency > phases.MaxDelay {
		return stage.Usage("--latency: %d is not a number of instructions from 0 to %d", o.latency, phases.MaxDelay)
	}
	if a.Right = o.right; !(a.Right >= 0 && a.Right <= 1) {
		return stage.Usage("--right: %v is not a part from 0 to 1", a.Right)
	}
	if o.miss < 0 || o.miss > int64(phases.MaxDelay) {
		return stage.Usage("--miss: %d is not a number of instructions from 0 to %d", o.miss, phases.MaxDelay)
	}
	if o.ways < 1 || o.ways > phases.MaxWays {
		return stage.Usage("--ways: %d is not a number of ways from 1 to %d", o.ways, phases.MaxWays)
	}
	a.Within = phases.Within{Miss: unit.Instructions(o.miss), Sets: a.Sets[0], Ways: o.ways, Line: min(a.Lines[0], a.Block)}
	if len(a.PerNode) > 0 && (len(a.Placements) == 0 || len(a.Delays) == 0 || len(a.Networks) == 0) {
		return stage.Usage("--per-node needs a --placement, a network --between nodes and a --delay")
	}
	return nil
}

// named are the values of a flag, each of which must be one of all.
func named[T ~string](flag string, values []string, all []T) (list []T, err error) {
	for _, v := range sorted(values) {
		if !slices.Contains(all, T(v)) {
			return nil, stage.Usage("%s: %q is not one of %v", flag, v, all)
		}
		list = append(list, T(v))
	}
	return list, nil
}

func checkSets(sets []int64) ([]int64, error) {
	if len(sets) == 0 {
		return nil, stage.Usage("--sets: no number of sets")
	}
	for _, n := range sets {
		if n < 1 || n > phases.MaxSets || n&(n-1) != 0 {
			return nil, stage.Usage("--sets: %d is not a power of two from 1 to %d", n, phases.MaxSets)
		}
	}
	return sorted(sets), nil
}

// trafficColumns says what --per-node adds to phases.
const trafficColumns = `Tables of phases with --per-node: what nodes of so many processors ask of each other, if software makes one shared
memory of theirs, in blocks that are kept coherent by directories; memories have room for everything. Who waits for a block goes on
only after --delay instructions, or a --right part of that for a message without a block, and later if the network --between nodes is
held by others, which each message does but for a --latency. Misses of private caches take --miss instructions and turns on the node's bus.
So it is decided how often a block moves that several nodes store to, who touches a page first, and who gets locks:
  traffic         by per_node, placement, network, delay, proc, phase, window, kind, and the nodes from and to:
    count                    messages with a block (kind block) and without (right: rights to store, and invalidations);
                             accesses to blocks that the node had not (fetch), of these those that another than the home had
                             alone (recall), and stores to blocks that others had too (upgrade); instructions for which it
                             waited at locks and flags (wait), and for turns on the network and at buses of other nodes and for blocks on
                             their way to somebody (queue), where a hit takes one as each instruction does
With delay 0 nobody waits: there are no counts of wait and queue, and networks, which are all alike then, are counted once, as the
first by its name. A block that another node has alone comes by way of its home.
For nodes of all processors of the trace, nobody else is asked for anything. Under delay 0, their counts are of misses (kind miss), stores to lines that a processor
had but others perhaps too (claim), modified lines that misses push out (writeback), and wait.
`
