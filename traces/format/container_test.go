package format

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// bzip2Tiny is tinyText, compressed by the bzip2 program: Go has no such writer.
const (
	tinyText  = "I  00401000,7\n S 00402000,8\n"
	bzip2Tiny = "425a68393141592653592b3538a600000d5e000010400474c00020080020003100d34d02521e931a55e273445e48c4433eb45dc914e14240acd4e298"
)

// compressors make one member of each container.
var compressors = map[string]func(text string) []byte{
	"gzip": func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.Bytes()
	},
	"zstd": func(text string) []byte {
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		return w.EncodeAll([]byte(text), nil)
	},
	"xz": func(text string) []byte {
		var b bytes.Buffer
		w, _ := xz.WriterConfig{BlockSize: 16}.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.Bytes()
	},
	"lz4": func(text string) []byte {
		var b bytes.Buffer
		w := lz4.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.Bytes()
	},
	"bzip2": func(text string) []byte {
		if text != tinyText {
			panic("there is one bzip2 sample")
		}
		b, err := hex.DecodeString(bzip2Tiny)
		if err != nil {
			panic(err)
		}
		return b
	},
}

// readAll is the decompressed content of file, as blocks of lines.
func readAll(file []byte) (string, error) {
	in, err := Open(context.Background(), "-", bytes.NewReader(file), nil)
	if err != nil {
		return "", err
	}
	defer in.Close()
	if _, err := in.Head(); err != nil {
		return "", err
	}
	var all []byte
	for b, err := range in.blocks(wholeLines, maxLine) {
		if err != nil {
			return string(all), err
		}
		all = append(all, b...)
	}
	return string(all), nil
}

func TestContainersAreReadToTheEnd(t *testing.T) {
	for name, compress := range compressors {
		one := compress(tinyText)
		for members := 1; members <= 3; members++ {
			got, err := readAll(bytes.Repeat(one, members))
			if want := strings.Repeat(tinyText, members); err != nil || got != want {
				t.Errorf("%s, %d members: %q, %v; want %q", name, members, got, err, want)
			}
		}
	}
}

// A container that is cut anywhere is an error, whatever was read before the cut.
func TestCutContainersAreErrors(t *testing.T) {
	for name, compress := range compressors {
		whole := compress(tinyText)
		file := append(bytes.Clone(whole), whole...)
		for n := 6; n < len(file); n++ {
			if n == len(whole) {
				continue // one whole member
			}
			got, err := readAll(file[:n])
			if err == nil {
				t.Errorf("%s cut after %d of %d bytes: read %q without an error", name, n, len(file), got)
				continue
			}
			if want := fmt.Sprintf("compressed offset %d", n); !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "trailing") {
				t.Errorf("%s cut after %d bytes: error %q does not say %q", name, n, err, want)
			}
		}
	}
}

func TestTrailingGarbageIsAnError(t *testing.T) {
	for name, compress := range compressors {
		for _, garbage := range []string{"\x01", "x", "garbage", strings.Repeat("garbage", 100)} {
			got, err := readAll(append(compress(tinyText), garbage...))
			if err == nil {
				t.Errorf("%s with %d trailing bytes: read %q without an error", name, len(garbage), got)
			} else if !strings.Contains(err.Error(), "compressed offset") {
				t.Errorf("%s with %d trailing bytes: error %q has no offset", name, len(garbage), err)
			}
		}
	}
}

// A flipped bit gives an error or, in a field that does not matter such as the
// time in a gzip header, the same text; never another text.
func TestFlippedBitsChangeNothing(t *testing.T) {
	for name, compress := range compressors {
		whole := compress(tinyText)
		for i := 10 * 8; i < len(whole)*8; i++ { // behind every magic
			damaged := bytes.Clone(whole)
			damaged[i/8] ^= 1 << (i % 8)
			if got, err := readAll(damaged); err == nil && got != tinyText && got != "" {
				t.Errorf("%s with bit %d of byte %d flipped: read %q without an error", name, i%8, i/8, got)
			}
		}
	}
}

func TestXzPaddingIsLegal(t *testing.T) {
	file := append(compressors["xz"](tinyText), 0, 0, 0, 0, 0, 0, 0, 0)
	if got, err := readAll(file); err != nil || got != tinyText {
		t.Errorf("padded xz: %q, %v", got, err)
	}
}

func TestXzDictionaryIsBounded(t *testing.T) {
	file := compressors["xz"](tinyText)
	// The header of the first block: size, flags, filter id, size of properties, dictionary.
	file[xzHeader+4] = 40 // 4 GiB - 1
	_, err := readAll(file)
	if err == nil || !strings.Contains(err.Error(), "dictionary") {
		t.Errorf("a dictionary of 4 GiB: %v", err)
	}
	if got := xzDictionary(compressors["xz"](tinyText)); got != 8<<20 {
		t.Errorf("dictionary of %d bytes, want the default of 8 MiB", got)
	}
}

