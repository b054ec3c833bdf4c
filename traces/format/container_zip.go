package format

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"
)

// zipMembers reads the members of a zip file one after the other, as one stream.
// DynamoRIO stores the chunks of a trace so. Numbered members must be in order. The
// directory of a zip file is at its end, so the file needs random access and cannot
// come through a pipe.
type zipMembers struct {
	raw    *zipRaw
	files  []*zip.File
	next   int // index of the next member
	member io.ReadCloser
}

// zipRaw counts the bytes read from a zip file.
type zipRaw struct {
	io.ReaderAt
	size int64
	raw  *rawReader
}

func (z *zipRaw) ReadAt(b []byte, at int64) (int, error) {
	if err := z.raw.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := z.ReaderAt.ReadAt(b, at)
	if z.raw.seen != nil {
		z.raw.seen(n)
	}
	if err != nil && err != io.EOF {
		z.raw.failed = err
	}
	return n, err
}

// errZip reports damage to a zip file, in plain words.
type errZip struct{ msg string }

func (e *errZip) Error() string { return e.msg }

// openZip reads the directory of the zip file that raw reads.
func openZip(raw *rawReader) (io.Reader, error) {
	at, size := randomAccess(raw.r)
	if at == nil {
		return nil, &errZip{"a zip file has its directory at its end and cannot come through a pipe; name the file, or extract it: unzip -p FILE | traces import -"}
	}
	z := &zipRaw{at, size, raw}
	dir, err := zip.NewReader(z, size)
	if errors.Is(err, zip.ErrFormat) {
		return nil, &errZip{"end of file: the zip central directory is missing or damaged, so the file is truncated; copy or make it again"}
	}
	if err != nil {
		return nil, err
	}
	if err := endsInDirectory(z, dir); err != nil {
		return nil, err
	}
	dir.RegisterDecompressor(zip.Deflate, flate.NewReader)
	m := &zipMembers{raw: z}
	for _, f := range dir.File {
		if !f.FileInfo().IsDir() {
			m.files = append(m.files, f)
		}
	}
	return m, m.checkOrder()
}

// endsInDirectory checks that nothing follows the end record, which has 22 bytes and a
// comment. The library ignores such bytes.
func endsInDirectory(z *zipRaw, dir *zip.Reader) error {
	var magic [4]byte
	if _, err := z.ReadAt(magic[:], z.size-22-int64(len(dir.Comment))); err != nil {
		return err
	}
	if string(magic[:]) != "PK\x05\x06" {
		return &errZip{"trailing bytes after the end of the zip file; remove them or make the file again"}
	}
	return nil
}

// randomAccess returns r as a reader with random access and its size, or nil.
func randomAccess(r io.Reader) (io.ReaderAt, int64) {
	switch f := r.(type) {
	case *os.File:
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return f, info.Size()
		}
	case interface { // a file in memory
		io.ReaderAt
		Size() int64
	}:
		return f, f.Size()
	}
	return nil, 0
}

// checkOrder checks that the members are the pieces of one stream.
func (m *zipMembers) checkOrder() error {
	for i := 1; i < len(m.files); i++ {
		a, b := m.files[i-1].Name, m.files[i].Name
		nameA, numberA := numbered(a)
		nameB, numberB := numbered(b)
		if numberA < 0 || numberB < 0 || nameA != nameB {
			return &errZip{fmt.Sprintf("the zip file has several files (%s, %s), not the numbered pieces of one; extract it and import the files", quote([]byte(a)), quote([]byte(b)))}
		}
		if numberB <= numberA {
			return &errZip{fmt.Sprintf("member %d: zip members out of order: %s before %s; make the file again", i, quote([]byte(a)), quote([]byte(b)))}
		}
	}
	return nil
}

// numbered splits the digits off the end of a member's name: "chunk." and 12. The
// number is -1 without digits.
func numbered(name string) (string, int) {
	stem := strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(stem):])
	if err != nil {
		return name, -1
	}
	return stem, n
}

func (m *zipMembers) Read(b []byte) (int, error) {
	for {
		if m.member == nil {
			if m.next == len(m.files) {
				return 0, m.hash()
			}
			r, err := m.files[m.next].Open()
			if err != nil {
				return 0, m.inMember(m.next, err)
			}
			m.member = r
			m.next++
		}
		n, err := m.member.Read(b)
		if err == io.EOF {
			m.Close()
			if n == 0 {
				continue
			}
			err = nil
		}
		if err != nil {
			err = m.inMember(m.next-1, err)
		}
		return n, err
	}
}

// inMember adds the member to an error.
func (m *zipMembers) inMember(i int, err error) error {
	what := "damaged: " + err.Error()
	switch {
	case m.raw.raw.failed != nil || m.raw.raw.ctx.Err() != nil:
		return err
	case errors.Is(err, zip.ErrChecksum):
		what = "zip checksum mismatch: the file is damaged"
	case errors.Is(err, zip.ErrAlgorithm):
		what = "compressed by a method other than deflate, or encrypted; extract it: unzip -p FILE | traces import -"
	case errors.Is(err, io.ErrUnexpectedEOF):
		what = "truncated"
	}
	return &errZip{fmt.Sprintf("member %d, %s: %s", i, quote([]byte(m.files[i].Name)), what)}
}

// hash reads the file again, in order, for its SHA-256. It returns io.EOF.
func (m *zipMembers) hash() error {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(interruptible{m.raw.ReaderAt, m.raw.raw.ctx}, 0, m.raw.size)); err != nil {
		return err
	}
	m.raw.raw.sum = sum
	return io.EOF
}

// interruptible stops reading when ctx ends.
type interruptible struct {
	io.ReaderAt
	ctx context.Context
}

func (r interruptible) ReadAt(b []byte, at int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReaderAt.ReadAt(b, at)
}

// Close releases the member that is being read.
func (m *zipMembers) Close() error {
	if m.member == nil {
		return nil
	}
	err := m.member.Close()
	m.member = nil
	return err
}
