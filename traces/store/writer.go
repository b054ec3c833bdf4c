package store

import (
	"errors"
	"fmt"
	"math"

	"spoor/traces/internal/outfile"
	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/trace"
)

const (
	// batchRows is the number of rows of a full batch.
	batchRows = 1 << 18
	// maxProcs is the most processors of a trace.
	maxProcs = 1 << 20
	// maxRefs and maxEvents bound the rows in unfinished batches of all
	// processors, to about 100 MB each.
	maxRefs   = 16 * batchRows
	maxEvents = 4 * batchRows
	// needsPerBatch is the number of needs that completes a batch of events.
	// maxEventNeeds is the most needs of one event.
	needsPerBatch = 1 << 18
	maxEventNeeds = 1 << 20
	maxNeeds      = needsPerBatch + maxEventNeeds
)

// Writer writes PREFIX.refs.arrow and PREFIX.events.arrow. Both appear when Close succeeds.
// Until then their names end in .partial. A Writer is not safe for concurrent use. It
// compresses on other goroutines, but the bytes depend only on the order of the calls.
type Writer struct {
	head    trace.Header
	limit   trace.Header // head with a bound for processors not yet counted
	refs    *stream[*refsBatch]
	events  *stream[*eventsBatch]
	last    []uint64 // Refs of each processor's last event
	total   []uint64 // references of each processor
	rows    int      // events of a full batch
	most    int      // references of a full batch
	archive bool     // references are in the archive profile
	closed  bool     // Close or Abort was called
	gone    bool     // the files have their final names or were removed
	sha256  string   // of both, when they are complete
}

// SHA256 is what [Trace.SHA256] returns for the trace. It is known after Close.
func (w *Writer) SHA256() string { return w.sha256 }

// Create starts the files of a trace. The header h may be preliminary, except for HasPC and
// HasTime, which determine the columns.
func Create(prefix string, h trace.Header) (*Writer, error) { return create(prefix, h, false) }

// CreateArchive is Create with references in the archive profile, which is several times
// smaller. Open reads it, too. Other readers of Arrow do not see a row for each reference.
func CreateArchive(prefix string, h trace.Header) (*Writer, error) { return create(prefix, h, true) }

func create(prefix string, h trace.Header, archive bool) (*Writer, error) {
	w := &Writer{head: h, limit: h, rows: batchRows, most: batchRows, archive: archive}
	if h.Procs < 0 || h.Procs > maxProcs {
		return nil, fmt.Errorf("writing %s: %d processors; at most %d are supported", prefix, h.Procs, maxProcs)
	}
	if h.Procs == 0 {
		w.limit.Procs = maxProcs
	}
	var err error
	if w.refs, err = w.refsStream(prefix + RefsSuffix); err != nil {
		return nil, err
	}
	w.events, err = newStream(prefix+EventsSuffix, traceSchema(kindEvents, false, h), maxEvents,
		func() *eventsBatch { return new(eventsBatch) },
		func(b *eventsBatch, e *encoder) int { return b.encode(e, h.HasTime) })
	if err != nil {
		w.refs.abort()
		return nil, err
	}
	return w, nil
}

// refsStream starts the refs file.
func (w *Writer) refsStream(path string) (*stream[*refsBatch], error) {
	most, encode := maxRefs, (*refsBatch).encode
	if w.archive {
		w.most, most, encode = archiveRows, maxArchiveRefs, (*refsBatch).encodeArchive
	}
	hasPC := w.head.HasPC
	s, err := newStream(path, traceSchema(kindRefs, w.archive, w.head), most,
		func() *refsBatch { return new(refsBatch) },
		func(b *refsBatch, e *encoder) int { return encode(b, e, hasPC) })
	if err == nil && w.archive {
		s.encoder = newArchiveEncoder
	}
	return s, err
}

var errClosed = errors.New("store: the writer is closed")

// Refs appends references of one processor. The caller may reuse b.
func (w *Writer) Refs(b *trace.Refs) error {
	if w.closed {
		return errClosed
	}
	if err := w.refs.failure(); err != nil {
		return err
	}
	if err := trace.CheckRefs(w.limit, b); err != nil {
		return outfile.WriteError(w.refs.path, err)
	}
	n := b.Len()
	for i := 0; i < n; {
		to := w.refs.batch(b.Proc)
		j := min(n, i+w.most-to.Len())
		to.add(b, i, j)
		if err := w.refs.added(b.Proc, j-i, to.Len() == w.most); err != nil {
			return err
		}
		i = j
	}
	w.total = growTo(w.total, b.Proc)
	w.total[b.Proc] += uint64(n)
	return nil
}

