package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"spoor/traces/internal/outfile"
	"spoor/traces/store/internal/arrowmeta"
)

// file is an open Arrow file that Spoor wrote. Its footer and layout have been checked; its
// batches are checked when they are read.
type file struct {
	path   string
	r      io.ReaderAt
	close  func() error
	size   int64
	schema *arrowmeta.Schema
	meta   []arrowmeta.Pair // of the footer
	digest string           // of the footer
	blocks []batchBlock
}

const (
	tailSize  = 4 + len(magicTail) // length of the footer, magic
	maxFooter = 1 << 30
	maxBody   = maxTable + maxTable/4 // of a batch, compressed
)

// errCut is the error for a file that its writer has not finished.
var errCut = errors.New("it is cut or still being written; `traces check --recover` saves the complete part")

// openFile opens the file at path and checks everything but the batches.
func openFile(path string) (*file, error) {
	r, size, err := openRegular(path)
	if err != nil {
		return nil, readError(path, err)
	}
	f, err := newFile(path, r, size)
	if err != nil {
		r.Close()
		return nil, readError(path, err)
	}
	f.close = r.Close
	return f, nil
}

// openRegular opens a regular file, and refuses anything else.
func openRegular(path string) (f *os.File, size int64, err error) {
	info, err := os.Stat(path) // first, because opening a pipe blocks
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("it is a %s, not a file", outfile.ModeName(info.Mode()))
	}
	f, err = os.Open(path)
	return f, info.Size(), err
}

// readError returns an error that names the file that was being read.
func readError(path string, err error) error {
	return fmt.Errorf("reading %s: %w", path, outfile.WithoutPath(err))
}

// newFile checks everything but the batches of a file of the given size.
func newFile(path string, r io.ReaderAt, size int64) (*file, error) {
	f, footer, err := openFooter(path, r, size)
	if err != nil {
		return nil, err
	}
	return f, f.checkLayout(footer)
}

// openFooter reads and checks the footer, and returns its position.
func openFooter(path string, r io.ReaderAt, size int64) (f *file, at int64, err error) {
	f = &file{path: path, r: r, size: size}
	if err := checkMagic(r, size); err != nil {
		return nil, 0, err
	}
	footer, at, err := readFooter(r, size)
	if err != nil {
		return nil, 0, err
	}
	digest, whole := verifyDigest(footer, digestAt(len(footer)))
	flat, root := arrowmeta.FlatRoot(footer)
	if err := f.parseFooter(flat, root); err != nil || !whole {
		return nil, 0, explainFooter(f, err, whole)
	}
	f.digest = digest
	v, _ := f.schema.Lookup(versionKey)
	if !known(v) {
		return nil, 0, newerVersion(v)
	}
	if _, parts := arrowmeta.Lookup(f.meta, partsKey); parts != (v == versionOfParts) {
		return nil, 0, fmt.Errorf("its footer has %s %q and %s does not suit it", versionKey, v, partsKey)
	}
	return f, at, nil
}

func newerVersion(v string) error {
	return fmt.Errorf("it has %s %q, but this version of Spoor reads %s; use a newer one", versionKey, v, version+" and "+versionOfParts)
}

// checkMagic returns different errors for damaged files and for files that are no Arrow files.
func checkMagic(r io.ReaderAt, size int64) error {
	if size == 0 {
		return errors.New("it is empty")
	}
	head := make([]byte, min(size, int64(len(magic))))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	switch {
	case string(head) == magic:
		return nil
	case strings.HasPrefix(magic, string(head)):
		return errCut
	case bytes.HasPrefix(head, endOfStream[:4]):
		return errors.New("it is an Arrow stream, not an Arrow file")
	}
	return fmt.Errorf("it is not an Arrow file: it begins with %q; use traces import for other formats", head)
}

// readFooter reads the footer, and returns its position.
func readFooter(r io.ReaderAt, size int64) (footer []byte, at int64, err error) {
	room := size - int64(len(magic)+len(endOfStream)+tailSize)
	if room < 0 {
		return nil, 0, errCut
	}
	tail := make([]byte, tailSize)
	if _, err := r.ReadAt(tail, size-int64(tailSize)); err != nil {
		return nil, 0, err
	}
	n := int64(binary.LittleEndian.Uint32(tail))
	if string(tail[4:]) != magicTail || n > room || n > maxFooter {
		return nil, 0, errCut
	}
	footer = make([]byte, n)
	at = size - int64(tailSize) - n
	_, err = r.ReadAt(footer, at)
	return footer, at, err
}

// explainFooter returns the error for a footer that does not parse or whose digest is wrong.
func explainFooter(f *file, err error, whole bool) error {
	if f.schema != nil {
		if _, ours := f.schema.Lookup(kindKey); !ours && !whole {
			return errors.New("it is an Arrow file, but not one that Spoor wrote (its schema has no " + kindKey + ")")
		}
		if v, ok := f.schema.Lookup(versionKey); ok && !known(v) {
			return newerVersion(v)
		}
	}
	if !whole {
		return errors.New("its footer is damaged: the checksum does not match; `traces check --recover` saves the complete part")
	}
	return err
}

