package main

import (
	"slices"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/phases"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

func phasesKind() *kind {
	var sets []int64
	var window uint64
	var block string
	var placements []string
	var perNode []int
	var delays []int64
	var right float64
	var networks []string
	return &kind{name: "phases", doc: "misses and bus operations of coherent caches of 1 to 16 ways between barriers: phases.arrow",
		details: trafficColumns,
		flags: func(f *pflag.FlagSet) {
			f.Int64SliceVar(&sets, "sets", []int64{2048, 4096}, "phases: numbers of sets of the caches, as a `list` of powers of two")
			f.Uint64Var(&window, "window", uint64(phases.DefaultWindow), "phases: `instructions` that are counted together; doubled while there are too many windows")
			f.StringVar(&block, "block", "256B", "phases: `size` of the blocks that nodes share in software")
			f.StringSliceVar(&placements, "placement", []string{string(phases.FirstTouch)}, "phases: policies that give nodes the pages that the program does not place, as a `list`: first-touch, interleaved")
			f.IntSliceVar(&perNode, "per-node", nil, "phases: numbers of processors of a node, as a `list`")
			f.Int64SliceVar(&delays, "delay", []int64{0, 1 << 10, 1 << 12, 1 << 14}, "phases: for how many `instructions` a block is waited for, as a list")
			f.StringSliceVar(&networks, "between", []string{string(phases.Ideal), string(phases.Bus), string(phases.Switch)}, "phases: what messages between nodes wait for, as a `list`: ideal (nothing), bus, switch")
			f.Float64Var(&right, "right", phases.DefaultRight, "phases: `part` of the delay of a block that messages without one take")
		},
		build: func(r *request) (analysis.Analysis, error) {
			sets, err := checkSets(sets)
			if err != nil {
				return nil, err
			}
			if window < 1 || window > 1<<40 {
				return nil, stage.Usage("--window: %d is not a number of instructions from 1 to %d", window, 1<<40)
			}
			size, err := unit.ParseBytes(block)
			if err != nil || !size.IsPowerOfTwo() || size > phases.Page {
				return nil, stage.Usage("--block: %q is not a power of two of bytes to %v", block, phases.Page)
			}
			if slices.ContainsFunc(perNode, func(n int) bool { return n < 1 }) {
				return nil, stage.Usage("--per-node: %v are not numbers of processors from 1", perNode)
			}
			a := &phases.Analysis{Lines: r.lines, Sets: sets, Window: unit.Instructions(window), Meta: r.meta, Block: size, PerNode: sorted(perNode)}
			for _, p := range sorted(placements) {
				if !slices.Contains(phases.Placements, phases.Placement(p)) {
					return nil, stage.Usage("--placement: %q is not one of %v", p, phases.Placements)
				}
				a.Placements = append(a.Placements, phases.Placement(p))
			}
			for _, n := range sorted(networks) {
				if !slices.Contains(phases.Networks, phases.Network(n)) {
					return nil, stage.Usage("--between: %q is not one of %v", n, phases.Networks)
				}
				a.Networks = append(a.Networks, phases.Network(n))
			}
			for _, d := range sorted(delays) {
				if d < 0 || d > int64(phases.MaxDelay) {
					return nil, stage.Usage("--delay: %d is not a number of instructions from 0 to %d", d, phases.MaxDelay)
				}
				a.Delays = append(a.Delays, unit.Instructions(d))
			}
			if !(right >= 0 && right <= 1) {
				return nil, stage.Usage("--right: %v is not a part from 0 to 1", right)
			}
			a.Right = right
			if len(perNode) > 0 && (len(placements) == 0 || len(delays) == 0 || len(networks) == 0) {
				return nil, stage.Usage("--per-node needs a --placement, a network --between nodes and a --delay")
			}
			return a, nil
		}}
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
held by others. That decides how often a block moves that several nodes store to, and who gets locks:
  traffic         by per_node, placement, network, delay, proc, phase, window, kind, and the nodes from and to:
    count                    messages with a block (kind block) and without (right: rights to store, and invalidations);
                             accesses to blocks that the node had not (fetch), of these those that another than the home had
                             alone (recall), and stores to blocks that others had too (upgrade); instructions for which it
                             waited at locks and flags, each use of a block being one more (wait)
`
