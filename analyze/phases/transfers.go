package phases

import "spoor/traces/unit"

// Placement determines the node that holds a page if the program does not place the page.
type Placement string

// The placements, as in machine files.
const (
	FirstTouch  Placement = "first-touch"
	Interleaved Placement = "interleaved"
)

// placements lists all placements.
var placements = []Placement{FirstTouch, Interleaved}

// Page is the unit of placement, and the maximum block size.
const Page = unit.Bytes(4 << 10)

// traffic is a kind of request or message, with its nodes.
type traffic struct {
	kind     transfer
	from, to int32 // nodes; -1: none
}

// transfer is the kind of a traffic count. Kinds are ordered by name.
type transfer uint8

const (
	blockTransfer     transfer = 1 + iota // messages with a block
	claimTransfer                         // no messages: stores to lines that the processor had, but perhaps also others of its node
	fetchTransfer                         // accesses to blocks that the node did not have, fetched from the home
	latencyTransfer                       // no messages: instructions for which a processor waits for caches, memories and messages, without waits for others
	memoryTransfer                        // no messages: misses that go to memory
	missTransfer                          // no messages: misses of a processor's cache
	queueTransfer                         // no messages: instructions for which a processor waits for networks, buses of other nodes and blocks in transit
	recallTransfer                        // fetches of blocks that only one node, not the home, had
	rightTransfer                         // messages without a block: rights to store, and invalidations
	upgradeTransfer                       // stores to blocks that the node had, but also others
	waitTransfer                          // no messages: instructions for which a processor waits for others at locks and flags
	writebackTransfer                     // no messages: write-backs of lines that misses evict
)

var transferNames = [...]string{blockTransfer: "block", claimTransfer: "claim", fetchTransfer: "fetch", latencyTransfer: "latency", memoryTransfer: "memory", missTransfer: "miss",
	queueTransfer: "queue", recallTransfer: "recall", rightTransfer: "right", upgradeTransfer: "upgrade", waitTransfer: "wait", writebackTransfer: "writeback"}
