package phases

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/lookup"
	"spoor/traces/unit"
)

//go:embed help.txt
var helpText string

//go:embed per-node.txt
var nodesHelp string

//go:embed tables.txt
var tablesText string

// options are what is counted of coherent caches, and of the traffic between nodes.
type options struct {
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
	node       string
	networks   []string
}

// Names of flags of --per-node.
const nodesFlag, networkFlag, controlFlag, missFlag, waysFlag, nodeFlag = "per-node", "node-network", "control-delay", "node-miss", "node-ways", "node"

// Kind describes the analysis.
func Kind() *kind.Kind {
	o := &options{}
	return &kind.Kind{Name: "phases", Help: helpText, Tables: tablesText,
		Topics:  []kind.Topic{{Name: "per-node", Help: nodesHelp, Needing: nodesFlag}},
		PerProc: 60 << 10,
		Shares:  []string{"refs", "line"},
		Needs: map[string]string{"block": nodesFlag, "placement": nodesFlag, "delay": nodesFlag, networkFlag: nodesFlag, "latency": nodesFlag,
			controlFlag: nodesFlag, missFlag: nodesFlag, waysFlag: nodesFlag, nodeFlag: nodesFlag},
		Renamed: map[string]string{"between": networkFlag, "right": controlFlag, "miss": missFlag, "ways": waysFlag},
		Values:  map[string][]string{networkFlag: kind.Texts(networks), "placement": kind.Texts(placements)},
		Flags:   o.add,
		Build:   o.build}
}

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

func (o *options) add(f *pflag.FlagSet) {
	f.Int64SliceVar(&o.sets, "sets", []int64{2048, 4096}, "numbers of sets of the caches, as a `list` of powers of two; the first is that of --per-node")
	o.window = fromOne(defaultWindow)
	f.Var(&o.window, "window", "length of a window in `instructions`; doubled until there are few enough windows")
	f.StringVar(&o.block, "block", "256B", "`size` of the blocks that nodes share in software")
	f.StringSliceVar(&o.placements, "placement", []string{string(FirstTouch)}, "placement of pages that the program does not place, as a `list`: first-touch, interleaved")
	f.IntSliceVar(&o.perNode, "per-node", nil, "also count traffic between nodes with these numbers of processors, a `list` (see 'analyze help per-node')")
	f.Int64SliceVar(&o.delays, "delay", []int64{0, 1 << 10, 1 << 12, 1 << 14}, "time until a requested block arrives, a list of `instructions`")
	f.StringSliceVar(&o.networks, networkFlag, []string{string(Ideal), string(Bus), string(Switch)}, "networks between nodes, as a `list`: ideal (messages never wait), bus, switch")
	f.Int64Var(&o.miss, missFlag, 50, "time of a miss within a node, and of an access to its memory by another node, in `instructions`; 0: do not count a node of all processors")
	f.IntVar(&o.ways, waysFlag, 2, "`ways` of the caches in nodes; their sets are the first of --sets, their lines the smallest of --line")
	f.StringVar(&o.node, nodeFlag, "", "the node itself in place of --node-miss and --node-ways, as `values` (see 'analyze help per-node')")
	f.Int64Var(&o.latency, "latency", 0, "part of each message's delay, in `instructions`, during which it does not occupy the network")
	f.Float64Var(&o.right, controlFlag, DefaultRight, "delay of a message without a block, as a `part` of the delay of a block; both without --latency")
}

func (o *options) build(r *kind.Request) (analysis.Analysis, error) {
	if err := checkSets(o.sets); err != nil {
		return nil, err
	}
	if o.window < 1 || o.window > 1<<40 {
		return nil, fmt.Errorf("--window: %d is not a number of instructions from 1 to %d", o.window, 1<<40)
	}
	a := &Analysis{Lines: r.Lines, Refs: r.Refs, Sets: kind.Sorted(o.sets), Window: unit.Instructions(o.window), Meta: r.Meta}
	return a, o.nodes(a, r)
}