// HasRefs reports whether references were appended.
func (w *Writer) HasRefs() bool {
	for _, n := range w.total {
		if n > 0 {
			return true
		}
	}
	return false
}

// Events appends events of one processor. The caller may reuse b.
func (w *Writer) Events(b *trace.Events) error {
	if w.closed {
		return errClosed
	}
	if err := w.events.failure(); err != nil {
		return err
	}
	if err := w.checkEvents(b); err != nil {
		return outfile.WriteError(w.events.path, err)
	}
	w.last = growTo(w.last, b.Proc)
	for rows := b.Rows; len(rows) > 0; {
		to := w.events.batch(b.Proc)
		n, weight := to.fits(rows, w.rows, w.events.room())
		to.add(rows[:n])
		if err := w.events.added(b.Proc, weight, to.Len() == w.rows || len(to.needs.values) >= needsPerBatch); err != nil {
			return err
		}
		w.last[b.Proc] = rows[n-1].Refs
		rows = rows[n:]
	}
	return nil
}

func (w *Writer) checkEvents(b *trace.Events) error {
	var last uint64
	if b.Proc >= 0 && int(b.Proc) < len(w.last) {
		last = w.last[b.Proc]
	}
	if err := trace.CheckEvents(w.limit, b, last, math.MaxUint64); err != nil {
		return err
	}
	for i := range b.Rows {
		if n := len(b.Rows[i].Needs); n > maxEventNeeds {
			return &trace.BatchError{Proc: b.Proc, Row: i, Msg: fmt.Sprintf("it needs %d others; at most %d are supported", n, maxEventNeeds)}
		}
	}
	return nil
}

// growTo returns s, extended to have an element for p.
func growTo(s []uint64, p trace.Proc) []uint64 {
	if int(p) < len(s) {
		return s
	}
	return append(s, make([]uint64, int(p)+1-len(s))...)
}

// Close completes both files with the final header and gives them their names. After an error
// it leaves no files.
//
// The files are on the disk before their names appear. A reader would detect a lost write,
// because it checks everything. But a damaged trace that is newer than its inputs would keep
// make from writing it again.
func (w *Writer) Close(h trace.Header) error {
	if w.closed {
		return errClosed
	}
	w.closed = true
	defer w.Abort()
	if err := w.checkFinal(h); err != nil {
		return err
	}
	digest, err := w.refs.finish(traceSchema(kindRefs, w.archive, h))
	if err != nil {
		return err
	}
	events, err := w.events.finish(traceSchema(kindEvents, false, h), arrowmeta.Pair{Key: refsKey, Value: digest})
	if err != nil {
		return err
	}
	w.sha256 = digestOf(digest, events)
	if err := outfile.RenameBoth(w.refs.f, w.events.f); err != nil {
		return err
	}
	w.gone = true
	w.refs.f.Release()
	w.events.f.Release()
	return nil
}

// checkFinal checks the written rows against the final header.
func (w *Writer) checkFinal(h trace.Header) error {
	switch most := max(len(w.total), len(w.last)); {
	case !h.Unrecorded.Valid():
		return fmt.Errorf("writing %s: %v and %v are not shares from 0 to 1 of what is not recorded", w.refs.path, h.Unrecorded.Instr, h.Unrecorded.Refs)
	case h.Procs < 0 || h.Procs > maxProcs:
		return fmt.Errorf("writing %s: %d processors; at most %d are supported", w.refs.path, h.Procs, maxProcs)
	case h.Procs < most:
		return fmt.Errorf("writing %s: rows of processor %d, but the final header has %d processors", w.refs.path, most-1, h.Procs)
	case h.HasPC != w.head.HasPC || h.HasTime != w.head.HasTime:
		return fmt.Errorf("writing %s: the final header has other columns than the first", w.refs.path)
	}
	for p, refs := range w.last {
		var have uint64
		if p < len(w.total) {
			have = w.total[p]
		}
		if refs > have {
			return fmt.Errorf("writing %s: processor %d: its last event follows %d references, but it has %d",
				w.events.path, p, refs, have)
		}
	}
	return nil
}

// Abort removes the files, unless Close has succeeded. The caller should defer it.
func (w *Writer) Abort() {
	if w.gone {
		return
	}
	w.closed, w.gone = true, true
	w.refs.abort()
	w.events.abort()
}
