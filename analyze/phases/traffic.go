package phases

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// trafficRow counts requests of a processor to other nodes in one window.
type trafficRow struct {
	proc                   int32
	phase, window, perNode int64
	placement              Placement
	network                Network
	delay                  unit.Instructions
	traffic
	count uint64
}

type trafficRows []trafficRow

func (a *trafficRow) compare(b *trafficRow) int {
	return cmp.Or(cmp.Compare(a.perNode, b.perNode), cmp.Compare(a.placement, b.placement), cmp.Compare(a.network, b.network), cmp.Compare(a.delay, b.delay), cmp.Compare(a.proc, b.proc), cmp.Compare(a.phase, b.phase), cmp.Compare(a.window, b.window),
		cmp.Compare(a.kind, b.kind), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
}

// join sorts rows and adds the counts of rows with equal keys.
func (r trafficRows) join() trafficRows {
	slices.SortFunc(r, func(a, b trafficRow) int { return a.compare(&b) })
	out := r[:0]
	for _, x := range r {
		if last := len(out) - 1; last >= 0 && out[last].compare(&x) == 0 {
			out[last].count += x.count
			continue
		}
		out = append(out, x)
	}
	return out
}

// maxTrafficRows is the maximum number of rows of a table.
const maxTrafficRows = 14_000_000

// limit joins rows if there are half as many more than the maximum. It returns an error if too many are left.
func (r trafficRows) limit(most int) (trafficRows, error) {
	if len(r) <= most+most/2 {
		return r, nil
	}
	if r = r.join(); len(r) > most {
		return nil, fmt.Errorf("phases: the traffic table would have more than %d rows; use larger nodes (--per-node), longer windows (--window), or fewer networks, placements and delays at once (--node-network, --placement, --delay)", most)
	}
	return r, nil
}

// The facts of a traffic table: what was counted. A trace without traffic has no rows with these values.
const (
	blockFact     = "block"
	perNodeFact   = "processors of a node"
	placementFact = "placement"
	networkFact   = "network"
	delayFact     = "delay"
	latencyFact   = "latency"
	rightFact     = "delay of rights"
	missFact      = "time of misses"
	nodeFact      = "node"
	movesFact     = "prefetches and flushes" // ignored, or empty without any
	cacheFact     = "caches of misses"       // sets, ways, and bytes of a line
)

func (r trafficRows) table(meta []trace.Arg) *store.Table {
	ints := func(of func(*trafficRow) int64) []int64 {
		out := make([]int64, len(r))
		for i := range r {
			out[i] = of(&r[i])
		}
		return out
	}
	proc, from, to := make([]int32, len(r)), make([]int32, len(r)), make([]int32, len(r))
	placement, network, kind, count := make([]string, len(r)), make([]string, len(r)), make([]string, len(r)), make([]uint64, len(r))
	for i, x := range r {
		proc[i], from[i], to[i], placement[i], network[i], kind[i], count[i] = x.proc, x.from, x.to, string(x.placement), string(x.network), transferNames[x.kind], x.count
	}
	return &store.Table{Name: "traffic", Meta: meta, Columns: []store.Column{
		{Name: "per_node", Data: ints(func(x *trafficRow) int64 { return x.perNode })},
		{Name: "placement", Data: placement},
		{Name: "network", Data: network},
		{Name: "delay", Unit: "instr", Data: ints(func(x *trafficRow) int64 { return int64(x.delay) })},
		{Name: "proc", Data: proc},
		{Name: "phase", Data: ints(func(x *trafficRow) int64 { return x.phase })},
		{Name: "window", Data: ints(func(x *trafficRow) int64 { return x.window })},
		{Name: "kind", Data: kind}, {Name: "from", Data: from}, {Name: "to", Data: to}, {Name: "count", Data: count},
	}}
}

// Traffic holds the requests of one processor to other nodes in one window, with shared memory in software
// between nodes.
type Traffic struct {
	Fetches                    uint64    // of blocks that its node did not have
	Recalls                    uint64    // fetches of blocks that only one node, not the home, had
	Upgrades                   uint64    // stores to blocks that its node had, but also others
	Misses, Claims, Writebacks uint64    // of a single node, or in the time of a [Node]: cache misses, stores to lines that the cache had but perhaps also others, and evicted modified lines
	Memory                     uint64    // of a single node: misses that go to memory
	Latency                    uint64    // instructions for which it waited for caches, memories and messages if nobody else does anything; only with a [Node]
	Waits                      uint64    // instructions for which it waited for others at locks and flags; each use of a block counts as one more instruction
	Queues                     uint64    // instructions for which it waited for the network, buses of other nodes and blocks in transit
	Messages                   []Message // by From and To
}

// Message counts the messages from one node to another.
type Message struct {
	From, To       int
	Blocks, Rights uint64 // with a block, and without: rights to store, and invalidations
}

// TrafficProfile is a traffic table for one block size, number of processors of a node, placement and
// network.
type TrafficProfile struct {
	Delays     []unit.Instructions // of blocks, for which traffic was counted, ascending
	Latency    unit.Instructions   // part of the delay of each message for which it does not hold the network
	Right      float64             // share of the rest of the delay that a message without a block takes
	NodeCaches                     // caches of the order
	Node       string              // the [Node] of the order and its lines; empty: none
	byDelay    []map[windowKey]*Traffic
}

type windowKey struct {
	proc          trace.Proc
	phase, window int64
}

// LoadTraffic reads a traffic table. If requested counts are missing, the error says how to get them.
func LoadTraffic(from store.TableSource, block unit.Bytes, perNode int, placement Placement, network Network) (*TrafficProfile, error) {
	t := from.Head()
	if t.Name != "traffic" {
		return nil, fmt.Errorf("a %s table, not a traffic table", t.Name)
	}
	if have := t.Fact(blockFact); have != fmt.Sprint(int64(block)) {
		return nil, fmt.Errorf("the traffic table is of blocks of %s bytes; run analyze with --block %v", have, block)
	}
	if have := splitList(t.Fact(perNodeFact)); !slices.Contains(have, fmt.Sprint(perNode)) {
		return nil, fmt.Errorf("the traffic table is of nodes of %s processors; run analyze with --per-node %d", t.Fact(perNodeFact), perNode)
	}
	if have := splitList(t.Fact(placementFact)); !slices.Contains(have, string(placement)) {
		return nil, fmt.Errorf("the traffic table is of placement %s; run analyze with --placement %s", t.Fact(placementFact), placement)
	}
	if have := splitList(t.Fact(networkFact)); !slices.Contains(have, string(network)) {
		return nil, fmt.Errorf("the traffic table is of networks %q, not %s; run analyze with --node-network %s", t.Fact(networkFact), network, network)
	}
	out := &TrafficProfile{}
	if err := out.readDelays(t.Fact(delayFact)); err != nil {
		return nil, err
	}
	var err error
	if out.Right, err = strconv.ParseFloat(t.Fact(rightFact), 64); err != nil || !(out.Right >= 0 && out.Right <= 1) {
		return nil, fmt.Errorf("the traffic table has %q as delay of messages without a block, not a share from 0 to 1; run analyze again", t.Fact(rightFact))
	}
	latency, err := strconv.ParseUint(cmp.Or(t.Fact(latencyFact), "0"), 10, 64)
	if out.Latency = unit.Instructions(latency); err != nil {
		return nil, fmt.Errorf("the traffic table has %q as latency of messages, not a number of instructions; run analyze again", t.Fact(latencyFact))
	}
	if err := out.readFacts(t); err != nil {
		return nil, err
	}
	err = eachTraffic(from, func(x *trafficRow) error {
		if x.perNode != int64(perNode) || x.placement != placement || x.network != network && x.delay > 0 {
			return nil
		}
		i, found := slices.BinarySearch(out.Delays, x.delay)
		if !found {
			return fmt.Errorf("the traffic table has rows of delay %d, but its list of delays does not contain it", x.delay)
		}
		out.addRow(i, x)
		return nil
	})
	return out, err
}

func (t *TrafficProfile) readDelays(fact string) error {
	for _, text := range splitList(fact) {
		d, err := strconv.ParseUint(text, 10, 64)
		if n := len(t.Delays); err != nil || n > 0 && t.Delays[n-1] >= unit.Instructions(d) {
			return fmt.Errorf("the traffic table's delays are %q, not an ascending list of numbers of instructions; run analyze again", fact)
		}
		t.Delays = append(t.Delays, unit.Instructions(d))
		t.byDelay = append(t.byDelay, map[windowKey]*Traffic{})
	}
	return nil
}

// addRow adds a row of the i-th delay.
func (t *TrafficProfile) addRow(i int, x *trafficRow) {
	at := windowKey{trace.Proc(x.proc), x.phase, x.window}
	if t.byDelay[i][at] == nil {
		t.byDelay[i][at] = &Traffic{}
	}
	t.byDelay[i][at].add(x)
}

// add adds a row. Rows are sorted by kind, from and to.
func (t *Traffic) add(x *trafficRow) {
	switch x.kind {
	case fetchTransfer:
		t.Fetches += x.count
		return
	case recallTransfer:
		t.Recalls += x.count
		return
	case upgradeTransfer:
		t.Upgrades += x.count
		return
	case waitTransfer:
		t.Waits += x.count
		return
	case queueTransfer:
		t.Queues += x.count
		return
	case latencyTransfer:
		t.Latency += x.count
		return
	case memoryTransfer:
		t.Memory += x.count
		return
	case missTransfer:
		t.Misses += x.count
		return
	case claimTransfer:
		t.Claims += x.count
		return
	case writebackTransfer:
		t.Writebacks += x.count
		return
	}
	m := Message{From: int(x.from), To: int(x.to)}
	i, found := slices.BinarySearchFunc(t.Messages, m, func(a, b Message) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	if !found {
		t.Messages = slices.Insert(t.Messages, i, m)
	}
	if x.kind == blockTransfer {
		t.Messages[i].Blocks += x.count
	} else {
		t.Messages[i].Rights += x.count
	}
}

// Window returns the requests of p in a window of a phase, by its number, with one of the Delays.
func (t *TrafficProfile) Window(p trace.Proc, phase int, number int64, delay int) Traffic {
	if found := t.byDelay[delay][windowKey{p, int64(phase), number}]; found != nil {
		return *found
	}
	return Traffic{}
}

// eachTraffic calls use for each valid row of a traffic table, until use fails.
func eachTraffic(t store.TableSource, use func(*trafficRow) error) error {
	return eachBatch(t, func(batch *store.Table, first int) error { return eachTrafficOfBatch(batch, first, use) })
}

func eachTrafficOfBatch(t *store.Table, first int, use func(*trafficRow) error) error {
	placement, err1 := store.Data[string](t, "placement")
	delay, err10 := store.Data[int64](t, "delay")
	perNode, err2 := store.Data[int64](t, "per_node")
	proc, err3 := store.Data[int32](t, "proc")
	phase, err4 := store.Data[int64](t, "phase")
	at, err5 := store.Data[int64](t, "window")
	kinds, err6 := store.Data[string](t, "kind")
	from, err7 := store.Data[int32](t, "from")
	to, err8 := store.Data[int32](t, "to")
	count, err9 := store.Data[uint64](t, "count")
	network, err11 := store.Data[string](t, "network")
	for _, err := range []error{err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11} {
		if err != nil {
			return err
		}
	}
	for i := range proc {
		kind := transfer(max(0, slices.Index(transferNames[:], kinds[i])))
		if kind == 0 || kinds[i] == "" || proc[i] < 0 || phase[i] < 0 || phase[i] > math.MaxInt32 || at[i] < 0 || from[i] < 0 || to[i] < 0 {
			return fmt.Errorf("row %d of the traffic table: %q from %d to %d by processor %d is impossible", first+i, kinds[i], from[i], to[i], proc[i])
		}
		x := trafficRow{proc[i], phase[i], at[i], perNode[i], Placement(placement[i]), Network(network[i]), unit.Instructions(delay[i]), traffic{kind, from[i], to[i]}, count[i]}
		if err := use(&x); err != nil {
			return err
		}
	}
	return nil
}
