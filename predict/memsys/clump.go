package memsys

import "spoor/calibrate/machine"

// CLUMP is a cluster of symmetric multiprocessors with shared memory in software [du2000, sec. 4.1]. Within
// a node all is as in an [SMP]. Between nodes, memory is kept coherent in blocks of many lines, by a
// directory at each block's home, which is the node whose memory has it to begin with:
//
//   - uncached: no other node has the block. The home may load and store.
//   - shared: other nodes have copies. All of them and the home may load.
//   - exclusive: one other node has the block, and may load and store. The home's copy is stale.
//
// A miss or an upgrade whose node has the block, with the right that it needs, costs what it costs in an SMP.
// Otherwise the node gets the block or the right first, and then that access follows:
//
//   - A block at its home: one access to the home's memory, and one message with the block to the node that wants
//     it.
//   - A block that another node has exclusive: an access to that node's memory and a message with the
//     block to the home; from there on as before, unless it is the home that wants it. After a load, both nodes have
//     copies and the home's is current; after a store, the other node has none.
//   - A store to a shared block: an invalidation, which is a message without a block, from the home to each
//     other node with a copy, while the home sends the block, or without it the right, as another such message. The store
//     is done when all of these are.
//
// As in all targets, caches change at the moment of the request. Who wants a block, or wants to take one away, that is on its way to a node
// waits there until it has come, which is contention.
//
// An access to memory and an invalidation hold the bus of the node's memory as lines and upgrades
// do in an SMP, Memory.Occupancy and Memory.Invalidate, whatever the size of a block. Modified lines in a
// node's caches go with the block; copies of its lines are taken away with it.
//
// A node's memory holds as many blocks as fit, its own and copies, least recently used by its caches'
// misses and by other nodes out first. A copy that is pushed out is dropped; if it was exclusive, it is
// written back to its home by a message that nobody waits for. A block that its home pushes out goes to the home's
// disk, and comes from there when it is wanted: what fits into no memory is on disk. The disk
// serves one block at a time. Without a disk, memories hold everything.
//
// Differs: [du2000] says of the protocol no more than that it has these states, and blocks of 256 bytes. There are
// no messages for requests and acknowledgements: the access times that are known for its machines have room
// for one message with a block, and for two if another node has it exclusive. The first use of a block never costs
// a disk access: the program's data are in memory when it starts, as far as they fit.
type CLUMP struct{}

var _ Target = CLUMP{}

// Name is "clump".
func (CLUMP) Name() string { return string(machine.CLUMP) }

// New is a cluster of SMPs with empty caches.
func (CLUMP) New(c Config) (System, error) { return newCluster(c) }
