package footprint

// processor holds the blocks that one processor uses.
type processor struct {
	stamps      []uint32 // by the processor's own place: the last window in which it is known to be used
	uses        []use    // by the processor's own place
	numbers     []uint32 // by own place / 16: place / 16 among the blocks of all processors
	lastBlock   uint64   // block of the latest use + 1; 0: in an earlier window
	counts      counts
	fills       []fill    // by shape
	stream      []uint64  // blocks used in the open window, without repetitions; only if simulated
	set         []uint64  // distinct blocks of the stream, by first use
	usePlaces   []uint32  // their places in uses
	lastUses    []lastUse // they by last use, if needed
	byLast      []uint64
	runs        [][2][]uint64 // by shape: blocks that its caches must see of the window, first and second part
	previousSet []uint64      // set of the processor's last window
}

// use is a block of memory, as one processor uses it.
type use struct {
	window uint64 // the last window in which the processor used it
	visits uint64 // number of these windows
	at     uint32 // position after its last use in the stream, if simulated
}
