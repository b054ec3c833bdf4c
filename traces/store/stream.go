package store

import (
	"runtime"
	"sync/atomic"

	"spoor/traces/internal/outfile"
	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/trace"
)

// batch is a batch of rows that can be encoded.
type batch[B any] interface {
	comparable
	Len() int
	weight() int // rows, and needs, which take similar memory
	setProc(trace.Proc)
	reset()
	parts() []batchInfo // entries of its processors
	join(B) bool        // appends the rows of another batch; false if it cannot
	capacity() int      // rows for which it has memory
	expect(B)           // makes room for slightly more rows than another batch has
}

// stream is one file that is being written. Each processor has an unfinished batch of rows.
// Several goroutines encode full batches, and one writes them in the order in which they
// were completed.
type stream[B batch[B]] struct {
	path     string // final name
	f        *outfile.PartialFile
	out      container
	batches  []B // by processor
	buffered int // weight of batches
	most     int // limit of buffered
	fresh    func() B
	encode   func(B, *encoder) int // returns the rows of the columns
	encoder  func() *encoder

	spare spares[B]
	work  chan *job[B] // to the encoders
	order chan *job[B] // the same jobs, to the writer
	done  chan struct{}
	err   atomic.Pointer[error] // first error of the writer
}

// job is one batch that is being encoded and written.
type job[B batch[B]] struct {
	rows B
	e    *encoder // of which msg is part
	msg  []byte
	meta int
	done chan struct{}
}

// encoders returns the number of batches of a stream that are compressed at the same time. It
// does not affect the bytes.
func encoders() int { return min(runtime.GOMAXPROCS(0), 4) }

func newStream[B batch[B]](path string, s *arrowmeta.Schema, most int, fresh func() B, encode func(B, *encoder) int) (*stream[B], error) {
	f, err := outfile.CreatePartial(path, outfile.PartialSuffix)
	if err != nil {
		return nil, err
	}
	w := &stream[B]{path: path, f: f, out: container{w: f}, most: most, fresh: fresh, encode: encode, encoder: newEncoder}
	if err := w.out.begin(schemaMessage(s)); err != nil {
		w.abort()
		return nil, outfile.WriteError(path, err)
	}
	return w, nil
}

// start starts the goroutines, when the first batch is complete.
func (w *stream[B]) start() {
	// At most n jobs are in order, and the writer has one. With n+1 encoders, there is
	// always one for the job that must be written next.
	n := encoders()
	w.work, w.order, w.done = make(chan *job[B], n), make(chan *job[B], n), make(chan struct{})
	idle := make(chan *encoder, n+1)
	for range n + 1 {
		idle <- w.encoder()
	}
	for range n {
		go func() {
			for j := range w.work {
				j.e = <-idle
				j.e.begin()
				rows := w.encode(j.rows, j.e)
				j.msg, j.meta = j.e.finish(rows)
				close(j.done)
			}
		}()
	}
	go func() {
		defer close(w.done)
		for j := range w.order {
			<-j.done
			w.write(j)
			idle <- j.e
			w.spare.keep(j.rows, w.most)
		}
	}()
}

func (w *stream[B]) write(j *job[B]) {
	if w.failure() != nil {
		return
	}
	if err := w.out.batch(j.msg, j.meta, j.rows.parts()...); err != nil {
		err = outfile.WriteError(w.path, err)
		w.err.Store(&err)
	}
}

func (w *stream[B]) failure() error {
	if err := w.err.Load(); err != nil {
		return *err
	}
	return nil
}

// batch returns the unfinished batch of processor p.
func (w *stream[B]) batch(p trace.Proc) B {
	if int(p) >= len(w.batches) {
		w.batches = append(w.batches, make([]B, int(p)+1-len(w.batches))...)
	}
	var none B
	if w.batches[p] == none {
		b, found := w.spare.take()
		if !found {
			b = w.fresh()
			if p > 0 && w.batches[p-1] != none { // often they are alike
				b.expect(w.batches[p-1])
			}
		}
		w.batches[p] = b
		w.batches[p].setProc(p)
	}
	return w.batches[p]
}

// room is the weight that may be added before batches are submitted because there are too many rows.
func (w *stream[B]) room() int { return w.most - w.buffered }

// added records that weight n was added to the batch of p. It submits the batch if it is full,
// and the largest batches if there are too many rows.
func (w *stream[B]) added(p trace.Proc, n int, full bool) error {
	w.buffered += n
	if full {
		w.submit(p)
		return w.failure()
	}
	if w.buffered > w.most {
		w.submitLargest()
		return w.failure()
	}
	return nil
}

// submitLargest submits the batches that have at least half of the average weight. That frees
// more than half of the weight and keeps batches large.
func (w *stream[B]) submitLargest() {
	var none B
	count := 0
	for _, b := range w.batches {
		if b != none {
			count++
		}
	}
	w.submitFrom(w.buffered / count / 2)
}

// submit hands the batch of p to the encoders.
func (w *stream[B]) submit(p trace.Proc) { w.encodeRows(w.take(p)) }

// take removes the batch of p from the unfinished ones.
func (w *stream[B]) take(p trace.Proc) B {
	var none B
	b := w.batches[p]
	w.batches[p] = none
	w.buffered -= b.weight()
	return b
}

// joinedRows is the number of rows up to which batches of several processors are written as one. It is small, so that a reader of one
// processor decodes few rows of others.
const joinedRows = 1 << 15

// submitFrom submits the batches of at least a weight, and joins small ones.
func (w *stream[B]) submitFrom(least int) {
	var none, joined B
	for p, b := range w.batches {
		if b == none || b.Len() == 0 || b.weight() < least {
			continue
		}
		small := w.take(trace.Proc(p))
		if joined != none && joined.Len()+small.Len() <= joinedRows && joined.join(small) {
			w.spare.keep(small, w.most)
			continue
		}
		if joined != none {
			w.encodeRows(joined)
		}
		joined = small
	}
	if joined != none {
		w.encodeRows(joined)
	}
}

// encodeRows hands a batch to the encoders.
func (w *stream[B]) encodeRows(b B) {
	if w.order == nil {
		w.start()
	}
	j := &job[B]{rows: b, done: make(chan struct{})}
	w.order <- j
	w.work <- j
}

// flush submits all batches and waits until they are written.
func (w *stream[B]) flush() error {
	w.submitFrom(0)
	w.stop()
	return w.failure()
}

// stop ends the goroutines.
func (w *stream[B]) stop() {
	if w.order != nil {
		close(w.order)
		close(w.work)
		<-w.done
		w.order = nil
	}
}

// finish writes the remaining batches and the footer, and syncs the file to the disk.
func (w *stream[B]) finish(s *arrowmeta.Schema, extra ...arrowmeta.Pair) (digest string, err error) {
	if err := w.flush(); err != nil {
		return "", err
	}
	digest, err = w.out.end(s, extra...)
	if err == nil {
		err = w.f.Sync()
	}
	if closeErr := w.f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", outfile.WriteError(w.path, err)
	}
	return digest, nil
}

// abort removes the unfinished file.
func (w *stream[B]) abort() {
	w.stop()
	w.f.Close()
	_ = w.f.Remove()
	w.f.Release()
}