func TestZstdWindowIsBounded(t *testing.T) {
	// Magic, a frame header with a window of 2^41 bytes, an empty last block.
	_, err := readAll([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 31 << 3, 0x01, 0, 0})
	if err == nil || !strings.Contains(err.Error(), "128 MiB") {
		t.Errorf("a window of 2 TiB: %v", err)
	}
}

// Snappy streams may be cut between chunks, so they are not among compressors.
func TestSnappyIsRead(t *testing.T) {
	var b bytes.Buffer
	w := snappy.NewBufferedWriter(&b)
	io.WriteString(w, tinyText)
	w.Close()
	one := b.Bytes()
	if got, err := readAll(bytes.Repeat(one, 2)); err != nil || got != tinyText+tinyText {
		t.Errorf("two snappy streams: %q, %v", got, err)
	}
	for n := len(one) - 1; n > 10; n-- { // the magic is a chunk of 10 bytes
		if got, err := readAll(one[:n]); err == nil {
			t.Errorf("snappy cut after %d bytes: read %q without an error", n, got)
		}
	}
	if got, err := readAll(append(bytes.Clone(one), "garbage"...)); err == nil {
		t.Errorf("snappy with garbage: read %q without an error", got)
	}
}

// zipOf is a zip file with these members.
func zipOf(method uint16, members ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		m, _ := w.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		io.WriteString(m, members[i+1])
	}
	w.Close()
	return b.Bytes()
}

func TestZipMembersAreOneStream(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		for _, members := range [][]string{
			{"trace.log", tinyText},
			{"chunk.0000", tinyText[:7], "chunk.0001", "", "chunk.0002", tinyText[7:]},
			{"chunk.9999", tinyText[:20], "chunk.10000", tinyText[20:]},
		} {
			if got, err := readAll(zipOf(method, members...)); err != nil || got != tinyText {
				t.Errorf("%v: %q, %v", members, got, err)
			}
		}
	}
}

