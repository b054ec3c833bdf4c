package analysis

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"spoor/traces/trace"
)

// pipeline carries the chunks of the interleaved order, which are short, to shards that look at
// them on goroutines of their own, many chunks at a time. That of a lone processor is its program order too, and who looks at that
// is fed by the same pipeline.
type pipeline struct {
	inputs  []chan *batch // by shard
	shards  []Shard       // those of the program order first
	program int           // how many those are
	rows    int           // of a batch
	longest int           // chunk that a batch begins with
	errs    []error
	at      []uint64 // by shard: the number of the chunk of its error
	free    chan *batch
	next    *batch
	chunks  uint64 // sent so far
	failed  atomic.Bool
	workers sync.WaitGroup
}

// batch is chunks that shards look at. The last of them gives it back.
type batch struct {
	space
	chunks    []Chunk
	program   []Chunk       // those of program order, if any shard looks at that
	events    []trace.Event // of the chunks
	useCaches []useCache    // of chunks that have references
	cached    int           // how many those are
	first     uint64        // number of the first chunk
	left      atomic.Int32  // shards that have not seen it
}

// How much a batch holds. A lone processor's chunks are long ones: shards have to come back to what they keep of lines less often.
const (
	batches     = 4
	batchRows   = 16 * pipelineRows
	loneRows    = 64 * pipelineRows
	batchChunks = 256
)

// newPipeline is a pipeline for shards of the interleaved order, and of the program order if there is but one processor.
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

// begin has the merger go on in the space of the next batch. Its first references may be a long chunk; the others are not, so that
// what is kept of each in turn stays small.
func (b *pipeline) begin(m *merger) {
	b.next = <-b.free
	m.use(b.next.space)
	m.rows = b.longest
}

// add puts on a chunk whose references are in the space of the next batch, and sends that
// if it is full: then the merger goes on in another space.
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

// inProgram is the chunk in the program order of the lone processor, whose first reference is said to be so many instructions after
// the one before.
func (p *Chunk) inProgram(first uint32) Chunk {
	own := *p
	own.Proc, own.RefProcs, own.Refs.Proc = 0, nil, 0
	if p.Refs.Len() > 0 && p.Refs.Instr[0] != first {
		own.Refs.Instr = slices.Clone(p.Refs.Instr)
		own.Refs.Instr[0] = first
	}
	return own
}

// stops reports whether the chunk merely says that a processor stops: that is none of program order.
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

// work has a shard look at all chunks.
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

// end sends what is left, waits until all shards have seen it, and ends them if nothing has failed and all is whole.
// The error is that of the earliest chunk, and of the first shard that fails there.
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