// nodes sets the parameters of --per-node.
func (o *options) nodes(a *Analysis, r *kind.Request) (err error) {
	if a.Block, err = unit.ParseBytes(o.block); err != nil || !a.Block.IsPowerOfTwo() || a.Block > Page {
		return fmt.Errorf("--block: %q is not a power of two of at most %v", o.block, Page)
	}
	if slices.ContainsFunc(o.perNode, func(n int) bool { return n < 1 }) {
		return fmt.Errorf("--per-node: %v are not numbers of processors; each must be at least 1", o.perNode)
	}
	a.PerNode = kind.Sorted(o.perNode)
	if a.Placements, err = named("--placement", o.placements, placements); err != nil {
		return err
	}
	if a.Networks, err = named("--"+networkFlag, o.networks, networks); err != nil {
		return err
	}
	for _, d := range kind.Sorted(o.delays) {
		if d < 0 || d > int64(maxDelay) {
			return fmt.Errorf("--delay: %d is not a number of instructions from 0 to %d", d, maxDelay)
		}
		a.Delays = append(a.Delays, unit.Instructions(d))
	}
	if a.Latency = unit.Instructions(o.latency); o.latency < 0 || a.Latency > maxDelay {
		return fmt.Errorf("--latency: %d is not a number of instructions from 0 to %d", o.latency, maxDelay)
	}
	if a.Right = o.right; !(a.Right >= 0 && a.Right <= 1) {
		return fmt.Errorf("--control-delay: %v is not a part from 0 to 1", a.Right)
	}
	if o.miss < 0 || o.miss > int64(maxDelay) {
		return fmt.Errorf("--node-miss: %d is not a number of instructions from 0 to %d", o.miss, maxDelay)
	}
	if o.ways < 1 || o.ways > MaxWays {
		return fmt.Errorf("--node-ways: %d is not a number of ways from 1 to %d", o.ways, MaxWays)
	}
	a.NodeCaches = NodeCaches{Miss: unit.Instructions(o.miss), Sets: o.sets[0], Ways: o.ways, Line: min(a.Lines[0], a.Block)}
	if err := checkNodes(a); err != nil || o.node == "" {
		return err
	}
	return o.describeNode(a, r)
}

// describeNode sets the description of nodes.
func (o *options) describeNode(a *Analysis, r *kind.Request) (err error) {
	switch {
	case r.Flags.Changed(missFlag) || r.Flags.Changed(waysFlag):
		return fmt.Errorf("--%s has the caches and the time of misses; omit --%s and --%s", nodeFlag, missFlag, waysFlag)
	case r.Events == nil:
		return fmt.Errorf("--%s needs the events of the trace", nodeFlag)
	}
	if a.Node, err = ParseNode(o.node); err != nil {
		return fmt.Errorf("--%s: %w", nodeFlag, err)
	}
	if a.Node.Shared.Sets > 0 && slices.ContainsFunc(a.PerNode, func(n int) bool { return n < r.Header.Procs }) {
		return fmt.Errorf("--%s: a shared cache is for a node of all processors, and --%s has smaller nodes", nodeFlag, nodesFlag)
	}
	a.NodeCaches = NodeCaches{Line: a.NodeCaches.Line}
	a.Forked, err = ForkedProcs(r.Events)
	return err
}

// checkNodes says which of the flags of nodes do not suit each other.
func checkNodes(a *Analysis) error {
	switch {
	case len(a.PerNode) == 0:
		return nil
	case a.NodeCaches.Line < minNodeLine:
		return fmt.Errorf("--per-node: the caches of nodes have lines of at least %v, not %v; change --line or --block", minNodeLine, a.NodeCaches.Line)
	case len(a.Placements) == 0 || len(a.Delays) == 0 || len(a.Networks) == 0:
		return fmt.Errorf("--per-node needs at least one --placement, --node-network and --delay")
	}
	return nil
}

// named parses the values of a flag. Each must be one of all.
func named[T ~string](flag string, values []string, all []T) (list []T, err error) {
	for _, v := range kind.Sorted(values) {
		if !slices.Contains(all, T(v)) {
			return nil, fmt.Errorf("%s: %w", flag, lookup.Unknown("value", v, kind.Texts(all)))
		}
		list = append(list, T(v))
	}
	return list, nil
}

func checkSets(sets []int64) error {
	if len(sets) == 0 {
		return fmt.Errorf("--sets: no number of sets")
	}
	for _, n := range sets {
		if n < 1 || n > maxSets || n&(n-1) != 0 {
			return fmt.Errorf("--sets: %d is not a power of two from 1 to %d", n, maxSets)
		}
	}
	return nil
}
