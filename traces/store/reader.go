package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Trace is an open trace. It implements trace.Source. Iterations are independent and may run
// on several goroutines at the same time.
type Trace struct {
	head   trace.Header
	refs   *part // nil if there is no such file
	events *part
	totals []trace.Totals // by processor
}

var _ trace.Source = (*Trace)(nil)

// Open opens the trace at path. The path is a prefix, for both files or the one that exists,
// or the name of one file.
func Open(path string) (*Trace, error) {
	parts, err := openParts(path)
	if err != nil {
		return nil, err
	}
	t, err := newTrace(parts)
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// newTrace returns the trace of the given files, by kind.
func newTrace(parts map[string]*part) (*Trace, error) {
	t := &Trace{refs: parts[kindRefs], events: parts[kindEvents]}
	if err := t.mergeHeaders(); err != nil {
		return t, err
	}
	t.count()
	return t, nil
}

// mergeHeaders checks that the two files belong together, and merges their headers.
func (t *Trace) mergeHeaders() error {
	switch {
	case t.events == nil:
		t.head = t.refs.head
		return nil
	case t.refs == nil:
		t.head = t.events.head
		return nil
	}
	t.head = t.refs.head
	t.head.HasTime = t.events.head.HasTime
	t.head.Procs = max(t.refs.head.Procs, t.events.head.Procs)
	t.head.Unrecorded = t.refs.head.Unrecorded.Max(t.events.head.Unrecorded)
	for _, n := range t.events.head.Notes {
		if !slices.Contains(t.head.Notes, n) {
			t.head.Notes = append(t.head.Notes, n)
		}
	}
	if want, ok := arrowmeta.Lookup(t.events.meta, refsKey); ok && want != t.refs.digest && !isRecovered(t.refs) {
		return fmt.Errorf("reading %s: it does not belong to %s, which another run wrote; make both again", t.events.path, t.refs.path)
	}
	a, b := t.refs.head, t.events.head
	if a.Title() != b.Title() || a.Format != b.Format || a.Seed != b.Seed || a.WorkUnit != b.WorkUnit || a.Tool != b.Tool {
		return fmt.Errorf("reading %s: it does not belong to %s: their headers differ; make both again", t.events.path, t.refs.path)
	}
	return nil
}

// isRecovered reports whether Recover wrote the file.
func isRecovered(p *part) bool {
	_, ok := arrowmeta.Lookup(p.meta, recoveredKey)
	return ok
}

// count sums the rows and instructions of the indices.
func (t *Trace) count() {
	t.totals = make([]trace.Totals, t.head.Procs)
	if t.refs != nil {
		for _, b := range t.refs.byProc {
			n := &t.totals[b.proc]
			n.Instr += unit.Instructions(b.instr)
			n.Refs += b.rows
		}
	}
	if t.events == nil {
		return
	}
	last, instr := int32(-1), uint64(0)
	for _, b := range t.events.byProc { // by processor
		if b.proc != last {
			last, instr = b.proc, 0
		}
		instr += b.instr
		n := &t.totals[b.proc]
		n.Events += b.rows
		n.Instr = max(n.Instr, unit.Instructions(instr))
	}
}

// AddRegions adds names of memory to the header, which are in another file.
func (t *Trace) AddRegions(regions ...trace.Region) {
	t.head.Regions = append(t.head.Regions, regions...)
}

// Header returns the header of the trace.
func (t *Trace) Header() trace.Header { return t.head }

// SHA256 returns a digest of the trace, in hexadecimal. It is computed from the digests in
// the footers, which cover every byte of the files.
func (t *Trace) SHA256() string {
	var digests []string
	for _, p := range []*part{t.refs, t.events} {
		if p != nil {
			digests = append(digests, p.digest)
		}
	}
	return digestOf(digests...)
}

// digestOf returns the digest of the footers with these digests.
func digestOf(footers ...string) string {
	digest := sha256.Sum256([]byte(strings.Join(footers, "")))
	return hex.EncodeToString(digest[:])
}

// Totals returns the counts of processor p, from the footers. Instr is the position of its
// last row in either stream.
func (t *Trace) Totals(p trace.Proc) trace.Totals {
	if p < 0 || int(p) >= len(t.totals) {
		return trace.Totals{}
	}
	return t.totals[p]
}

// Refs yields the references of procs, or of all processors without arguments, one processor
// after the other. The references of a processor come in program order. It yields an error
// if the trace lacks a processor.
func (t *Trace) Refs(procs ...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return func(yield func(*trace.Refs, error) bool) {
		order, err := t.order(t.refs, procs)
		if err != nil {
			yield(nil, err)
			return
		}
		t.refsIn(order, yield)
	}
}

var _ trace.CheckedSource = (*Trace)(nil)

// RefsAreChecked marks a Source that checks all its batches with [trace.CheckRefs].
func (t *Trace) RefsAreChecked() {}

// refsIn yields the references of the given batches, in their order.
func (t *Trace) refsIn(batches []procRows, yield func(*trace.Refs, error) bool) {
	if len(batches) == 0 {
		return
	}
	p, h, archive := t.refs, t.refs.head, isArchive(t.refs.schema)
	decode := func(d *decoder, s *refsSlot, i int) error {
		s.decode(d, archive, h.HasPC)
		return checkRefs(d, h, s, p.blocks[i].batchInfo)
	}
	for s, err := range decodeAhead(p, batches, refsAhead, decode) {
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(&s.Refs, nil) {
			return
		}
	}
}

// fail yields err if it is not nil.
func fail[T any](yield func(*T, error) bool, err error) {
	if err != nil {
		yield(nil, err)
	}
}

// Events yields the events of procs, or of all processors without arguments, like Refs.
func (t *Trace) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
	return func(yield func(*trace.Events, error) bool) {
		order, err := t.order(t.events, procs)
		if err != nil || len(order) == 0 {
			fail(yield, err)
			return
		}
		it := eventsIteration{part: t.events, check: eventsChecker{head: t.events.head, total: t.refsOf}}
		for len(order) > 0 {
			n := 1
			for order[0].whole && n < len(order) && order[n].whole {
				n++
			}
			some := order[:n]
			order = order[n:]
			read := it.shared
			if some[0].whole {
				read = it.whole
			}
			if !read(some, yield) {
				return
			}
		}
	}
}

