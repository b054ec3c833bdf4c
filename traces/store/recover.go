package store

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"spoor/traces/internal/outfile"
	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/trace"
)

// recoveredKey marks files that Recover wrote, in the metadata of the footer.
const recoveredKey = "spoor.recovered"

// Recovery describes the result of Recover.
type Recovery struct {
	Rows, Batches uint64
	Lost          string // why the rest could not be read, or "" if nothing was lost
}

// Recover copies the complete, undamaged batches at the start of a cut or unfinished trace
// file to a new file at out. It adds a note to the header, and the number of processors if
// the old header lacks it. It returns an error for a file without a complete schema, because
// its contents are unknown.
func Recover(path, out string) (Recovery, error) {
	in, size, err := openRegular(path)
	if err != nil {
		return Recovery{}, recoverError(path, err)
	}
	defer in.Close()
	if sameFile(path, out) {
		return Recovery{}, recoverError(path, errors.New("it cannot be written over itself; choose another name"))
	}
	s := newRecoverer(path, in, size)
	defer decoders.Put(s.d)
	if err := s.begin(); err != nil {
		return Recovery{}, recoverError(path, err)
	}
	err = outfile.WriteVia(out, recoverSuffix, s.copy)
	return s.done, err
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func recoverError(path string, err error) error {
	if errors.Is(err, errCut) {
		err = errors.New("nothing can be saved: it is cut before the end of its schema")
	}
	return fmt.Errorf("recovering %s: %w", path, outfile.WithoutPath(err))
}

// recoverSuffix differs from partialSuffix, because the input may have that suffix.
const recoverSuffix = ".recovered" + outfile.PartialSuffix

// recoverer is one run of Recover.
type recoverer struct {
	path   string
	r      io.ReaderAt
	size   int64
	kind   string
	form   *arrowmeta.Schema
	head   trace.Header
	first  []byte           // the schema message
	start  int64            // position of the first batch
	cut    error            // error in the footer or layout
	footer []arrowmeta.Pair // metadata of a complete footer
	check  eventsChecker
	last   map[trace.Proc]uint64
	procs  int // one more than the greatest seen
	d      *decoder
	refs   refsSlot
	event  eventsSlot
	done   Recovery
}

func newRecoverer(path string, r io.ReaderAt, size int64) *recoverer {
	unknown := func(trace.Proc) uint64 { return math.MaxUint64 }
	return &recoverer{path: path, r: r, size: size, check: eventsChecker{total: unknown}, d: decoders.Get().(*decoder),
		last: map[trace.Proc]uint64{}}
}

// begin finds the schema: the final one if the footer is complete, else the first one.
func (s *recoverer) begin() error {
	if err := checkMagic(s.r, s.size); err != nil {
		return err
	}
	footer, at, err := openFooter(s.path, s.r, s.size)
	if s.cut = err; err == nil {
		s.cut = footer.checkLayout(at)
	}
	if footer != nil {
		s.footer = footer.meta
	}
	sc, err := s.firstSchema()
	switch {
	case footer != nil && err != nil:
		s.first, s.start = schemaMessage(footer.schema), at-int64(len(endOfStream))
		if len(footer.blocks) > 0 {
			s.start = footer.blocks[0].offset
		}
		sc = footer.schema
	case footer != nil:
		sc = footer.schema
	case err != nil:
		return fmt.Errorf("nothing can be saved: %w", err)
	}
	if v, _ := sc.Lookup(versionKey); !known(v) {
		return newerVersion(v)
	}
	s.form = sc
	s.kind, s.head, err = parseTraceSchema(sc)
	return err
}

// firstSchema returns the schema at the start of the file.
func (s *recoverer) firstSchema() (*arrowmeta.Schema, error) {
	msg, err := readSchemaMessage(s.r, s.size)
	if err != nil {
		return nil, err
	}
	m, err := parseMessage(msg[prefixSize:], arrowmeta.FbSchema)
	if err != nil {
		return nil, err
	}
	sc := arrowmeta.ParseSchema(m.header)
	if m.f.Bad {
		return nil, arrowmeta.ErrFlat
	}
	s.first, s.start = msg, int64(len(magic)+len(msg))
	return sc, nil
}

// copy writes the new file. It copies the batches and the first schema as they are, so that
// a complete file stays the same.
func (s *recoverer) copy(w io.Writer) error {
	out := container{w: w}
	if err := out.begin(s.first); err != nil {
		return err
	}
	if s.check.head = s.head; s.head.Procs == 0 {
		s.check.head.Procs = maxProcs
	}
	if err := s.copyBatches(&out); err != nil {
		return err
	}
	var marks []arrowmeta.Pair
	if s.incomplete() {
		s.amendHeader()
		marks = append(marks, arrowmeta.Pair{Key: recoveredKey, Value: "true"})
	} else if digest, ok := arrowmeta.Lookup(s.footer, refsKey); ok {
		marks = append(marks, arrowmeta.Pair{Key: refsKey, Value: digest})
	}
	_, err := out.end(traceSchema(s.kind, isArchive(s.form), s.head), marks...)
	return err
}

// copyBatches copies batches up to the first incomplete one. It returns only errors of
// writing.
func (s *recoverer) copyBatches(out *container) error {
	for pos := s.start; ; pos += int64(len(s.d.msg)) {
		meta, parts, err := s.next(pos)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			s.done.Lost = fmt.Sprintf("batch %d at byte %d: %v", s.done.Batches, pos, err)
			return nil
		}
		if err := out.batch(s.d.msg, meta, parts...); err != nil {
			return err
		}
		s.done.Batches++
		s.done.Rows += sumOf(parts).rows
		s.procs = max(s.procs, int(parts[len(parts)-1].proc)+1)
	}
}

