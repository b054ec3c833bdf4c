package analysis

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"spoor/traces/trace"
)

// pipeline sends the chunks of the interleaved order to shards that run on goroutines of their own.
// These chunks are short; therefore it sends many in one batch. With a single processor, the same
// pipeline also feeds the shards of its program order.
type pipeline struct {
	inputs  []chan *batch // by shard
	shards  []Shard       // those of program order first
	program int           // number of shards of program order
	rows    int           // references in a batch
	longest int           // references in the first chunk of a batch
	errs    []error
	at      []uint64 // by shard: the number of the chunk that caused its error
	free    chan *batch
	next    *batch
	chunks  uint64 // sent so far
	failed  atomic.Bool
	workers sync.WaitGroup
}

// batch is a set of chunks. The last shard that has processed it returns it to the free list.
type batch struct {
	space
	chunks    []Chunk
	program   []Chunk       // the chunks in program order, if any shard needs them
	events    []trace.Event // of the chunks
	useCaches []useCache    // of chunks that have references
	cached    int           // number of useCaches in use
	first     uint64        // number of the first chunk
	left      atomic.Int32  // shards that have not processed the batch
}

// Sizes of a batch. A lone processor gets longer chunks: shards then reload their per-line state
// into the processor's caches less often.
const (
	batches     = 4
	batchRows   = 16 * pipelineRows
	loneRows    = 64 * pipelineRows
	batchChunks = 256
)

// newPipeline starts a pipeline for the shards of the interleaved order. If there is only one
// processor, it also feeds the shards of its program order.
func newPipeline(h trace.Header, interleaved, program []Shard) *pipeline {
	shards := slices.Concat(program, interleaved)
	b := &pipeline{shards: shards, program: len(program), rows: batchRows, longest: pipelineRows,
		errs: make([]error, len(shards)), at: make([]uint64, len(shards)), free: make(chan *batch, batches)}
	if h.Procs == 1 {
		b.rows, b.longest = loneRows, loneRows
	}
	for range batches {
		b.free <- &batch{space: newSpace(b.rows, h.HasPC), chunks: make([]Chunk, 0, batchChunks), events: make([]trace.Event, 0, batchChunks), useCaches: make([]useCache, batchChunks)}
	}
	for i := range shards {
		input := make(chan *batch, batches)
		b.inputs = append(b.inputs, input)
		b.workers.Go(func() { b.work(i, input) })
	}
	return b
}

// begin lets the merger continue in the memory of the next free batch. Only the first references of
// a batch may form a long chunk. The other chunks are short, so that the state of one shard stays
// in cache.
func (b *pipeline) begin(m *merger) {
	b.next = <-b.free
	m.use(b.next.space)
	m.rows = b.longest
}

// add appends a chunk whose references are already in the memory of the next batch. It sends the
// batch when it is full; the merger then continues in another one.
func (b *pipeline) add(m *merger, p *Chunk) {
	n := b.next
	n.chunks = append(n.chunks, *p)
	own := &n.chunks[len(n.chunks)-1]
	if p.useCache != nil {
		own.useCache = &n.useCaches[n.cached]
		own.useCache.numbers = p.useCache.numbers
		own.useCache.reset()
		n.cached++
		m.rows = pipelineRows
	}
	if p.Event != nil {
		n.events = append(n.events, *p.Event)
		own.Event = &n.events[len(n.events)-1]
		own.Event.Needs = slices.Clone(p.Event.Needs)
	}
	if b.program > 0 {
		n.program = append(n.program, own.inProgram(m.first))
	}
	if len(n.chunks) == batchChunks || m.merged+pipelineRows > b.rows {
		b.send()
		b.begin(m)
	}
}

// inProgram converts the chunk to the program order of the lone processor. Its first reference
// comes first instructions after the previous one.
func (p *Chunk) inProgram(first uint32) Chunk {
	own := *p
	own.Proc, own.RefProcs, own.Refs.Proc = 0, nil, 0
	if p.Refs.Len() > 0 && p.Refs.Instr[0] != first {
		own.Refs.Instr = slices.Clone(p.Refs.Instr)
		own.Refs.Instr[0] = first
	}
	return own
}

// stops reports whether the chunk only says that a processor stops. Program order has no such
// chunks.
func (p *Chunk) stops() bool { return p.Event == nil && p.Refs.Len() == 0 }

func (b *pipeline) send() {
	n := b.next
	n.first = b.chunks
	b.chunks += uint64(len(n.chunks))
	n.left.Store(int32(len(b.inputs)))
	for _, input := range b.inputs {
		input <- n
	}
}

// work feeds all chunks to one shard.
func (b *pipeline) work(i int, input <-chan *batch) {
	s := b.shards[i]
	for n := range input {
		chunks, program := n.chunks, i < b.program
		if program {
			chunks = n.program
		}
		for j := range chunks {
			if b.errs[i] != nil {
				break
			}
			if program && chunks[j].stops() {
				continue
			}
			if b.errs[i] = s.Add(&chunks[j]); b.errs[i] != nil {
				b.at[i] = n.first + uint64(j)
				b.failed.Store(true)
			}
		}
		if n.left.Add(-1) == 0 {
			n.chunks, n.program, n.events, n.cached = n.chunks[:0], n.program[:0], n.events[:0], 0
			b.free <- n
		}
	}
}

// end sends the last batch, waits until all shards have processed it, and ends them if the trace
// was read completely without an error. It returns the error of the earliest chunk, and of the
// first shard that failed there.
func (b *pipeline) end(whole bool) error {
	b.send()
	for _, input := range b.inputs {
		close(input)
	}
	b.workers.Wait()
	if whole && !b.failed.Load() {
		InParallel(len(b.shards), runtime.GOMAXPROCS(0), func(i int) { b.errs[i] = b.shards[i].End() })
	}
	first := -1
	for i, err := range b.errs {
		if err != nil && (first < 0 || b.at[i] < b.at[first]) {
			first = i
		}
	}
	if first < 0 {
		return nil
	}
	return b.errs[first]
}