// refsOf returns the number of references of p, or MaxUint64 if the trace has only events.
func (t *Trace) refsOf(p trace.Proc) uint64 {
	if t.refs == nil {
		return math.MaxUint64
	}
	return t.Totals(p).Refs
}

// order lists the rows of procs in the file of p, which may be nil.
func (t *Trace) order(p *part, procs []trace.Proc) ([]procRows, error) {
	for _, q := range procs {
		if q < 0 || int(q) >= t.head.Procs {
			return nil, fmt.Errorf("the trace has no processor %d: it has %d", q, t.head.Procs)
		}
	}
	if p == nil {
		return nil, nil
	}
	if len(procs) == 0 {
		return p.byProc, nil
	}
	var order []procRows
	for _, q := range procs {
		from, _ := slices.BinarySearchFunc(p.byProc, q, func(b procRows, q trace.Proc) int { return int(b.proc) - int(q) })
		for ; from < len(p.byProc) && p.byProc[from].proc == int32(q); from++ {
			order = append(order, p.byProc[from])
		}
	}
	return order, nil
}

// Close closes the files.
func (t *Trace) Close() error {
	var errs []error
	for _, p := range []*part{t.refs, t.events} {
		if p != nil {
			errs = append(errs, p.close())
		}
	}
	return errors.Join(errs...)
}

// HasEvents reports whether there is a file of events, empty or not.
func (t *Trace) HasEvents() bool { return t.events != nil }

// IsAt reports whether writing a trace to prefix would replace a file of t.
func (t *Trace) IsAt(prefix string) bool {
	return t.refs != nil && sameFile(t.refs.path, prefix+RefsSuffix) || t.events != nil && sameFile(t.events.path, prefix+EventsSuffix)
}
