package phases

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"spoor/traces/unit"
)

// Node describes the processors, caches and memory of a node. Times are in instructions.
type Node struct {
	Caches      []NodeCache // private ones, nearest first, each with the lines of those before it
	Shared      NodeCache   // of all processors; without sets there is none
	Hit         float64     // time that an access adds to its instruction
	Miss        float64     // of an access to memory, beyond all caches
	Hold        float64     // for which that holds the bus, as does a line that is written back
	Upgrade     float64     // of a store to a line that other caches may have, for which it holds the bus if no cache is shared
	Outstanding int         // most misses in flight; 0: a processor waits for each
	Window      float64     // time for which a processor goes on behind a miss
	Exclusive   bool        // the protocol has an exclusive clean state
	Owned       bool        // a cache that supplies a modified line to a load stays responsible for it
}

// NodeCache is a cache. Time is that of a hit, beyond the caches before it.
type NodeCache struct {
	Sets int64
	Ways int
	Time float64
}

// ticks is the number of units of an instruction in which orders of a [Node] have their times.
const ticks = 256

// maxNodeWays and maxNodeTime bound the caches and times of a node.
const (
	maxNodeWays = 1 << 20
	maxNodeTime = 1 << 30
)

// ParseNode reads the description of a node: values such as cache=64x8:0,cache=1024x16:28,miss=540.
func ParseNode(text string) (*Node, error) {
	n := &Node{Hit: 1, Hold: -1, Upgrade: -1}
	seen := map[string]bool{"cache": false}
	for _, part := range strings.Split(text, ",") {
		key, value, found := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case !found:
			return nil, fmt.Errorf("%q is not KEY=VALUE", part)
		case seen[key]:
			return nil, fmt.Errorf("%s is given twice", key)
		}
		seen[key] = key != "cache"
		if err := n.set(key, value); err != nil {
			return nil, fmt.Errorf("%s: %w", part, err)
		}
	}
	switch {
	case len(n.Caches) == 0:
		return nil, fmt.Errorf("%q has no cache; give cache=SETSxWAYS", text)
	case n.Miss == 0:
		return nil, fmt.Errorf("%q has no miss; give the time of a miss in instructions", text)
	case n.Window > 0 && n.Outstanding == 0:
		return nil, fmt.Errorf("%q has a window, which needs outstanding", text)
	}
	if n.Hold < 0 {
		n.Hold = n.Miss
	}
	if n.Upgrade < 0 {
		n.Upgrade = n.Miss
	}
	return n, nil
}

// set reads one value.
func (n *Node) set(key, value string) (err error) {
	switch key {
	case "cache":
		c, err := parseNodeCache(value)
		n.Caches = append(n.Caches, c)
		return err
	case "shared":
		n.Shared, err = parseNodeCache(value)
		return err
	case "outstanding":
		n.Outstanding, err = strconv.Atoi(value)
		if err != nil || n.Outstanding < 0 {
			return fmt.Errorf("not a number of misses")
		}
		return nil
	case "exclusive":
		n.Exclusive, err = parseTruth(value)
		return err
	case "owned":
		n.Owned, err = parseTruth(value)
		return err
	}
	times := map[string]*float64{"hit": &n.Hit, "miss": &n.Miss, "hold": &n.Hold, "upgrade": &n.Upgrade, "window": &n.Window}
	to := times[key]
	if to == nil {
		return fmt.Errorf("there is no %s; keys are cache, shared, hit, miss, hold, upgrade, outstanding, window, exclusive and owned", key)
	}
	*to, err = parseNodeTime(value)
	return err
}

func parseTruth(text string) (bool, error) {
	is, err := strconv.ParseBool(text)
	if err != nil {
		return false, errors.New("not true or false")
	}
	return is, nil
}

// parseNodeCache reads SETSxWAYS or SETSxWAYS:TIME.
func parseNodeCache(text string) (c NodeCache, err error) {
	shape, time, timed := strings.Cut(text, ":")
	sets, ways, found := strings.Cut(shape, "x")
	if timed {
		if c.Time, err = parseNodeTime(time); err != nil {
			return c, err
		}
	}
	var err1, err2 error
	c.Sets, err1 = strconv.ParseInt(sets, 10, 64)
	c.Ways, err2 = strconv.Atoi(ways)
	if !found || err1 != nil || err2 != nil || c.Sets < 1 || c.Sets > maxSets || c.Sets&(c.Sets-1) != 0 || c.Ways < 1 || c.Ways > maxNodeWays {
		return c, fmt.Errorf("not SETSxWAYS, with a power of two up to %d and up to %d ways", maxSets, maxNodeWays)
	}
	return c, nil
}

func parseNodeTime(text string) (float64, error) {
	t, err := strconv.ParseFloat(text, 64)
	if err != nil || !(t >= 0 && t <= maxNodeTime) {
		return 0, fmt.Errorf("not a time from 0 to %d instructions", maxNodeTime)
	}
	return t, nil
}

// String returns the description that [ParseNode] reads.
func (n *Node) String() string {
	var b strings.Builder
	for _, c := range n.Caches {
		fmt.Fprintf(&b, "cache=%v,", c)
	}
	if n.Shared.Sets > 0 {
		fmt.Fprintf(&b, "shared=%v,", n.Shared)
	}
	fmt.Fprintf(&b, "hit=%v,miss=%v,hold=%v,upgrade=%v", timeText(n.Hit), timeText(n.Miss), timeText(n.Hold), timeText(n.Upgrade))
	if n.Outstanding > 0 {
		fmt.Fprintf(&b, ",outstanding=%d,window=%v", n.Outstanding, timeText(n.Window))
	}
	if n.Exclusive {
		b.WriteString(",exclusive=true")
	}
	if n.Owned {
		b.WriteString(",owned=true")
	}
	return b.String()
}

// String returns SETSxWAYS:TIME.
func (c NodeCache) String() string { return fmt.Sprintf("%dx%d:%s", c.Sets, c.Ways, timeText(c.Time)) }

// timeText returns a time with enough digits for [ticks].
func timeText(t float64) string {
	return strconv.FormatFloat(math.Round(t*1e4)/1e4, 'f', -1, 64)
}

// inTicks converts a time.
func inTicks(t float64) unit.Instructions { return unit.Instructions(math.Round(t * ticks)) }
