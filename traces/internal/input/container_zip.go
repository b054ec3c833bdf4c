package input

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"
)

// zipMembers reads the members of a zip file one after the other, as one stream.
// DynamoRIO stores the chunks of a trace so. Numbered members must be in order. Several
// zip files that were joined into one are read one after the other. The directory of a
// zip file is at its end, so the file needs random access and cannot come through a
// pipe.
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
	m := &zipMembers{raw: &zipRaw{at, size, raw}}
	for end := size; end > 0; {
		files, start, err := m.raw.directory(end)
		if err != nil {
			return nil, err
		}
		m.files, end = append(files, m.files...), start
	}
	return m, nil
}

// directory returns the members of the zip file that ends at end, and where it begins.
// What precedes it is another zip file, which was joined with it.
func (z *zipRaw) directory(end int64) (files []*zip.File, start int64, err error) {
	if start, err = z.start(end); err != nil {
		return nil, 0, err
	}
	dir, err := zip.NewReader(io.NewSectionReader(z, start, end-start), end-start)
	if errors.Is(err, zip.ErrFormat) {
		return nil, 0, &errZip{"the zip central directory is damaged; copy or make the file again"}
	}
	if err != nil {
		return nil, 0, err
	}
	dir.RegisterDecompressor(zip.Deflate, flate.NewReader)
	for _, f := range dir.File {
		if !f.FileInfo().IsDir() {
			files = append(files, f)
		}
	}
	return files, start, checkOrder(files)
}

// The records at the end of a zip file: the end record, and before it in large files
// one with 64-bit numbers and its locator.
const (
	ZipEnd      = 22
	ZipLocator  = 20
	ZipEnd64    = 56
	zipEndMagic = "PK\x05\x06"
	zipComment  = 1<<16 - 1 // longest comment after the end record
)

// start returns where the zip file that ends at end begins.
func (z *zipRaw) start(end int64) (int64, error) {
	tail := make([]byte, min(end, ZipLocator+ZipEnd64+ZipEnd+zipComment))
	if _, err := z.ReadAt(tail, end-int64(len(tail))); err != nil && err != io.EOF {
		return 0, err
	}
	i := len(tail) - ZipEnd
	for i >= 0 && (string(tail[i:i+4]) != zipEndMagic || int(binary.LittleEndian.Uint16(tail[i+20:])) != len(tail)-i-ZipEnd) {
		i--
	}
	if i < 0 {
		return 0, z.noEnd(tail, end)
	}
	size, offset := uint64(binary.LittleEndian.Uint32(tail[i+12:])), uint64(binary.LittleEndian.Uint32(tail[i+16:]))
	at := end - int64(len(tail)-i)
	if large := i - ZipEnd64 - ZipLocator; large >= 0 && string(tail[large:large+4]) == "PK\x06\x06" && string(tail[large+ZipEnd64:large+ZipEnd64+4]) == "PK\x06\x07" {
		at -= ZipEnd64 + ZipLocator
		size, offset = binary.LittleEndian.Uint64(tail[large+40:]), binary.LittleEndian.Uint64(tail[large+48:])
	}
	if size > uint64(at) || offset > uint64(at)-size {
		return 0, &errZip{"the end record of the zip file is damaged; copy or make the file again"}
	}
	return at - int64(size) - int64(offset), nil
}

// noEnd says why no zip file ends at end.
func (z *zipRaw) noEnd(tail []byte, end int64) error {
	switch {
	case end < z.size:
		return &errZip{fmt.Sprintf("the %d bytes before the last zip file are no whole zip file; copy or make it again", end)}
	case bytes.Contains(tail[:max(0, len(tail)-ZipEnd)], []byte(zipEndMagic)):
		return &errZip{"trailing bytes after the end of the zip file; remove them or make the file again"}
	}
	return &errZip{"end of file: the zip central directory is missing or damaged, so the file is truncated; copy or make it again"}
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

// checkOrder checks that the members of a zip file are the pieces of one stream.
func checkOrder(files []*zip.File) error {
	for i := 1; i < len(files); i++ {
		a, b := files[i-1].Name, files[i].Name
		nameA, numberA := numbered(a)
		nameB, numberB := numbered(b)
		if numberA < 0 || numberB < 0 || nameA != nameB {
			return &errZip{fmt.Sprintf("the zip file has several files (%s, %s), not the numbered pieces of one; extract it and import the files", Quote([]byte(a)), Quote([]byte(b)))}
		}
		if numberB <= numberA {
			return &errZip{fmt.Sprintf("member %d: zip members out of order: %s before %s; make the file again", i, Quote([]byte(a)), Quote([]byte(b)))}
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
	return &errZip{fmt.Sprintf("member %d, %s: %s", i, Quote([]byte(m.files[i].Name)), what)}
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
