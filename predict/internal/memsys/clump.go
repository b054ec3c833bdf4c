package memsys

import (
	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/touch"
)

// CLUMP is a cluster of symmetric multiprocessors with shared memory in software [du2000, sec. 4.1]. A node behaves
// like an [SMP]. Between nodes, memory is kept coherent in blocks of many lines, by a directory at each block's home.
// The home is the node whose memory first has the block.
//
//   - uncached: no other node has the block. The home may load and store.
//   - shared: other nodes have copies. All of them and the home may load.
//   - exclusive: one other node has the block, and may load and store. The home's copy is stale.
//
// If the node has the block with the needed permission, a miss or an upgrade costs the same as in an SMP. Otherwise
// the node first gets the block or the permission, and then that access follows:
//
//   - If the block is at its home: one access to the home's memory, and one message with the block to the requesting
//     node.
//   - If another node has the block exclusive: an access to that node's memory and a message with the block to the
//     home. Then the previous case follows, unless the home itself is the requester. After a load, both nodes have
//     copies and the home's is current. After a store, the other node has none.
//   - For a store to a shared block: the home sends an invalidation, which is a message without a block, to each
//     other node with a copy. At the same time it sends the block to the requester, or only the permission as another
//     such message. The store is done when all of these are done.
//
// As in all targets, caches change at the moment of the request. If a block is still on its way to a node, a request
// for it, or an invalidation of it, waits at that node until the block has arrived. This wait is contention.
//
// An access to memory holds the bus of the node's memory for Memory.Occupancy, and an invalidation for
// Memory.Invalidate, as lines and upgrades do in an SMP. The times do not depend on the size of a block. Modified
// lines in a node's caches are sent with the block. Copies of its lines are invalidated with it.
//
// A node's memory holds as many blocks as fit, its own and copies. The least recently used block is evicted; uses are
// misses of the node's caches and accesses by other nodes. An evicted shared copy is dropped. An evicted exclusive
// block is written back to its home by a posted message. A block that its home evicts goes to the home's disk, and is
// read from there when it is needed: disks hold what fits into no memory. A disk serves one block at a time. Without
// a disk, memories have unlimited capacity.
//
// Differs: [du2000] describes only these states and blocks of 256 bytes. There are no messages for requests and
// acknowledgements. The known access times of its machines have room for one message with a block, and for two if
// another node has it exclusive. The first use of a block never costs a disk access: the program's data are in memory
// when it starts, as far as they fit.
type CLUMP struct{}

var _ Target = CLUMP{}

// Name returns "clump".
func (CLUMP) Name() string { return string(machine.CLUMP) }

// New returns a cluster of SMPs with empty caches.
func (CLUMP) New(c Config) (touch.System, error) { return newCluster(c) }