// incomplete reports whether anything was lost, even if only the footer.
func (s *recoverer) incomplete() bool {
	if s.done.Lost == "" && s.cut != nil {
		s.done.Lost = fmt.Sprintf("after all %d batches: %v", s.done.Batches, s.cut)
	}
	return s.done.Lost != ""
}

// amendHeader sets the number of processors and adds a note.
func (s *recoverer) amendHeader() {
	if s.head.Procs == 0 {
		s.head.Procs = s.procs
	}
	s.head.Notes = append(s.head.Notes[:len(s.head.Notes):len(s.head.Notes)],
		fmt.Sprintf("recovered %d rows in %d batches of %s from an incomplete file", s.done.Rows, s.done.Batches, s.kind))
}

// next reads the batch at pos into s.d and checks it. It returns io.EOF at the end of the
// stream.
func (s *recoverer) next(pos int64) (meta int, parts []batchInfo, err error) {
	if meta, err = s.read(pos); err != nil {
		return 0, nil, err
	}
	if err := s.d.open(s.d.msg, meta); err != nil {
		return 0, nil, err
	}
	if s.kind == kindRefs {
		s.refs.decode(s.d, isArchive(s.form), s.head.HasPC)
		info := batchInfo{int32(s.refs.Proc), uint64(s.refs.Len()), s.refs.instr}
		return meta, []batchInfo{info}, checkRefs(s.d, s.check.head, &s.refs, info)
	}
	s.event.decode(s.d, s.head.HasTime)
	if err := s.d.done(); err != nil {
		return meta, nil, err
	}
	from := 0
	for _, part := range s.event.parts {
		p := trace.Proc(part.proc)
		s.check.proc, s.check.index, s.check.last = p, -1, s.last[p]
		for err := range s.check.rows(&s.event, part, from, new(trace.Events)) {
			if err != nil {
				return meta, nil, err
			}
		}
		s.last[p] = s.check.last
		from += int(part.rows)
	}
	return meta, slices.Clone(s.event.parts), nil
}

// read reads the message at pos into s.d.msg and checks its digest.
func (s *recoverer) read(pos int64) (meta int, err error) {
	left := s.size - pos
	if left < prefixSize {
		return 0, errors.New("the file ends there")
	}
	prefix := resize(s.d.msg, prefixSize)
	if _, err := s.r.ReadAt(prefix, pos); err != nil {
		return 0, err
	}
	if string(prefix) == string(endOfStream) {
		return 0, io.EOF
	}
	if meta, err = metaSize(prefix); err != nil {
		return 0, err
	}
	if int64(meta) > left {
		return 0, errors.New("the file ends within it")
	}
	s.d.msg = resize(prefix, meta)
	if _, err := s.r.ReadAt(s.d.msg, pos); err != nil {
		return 0, err
	}
	m, err := parseMessage(s.d.msg[prefixSize:], arrowmeta.FbRecordBatch)
	if err != nil {
		return 0, err
	}
	if m.body > left-int64(meta) {
		return 0, errors.New("the file ends within it")
	}
	s.d.msg = resize(s.d.msg, meta+int(m.body))
	if _, err := s.r.ReadAt(s.d.msg, pos); err != nil {
		return 0, err
	}
	if _, ok := verifyDigest(s.d.msg, digestAt(meta)); !ok {
		return 0, errors.New("the checksum does not match")
	}
	return meta, nil
}
