package input

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// container is a compression format, recognised by its first bytes.
type container struct {
	Name   string
	suffix string // usual suffix of such files, to explain a wrong name
	magic  []func(head []byte) bool
	open   func(r *bufio.Reader) (io.Reader, error) // opens a stream
	whole  func(raw *rawReader) (io.Reader, error)  // opens a file that needs random access
}

// containers lists all containers. Each is read to the end of the file: gzip members,
// zstd, xz and lz4 frames, bzip2 and snappy streams, and zip files may follow each
// other. Any other bytes after the last one are an error.
//
// Limitation: a snappy stream has no end mark. A stream that is cut between two chunks
// is not detected as truncated.
var containers = []container{
	{Name: "gzip", suffix: ".gz", magic: prefixes("\x1f\x8b"), open: openGzip},
	{Name: "zstd", suffix: ".zst", magic: append(prefixes("\x28\xb5\x2f\xfd"), isSkippable), open: openZstd},
	{Name: "xz", suffix: ".xz", magic: prefixes("\xfd7zXZ\x00"), open: openXz},
	{Name: "bzip2", suffix: ".bz2", magic: []func([]byte) bool{isBzip2}, open: openBzip2},
	{Name: "lz4", suffix: ".lz4", magic: prefixes("\x04\x22\x4d\x18"), open: openLz4},
	{Name: "snappy", suffix: ".sz", magic: prefixes("\xff\x06\x00\x00sNaPpY"), open: openSnappy},
	{Name: "zip", suffix: ".zip", magic: prefixes("PK\x03\x04", "PK\x05\x06"), whole: openZip},
}

const (
	// maxWindow limits the memory for a compressed stream: enough for `zstd --long=27`
	// and `xz -9`, plus a little.
	maxWindow = 128 << 20
	// containerBuffer holds compressed input. The decompressors read from it byte by
	// byte, so the unread bytes show how far they got.
	containerBuffer = 64 << 10
)

func prefixes(magics ...string) (all []func([]byte) bool) {
	for _, m := range magics {
		all = append(all, func(head []byte) bool { return bytes.HasPrefix(head, []byte(m)) })
	}
	return all
}

// isSkippable reports whether head is a zstd skippable frame, magic 0x184D2A50 to
// 0x184D2A5F.
func isSkippable(head []byte) bool {
	return len(head) >= 4 && binary.LittleEndian.Uint32(head)&^0xf == 0x184d2a50
}

// isBzip2 also checks the block size and the first magic, because "BZh" alone may be
// text.
func isBzip2(head []byte) bool {
	return len(head) >= 4 && bytes.HasPrefix(head, []byte("BZh")) && head[3] >= '1' && head[3] <= '9' &&
		(len(head) < 10 || bytes.HasPrefix(head[4:], []byte("1AY&SY")) || bytes.HasPrefix(head[4:], []byte("\x17\x72\x45\x38\x50\x90")))
}

// DetectContainer returns the container whose magic head has, or nil.
func DetectContainer(head []byte) *container {
	for i := range containers {
		for _, is := range containers[i].magic {
			if is(head) {
				return &containers[i]
			}
		}
	}
	return nil
}

// openGzip reads one member after another. It looks for the next member itself, because
// the library reports a few trailing bytes as a truncated header.
func openGzip(r *bufio.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &gzipMembers{z, r}, nil
}

type gzipMembers struct {
	*gzip.Reader
	r *bufio.Reader
}

func (g *gzipMembers) Read(b []byte) (int, error) {
	for {
		n, err := g.Reader.Read(b)
		if err != io.EOF || n > 0 {
			if err == io.EOF {
				err = nil
			}
			return n, err
		}
		switch next, err := g.r.Peek(2); {
		case len(next) == 0:
			return 0, err
		case string(next) != "\x1f\x8b":
			return 0, errTrailing
		}
		if err := g.Reset(g.r); err != nil {
			return 0, err
		}
		g.Multistream(false)
	}
}

// errTrailing reports bytes after the last member that do not begin another one.
var errTrailing = errors.New("trailing bytes")

func openZstd(r *bufio.Reader) (io.Reader, error) {
	// One worker decodes on the reading goroutine, so that offsets are exact.
	d, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return zstdReader{d.IOReadCloser()}, nil
}

// zstdReader distinguishes a frame that needs too much memory from a damaged one.
type zstdReader struct{ io.ReadCloser }