// Zip files that were joined into one are read whole, in order; also with comments, and
// with the records of large files.
func TestJoinedZipFilesAreReadWhole(t *testing.T) {
	one, two := zipOf(zip.Deflate, "chunk.0000", "a\n", "chunk.0001", "b\n"), zipOf(zip.Store, "chunk.0000", "c\n")
	var commented bytes.Buffer
	w := zip.NewWriter(&commented)
	w.SetComment("PK")
	m, _ := w.Create("x")
	io.WriteString(m, "d\n")
	w.Close()
	for want, parts := range map[string][][]byte{
		"a\nb\nc\n":       {one, two},
		"c\na\nb\n":       {two, one},
		"c\nd\nd\na\nb\n": {two, commented.Bytes(), commented.Bytes(), one},
		"a\nb\na\nb\nc\n": {one, large(one), two},
		"c\na\nb\n\n":     {two, large(one), zipOf(zip.Store, "y", "\n")},
	} {
		if got, err := readAll(slices.Concat(parts...)); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	for what, file := range map[string][]byte{
		"a cut zip file":      slices.Concat(one[:len(one)-1], two),
		"text":                slices.Concat([]byte("PK\x03\x04 1000\n"), two),
		"a gap":               slices.Concat(one, []byte("gap"), two),
		"a cut large file":    slices.Concat(large(one)[:len(one)+40], two),
		"a second one, cut":   slices.Concat(one, two[:len(two)-3]),
		"a part of a member":  slices.Concat(one[:20], two),
		"bytes after the end": slices.Concat(one, two, []byte("x")),
	} {
		if got, err := readAll(file); err == nil {
			t.Errorf("%s: %q without an error", what, got)
		}
	}
}

// large gives a zip file without comment the records of large files.
func large(file []byte) []byte {
	end := file[len(file)-zipEnd:]
	at := len(file) - zipEnd
	out := slices.Clone(file[:at])
	record := make([]byte, zipEnd64+zipLocator)
	copy(record, "PK\x06\x06")
	binary.LittleEndian.PutUint64(record[4:], zipEnd64-12)
	for to, from := range map[int]int{24: 8, 32: 10} { // numbers of members
		binary.LittleEndian.PutUint64(record[to:], uint64(binary.LittleEndian.Uint16(end[from:])))
	}
	binary.LittleEndian.PutUint64(record[40:], uint64(binary.LittleEndian.Uint32(end[12:])))
	binary.LittleEndian.PutUint64(record[48:], uint64(binary.LittleEndian.Uint32(end[16:])))
	copy(record[zipEnd64:], "PK\x06\x07")
	binary.LittleEndian.PutUint64(record[zipEnd64+8:], uint64(at))
	binary.LittleEndian.PutUint32(record[zipEnd64+16:], 1)
	out = append(append(out, record...), end...)
	end = out[len(out)-zipEnd:]
	for i := 8; i < 20; i++ { // the true numbers are in the other record
		end[i] = 0xff
	}
	return out
}

func TestZipComplaints(t *testing.T) {
	good := zipOf(zip.Deflate, "chunk.0000", tinyText)
	flipped := bytes.Clone(good)
	flipped[bytes.Index(good, []byte("chunk.0000"))+10] ^= 0x40
	for _, c := range []struct {
		file []byte
		want string
	}{
		{good[:len(good)-5], "zip central directory is missing"},
		{append(bytes.Clone(good), tinyText...), "trailing bytes after the end"},
		{flipped, `member 0, "chunk.0000": `},
		{zipOf(zip.Store, "chunk.0001", "b", "chunk.0000", "a"), `member 1: zip members out of order: "chunk.0001" before "chunk.0000"`},
		{zipOf(zip.Store, "a.log", "b", "b.log", "a"), `several files ("a.log", "b.log")`},
		{zipOf(zip.Store, "a.log", "b", "a.1", "a"), "several files"},
	} {
		got, err := readAll(c.file)
		wantError(t, fmt.Sprintf("read %q", got), err, "standard input: ", c.want)
	}
	if _, err := Open(context.Background(), "-", io.MultiReader(bytes.NewReader(good)), nil); err == nil || !strings.Contains(err.Error(), "pipe") {
		t.Errorf("zip through a pipe: %v", err)
	}
}

// Like that of every container, the hash is of the file as given.
func TestZipHash(t *testing.T) {
	file := zipOf(zip.Deflate, "chunk.0000", "0 1000\n", "chunk.0001", "1 2000\n")
	in, err := Open(context.Background(), "-", bytes.NewReader(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (Din{}).Import(in, Options{}, new(memorySink)); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256(file)); in.SHA256() != want {
		t.Errorf("got %s, want %s", in.SHA256(), want)
	}
}

func TestContainersAreFoundByContent(t *testing.T) {
	for name, compress := range compressors {
		if c := detectContainer(compress(tinyText)); c == nil || c.name != name {
			t.Errorf("%s is taken for %v", name, c)
		}
	}
	for _, plain := range []string{"", "I  00401000,7\n", "BZh is text", "BZh9 is text too", "(\xb5", "P"} {
		if c := detectContainer([]byte(plain)); c != nil {
			t.Errorf("%q is taken for %s", plain, c.name)
		}
	}
}

// A unit may be longer than a block, up to the limit and not a byte more.
func TestLinesUpToTheLimit(t *testing.T) {
	for _, n := range []int{blockBytes - 1, blockBytes, blockBytes + 1, 2 * blockBytes, maxLine - 1, maxLine} {
		text := "first\n" + strings.Repeat("x", n) + "\nlast"
		if got, err := readAll([]byte(text)); err != nil || got != text {
			t.Errorf("a line of %d bytes: %d of %d bytes, %v", n, len(got), len(text), err)
		}
		text = strings.Repeat(strings.Repeat("x", n)+"\n", 3)
		if got, err := readAll([]byte(text)); err != nil || got != text {
			t.Errorf("3 lines of %d bytes: %d of %d bytes, %v", n, len(got), len(text), err)
		}
	}
	for _, end := range []string{"\n", "", "\nmore\n"} {
		got, err := readAll([]byte("first\n" + strings.Repeat("x", maxLine+1) + end))
		if !errors.Is(err, errLongLine) || got != "first\n" {
			t.Errorf("a line of %d bytes and %q: %q, %v", maxLine+1, end, got, err)
		}
	}
}

func TestInterruptEndsReading(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	defer w.Close()
	go w.Write(bytes.Repeat([]byte("0 1000\n"), headBytes))
	in, err := Open(ctx, "-", r, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err = Din{}.Import(in, Options{}, new(memorySink))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted import ended with %v", err)
	}
}

func TestSHA256IsOfTheFileAsGiven(t *testing.T) {
	in, err := Open(context.Background(), "-", strings.NewReader("0 1000\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (Din{}).Import(in, Options{}, new(memorySink)); err != nil {
		t.Fatal(err)
	}
	// printf '0 1000\n' | sha256sum
	if want := "b8f322e7309f38a9e8decc7ad13d79576c16f1169d8d6f27ab903d23f55d99df"; in.SHA256() != want {
		t.Errorf("got %s, want %s", in.SHA256(), want)
	}
}