// parseFooter fills f from the footer's root table. The schema is set if it
// could be read, whatever else is wrong.
func (f *file) parseFooter(fl *arrowmeta.Flat, root arrowmeta.FlatTable) error {
	table, ok := root.Sub(1)
	if !ok {
		return arrowmeta.ErrFlat
	}
	s := arrowmeta.ParseSchema(table)
	if fl.Bad {
		return arrowmeta.ErrFlat
	}
	f.schema = s
	f.meta = arrowmeta.ParsePairs(root, 4)
	pos, n := root.Vector(3, 24)
	if fl.Bad || root.I16(0) != arrowmeta.FbVersion5 {
		return arrowmeta.ErrFlat
	}
	digests, _ := arrowmeta.Lookup(f.meta, messagesKey)
	index, _ := arrowmeta.Lookup(f.meta, indexKey)
	var infos []batchInfo
	if err := json.Unmarshal([]byte(index), &infos); err != nil {
		return fmt.Errorf("its footer has a malformed %s: %v", indexKey, err)
	}
	if len(infos) != n || len(digests) != digestSize*(n+1) {
		return errors.New("its footer's index does not list its batches")
	}
	f.blocks = make([]batchBlock, n)
	for i := range f.blocks {
		p := pos + 24*i
		f.blocks[i] = batchBlock{batchInfo: infos[i], offset: fl.I64(p), meta: int(int32(fl.U32(p + 8))),
			body: fl.I64(p + 16), digest: digests[digestSize*(i+1):][:digestSize]}
	}
	if parts, ok := arrowmeta.Lookup(f.meta, partsKey); ok {
		return unpackParts(parts, f.blocks)
	}
	return nil
}

// checkLayout checks that magic, schema, batches, end of stream and footer follow each other
// without a gap.
func (f *file) checkLayout(footer int64) error {
	pos, err := f.checkSchema()
	if err != nil {
		return err
	}
	most := uint64(batchRows)
	if isArchive(f.schema) {
		most = archiveRows
	}
	for i, b := range f.blocks {
		if b.offset != pos || b.meta <= prefixSize || b.meta > maxMeta || b.body < 0 ||
			b.body > min(maxBody, footer-pos-int64(b.meta)) {
			return fmt.Errorf("batch %d does not follow what precedes it", i)
		}
		if b.rows == 0 || b.rows > most {
			return fmt.Errorf("batch %d has %d rows", i, b.rows)
		}
		pos += int64(b.meta) + b.body
	}
	end := make([]byte, len(endOfStream))
	if pos+int64(len(end)) != footer {
		return errors.New("its footer does not follow its last batch")
	}
	if _, err := f.r.ReadAt(end, pos); err != nil {
		return err
	}
	if !bytes.Equal(end, endOfStream) {
		return errors.New("it is damaged before the footer: the stream does not end there")
	}
	return nil
}

// checkSchema checks the first message and returns where the next one begins.
func (f *file) checkSchema() (next int64, err error) {
	msg, err := readSchemaMessage(f.r, f.size)
	if err != nil {
		return 0, err
	}
	digests, _ := arrowmeta.Lookup(f.meta, messagesKey)
	if string(msg[digestAt(len(msg)):][:digestSize]) != digests[:digestSize] {
		return 0, errors.New("its first schema is not the one its footer lists")
	}
	return int64(len(magic) + len(msg)), nil
}

// readSchemaMessage reads the message after the magic and checks its digest.
func readSchemaMessage(r io.ReaderAt, size int64) ([]byte, error) {
	prefix := make([]byte, prefixSize)
	start := int64(len(magic))
	if size < start+prefixSize {
		return nil, errCut
	}
	if _, err := r.ReadAt(prefix, start); err != nil {
		return nil, err
	}
	n, err := metaSize(prefix)
	if err != nil {
		return nil, errors.New("its first schema is damaged: no message begins at byte 8")
	}
	if int64(n) > size-start {
		return nil, errCut
	}
	msg := make([]byte, n)
	if _, err := r.ReadAt(msg, start); err != nil {
		return nil, err
	}
	if _, ok := verifyDigest(msg, digestAt(n)); !ok {
		return nil, errors.New("its first schema is damaged: the checksum does not match")
	}
	return msg, nil
}

// read reads batch i into buf and checks its digest.
func (f *file) read(buf []byte, i int) ([]byte, error) {
	b := f.blocks[i]
	buf = resize(buf, b.meta+int(b.body))
	if _, err := f.r.ReadAt(buf, b.offset); err != nil {
		return buf, err
	}
	n, err := metaSize(buf)
	if digest, ok := verifyDigest(buf, digestAt(b.meta)); err != nil || n != b.meta || !ok || digest != b.digest {
		return buf, errors.New("the checksum does not match: the file is damaged")
	}
	return buf, nil
}

// batchError adds the file and the position of batch i to an error.
func (f *file) batchError(i int, err error) error {
	b := &f.blocks[i]
	of := fmt.Sprintf("processor %d", b.proc)
	if n := len(b.parts); n > 0 {
		of = fmt.Sprintf("processors %d to %d", b.proc, b.parts[n-1].proc)
	}
	return fmt.Errorf("reading %s: batch %d (%s, bytes %d to %d): %w", f.path, i, of, b.offset, b.offset+int64(b.meta)+b.body, err)
}