func (z zstdReader) Read(b []byte) (int, error) {
	n, err := z.ReadCloser.Read(b)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		err = errors.New("a frame needs a window over 128 MiB; compress it again with --long=27 or less")
	}
	return n, err
}

// The sizes of the parts of an xz stream. The first block's header follows the stream's
// header. The footer has checksum, backward size, flags and magic.
const (
	XzHeader = 12
	xzFooter = 12
)

func openXz(r *bufio.Reader) (io.Reader, error) {
	head, err := r.Peek(XzHeader + 1024)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if dict := XzDictionary(head); dict > maxWindow {
		return nil, fmt.Errorf("the first block needs a dictionary of %d MiB, over the limit of %d", dict>>20, maxWindow>>20)
	}
	tail := &xzTail{r: r}
	x, err := xz.NewReader(tail)
	if err != nil {
		return nil, err
	}
	return xzStreams{x, tail}, nil
}

// xzStreams checks the end of the file itself: the library also reports the end if the
// file ends within the header of a block.
type xzStreams struct {
	io.Reader
	tail *xzTail
}

func (x xzStreams) Read(b []byte) (int, error) {
	n, err := x.Reader.Read(b)
	if err == io.EOF && !x.tail.footer {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// xzTail records whether the latest read was the footer of a stream, with or without
// padding. The library reads footers in one piece of 12 bytes and padding in pieces of
// 4; it reads nothing else in pieces of 12.
type xzTail struct {
	r      *bufio.Reader
	footer bool
}

func (t *xzTail) Read(b []byte) (int, error) {
	if len(b) != xzFooter {
		n, err := t.r.Read(b)
		if n > 0 {
			t.footer = t.footer && len(bytes.Trim(b[:n], "\x00")) == 0
		}
		return n, err
	}
	n, err := io.ReadFull(t.r, b)
	t.footer = err == nil && string(b[10:]) == "YZ" && binary.LittleEndian.Uint32(b) == crc32.ChecksumIEEE(b[4:10])
	return n, err
}

func (t *xzTail) ReadByte() (byte, error) {
	t.footer = false
	return t.r.ReadByte()
}

// XzDictionary returns the size of the dictionary in the first block's header. It
// returns 0 if there is no such header; the decoder then reports the error.
func XzDictionary(head []byte) uint64 {
	if len(head) < XzHeader+2 || head[XzHeader] == 0 {
		return 0
	}
	size := (int(head[XzHeader]) + 1) * 4
	if len(head) < XzHeader+size {
		return 0
	}
	block := head[XzHeader : XzHeader+size]
	flags, rest := block[1], block[2:]
	for _, present := range []bool{flags&0x40 != 0, flags&0x80 != 0} { // compressed, uncompressed size
		if present {
			_, n := binary.Uvarint(rest)
			rest = rest[max(0, n):]
		}
	}
	if len(rest) < 3 || rest[0] != 0x21 || rest[1] != 1 { // the LZMA2 filter, with one byte of properties
		return 0
	}
	bits := uint(rest[2]) & 0x3f
	return uint64(2|bits&1) << (bits/2 + 11)
}

func openBzip2(r *bufio.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }

// openLz4 decodes on the reading goroutine, so that offsets are exact.
func openLz4(r *bufio.Reader) (io.Reader, error) {
	z := lz4.NewReader(r)
	return z, z.Apply(lz4.ConcurrencyOption(1))
}

func openSnappy(r *bufio.Reader) (io.Reader, error) { return s2.NewReader(r), nil }

// describe returns a decompressor's error in plain words.
func (c *container) describe(err error) string {
	var structural bzip2.StructuralError
	var damage *errZip
	switch {
	case errors.As(err, &damage):
		return damage.msg
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return "the " + c.Name + " stream is truncated, or followed by a few stray bytes; copy or make the file again"
	case errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch) || strings.Contains(err.Error(), "checksum"):
		return c.Name + " checksum mismatch: the file is damaged"
	case errors.Is(err, errTrailing) || strings.Contains(err.Error(), "bad magic number") || errors.Is(err, zstd.ErrMagicMismatch) ||
		strings.Contains(err.Error(), "invalid header magic") ||
		errors.As(err, &structural) && strings.Contains(err.Error(), "continuation"):
		return "trailing bytes after the last " + c.Name + " member are not another member; remove them or make the file again"
	}
	return c.Name + " stream is damaged: " + err.Error()
}
