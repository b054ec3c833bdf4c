package format

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"spoor/traces/format/internal/din"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/testsize"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
)

func TestContainersAreReadToTheEnd(t *testing.T) {
	for name, compress := range formattest.Compressors {
		one := compress(formattest.TinyText)
		for members := 1; members <= 3; members++ {
			got, err := formattest.ReadAll(bytes.Repeat(one, members))
			if want := strings.Repeat(formattest.TinyText, members); err != nil || got != want {
				t.Errorf("%s, %d members: %q, %v; want %q", name, members, got, err, want)
			}
		}
	}
}

// A container that is cut anywhere is an error, whatever was read before the cut.
func TestCutContainersAreErrors(t *testing.T) {
	for name, compress := range formattest.Compressors {
		whole := compress(formattest.TinyText)
		file := append(bytes.Clone(whole), whole...)
		for n := 6; n < len(file); n += testsize.Cases(1, 7) {
			if n == len(whole) {
				continue // one whole member
			}
			got, err := formattest.ReadAll(file[:n])
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
	for name, compress := range formattest.Compressors {
		for _, garbage := range []string{"\x01", "x", "garbage", strings.Repeat("garbage", 100)} {
			got, err := formattest.ReadAll(append(compress(formattest.TinyText), garbage...))
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
	for name, compress := range formattest.Compressors {
		whole := compress(formattest.TinyText)
		for i := 10 * 8; i < len(whole)*8; i += testsize.Cases(1, 19) { // behind every magic
			damaged := bytes.Clone(whole)
			damaged[i/8] ^= 1 << (i % 8)
			if got, err := formattest.ReadAll(damaged); err == nil && got != formattest.TinyText && got != "" {
				t.Errorf("%s with bit %d of byte %d flipped: read %q without an error", name, i%8, i/8, got)
			}
		}
	}
}

func TestXzPaddingIsLegal(t *testing.T) {
	file := append(formattest.Compressors["xz"](formattest.TinyText), 0, 0, 0, 0, 0, 0, 0, 0)
	if got, err := formattest.ReadAll(file); err != nil || got != formattest.TinyText {
		t.Errorf("padded xz: %q, %v", got, err)
	}
}

func TestXzDictionaryIsBounded(t *testing.T) {
	file := formattest.Compressors["xz"](formattest.TinyText)
	// The header of the first block: size, flags, filter id, size of properties, dictionary.
	file[input.XzHeader+4] = 40 // 4 GiB - 1
	_, err := formattest.ReadAll(file)
	if err == nil || !strings.Contains(err.Error(), "dictionary") {
		t.Errorf("a dictionary of 4 GiB: %v", err)
	}
	if got := input.XzDictionary(formattest.Compressors["xz"](formattest.TinyText)); got != 8<<20 {
		t.Errorf("dictionary of %d bytes, want the default of 8 MiB", got)
	}
}

func TestZstdWindowIsBounded(t *testing.T) {
	// Magic, a frame header with a window of 2^41 bytes, an empty last block.
	_, err := formattest.ReadAll([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 31 << 3, 0x01, 0, 0})
	if err == nil || !strings.Contains(err.Error(), "128 MiB") {
		t.Errorf("a window of 2 TiB: %v", err)
	}
}

// Snappy streams may be cut between chunks, so they are not among compressors.
func TestSnappyIsRead(t *testing.T) {
	var b bytes.Buffer
	w := snappy.NewBufferedWriter(&b)
	io.WriteString(w, formattest.TinyText)
	w.Close()
	one := b.Bytes()
	if got, err := formattest.ReadAll(bytes.Repeat(one, 2)); err != nil || got != formattest.TinyText+formattest.TinyText {
		t.Errorf("two snappy streams: %q, %v", got, err)
	}
	for n := len(one) - 1; n > 10; n-- { // the magic is a chunk of 10 bytes
		if got, err := formattest.ReadAll(one[:n]); err == nil {
			t.Errorf("snappy cut after %d bytes: read %q without an error", n, got)
		}
	}
	if got, err := formattest.ReadAll(append(bytes.Clone(one), "garbage"...)); err == nil {
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
			{"trace.log", formattest.TinyText},
			{"chunk.0000", formattest.TinyText[:7], "chunk.0001", "", "chunk.0002", formattest.TinyText[7:]},
			{"chunk.9999", formattest.TinyText[:20], "chunk.10000", formattest.TinyText[20:]},
		} {
			if got, err := formattest.ReadAll(zipOf(method, members...)); err != nil || got != formattest.TinyText {
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
		t.Run(want, func(t *testing.T) {
			if got, err := formattest.ReadAll(slices.Concat(parts...)); err != nil || got != want {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		})
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
		t.Run(what, func(t *testing.T) {
			if got, err := formattest.ReadAll(file); err == nil {
				t.Errorf("%q without an error", got)
			}
		})
	}
}

// large gives a zip file without comment the records of large files.
func large(file []byte) []byte {
	end := file[len(file)-input.ZipEnd:]
	at := len(file) - input.ZipEnd
	out := slices.Clone(file[:at])
	record := make([]byte, input.ZipEnd64+input.ZipLocator)
	copy(record, "PK\x06\x06")
	binary.LittleEndian.PutUint64(record[4:], input.ZipEnd64-12)
	for to, from := range map[int]int{24: 8, 32: 10} { // numbers of members
		binary.LittleEndian.PutUint64(record[to:], uint64(binary.LittleEndian.Uint16(end[from:])))
	}
	binary.LittleEndian.PutUint64(record[40:], uint64(binary.LittleEndian.Uint32(end[12:])))
	binary.LittleEndian.PutUint64(record[48:], uint64(binary.LittleEndian.Uint32(end[16:])))
	copy(record[input.ZipEnd64:], "PK\x06\x07")
	binary.LittleEndian.PutUint64(record[input.ZipEnd64+8:], uint64(at))
	binary.LittleEndian.PutUint32(record[input.ZipEnd64+16:], 1)
	out = append(append(out, record...), end...)
	end = out[len(out)-input.ZipEnd:]
	for i := 8; i < 20; i++ { // the true numbers are in the other record
		end[i] = 0xff
	}
	return out
}

func TestZipComplaints(t *testing.T) {
	good := zipOf(zip.Deflate, "chunk.0000", formattest.TinyText)
	flipped := bytes.Clone(good)
	flipped[bytes.Index(good, []byte("chunk.0000"))+10] ^= 0x40
	for _, c := range []struct {
		file []byte
		want string
	}{
		{good[:len(good)-5], "zip central directory is missing"},
		{append(bytes.Clone(good), formattest.TinyText...), "trailing bytes after the end"},
		{flipped, `member 0, "chunk.0000": `},
		{zipOf(zip.Store, "chunk.0001", "b", "chunk.0000", "a"), `member 1: zip members out of order: "chunk.0001" before "chunk.0000"`},
		{zipOf(zip.Store, "a.log", "b", "b.log", "a"), `several files ("a.log", "b.log")`},
		{zipOf(zip.Store, "a.log", "b", "a.1", "a"), "several files"},
	} {
		got, err := formattest.ReadAll(c.file)
		formattest.WantError(t, fmt.Sprintf("read %q", got), err, "standard input: ", c.want)
	}
	if _, err := input.Open(context.Background(), "-", io.MultiReader(bytes.NewReader(good)), nil); err == nil || !strings.Contains(err.Error(), "pipe") {
		t.Errorf("zip through a pipe: %v", err)
	}
}

// Like that of every container, the hash is of the file as given.
func TestZipHash(t *testing.T) {
	file := zipOf(zip.Deflate, "chunk.0000", "0 1000\n", "chunk.0001", "1 2000\n")
	in, err := input.Open(context.Background(), "-", bytes.NewReader(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (din.Din{}).Import(in, format.Options{}, new(formattest.MemorySink)); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256(file)); in.SHA256() != want {
		t.Errorf("got %s, want %s", in.SHA256(), want)
	}
}

func TestContainersAreFoundByContent(t *testing.T) {
	for name, compress := range formattest.Compressors {
		if c := input.DetectContainer(compress(formattest.TinyText)); c == nil || c.Name != name {
			t.Errorf("%s is taken for %v", name, c)
		}
	}
	for _, plain := range []string{"", "I  00401000,7\n", "BZh is text", "BZh9 is text too", "(\xb5", "P"} {
		t.Run(plain, func(t *testing.T) {
			if c := input.DetectContainer([]byte(plain)); c != nil {
				t.Errorf("%q is taken for %s", plain, c.Name)
			}
		})
	}
}

// A unit may be longer than a block, up to the limit and not a byte more.
func TestLinesUpToTheLimit(t *testing.T) {
	for _, n := range []int{input.BlockBytes - 1, input.BlockBytes, input.BlockBytes + 1, 2 * input.BlockBytes, input.MaxLine - 1, input.MaxLine} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			text := "first\n" + strings.Repeat("x", n) + "\nlast"
			if got, err := formattest.ReadAll([]byte(text)); err != nil || got != text {
				t.Errorf("a line of %d bytes: %d of %d bytes, %v", n, len(got), len(text), err)
			}
			text = strings.Repeat(strings.Repeat("x", n)+"\n", 3)
			if got, err := formattest.ReadAll([]byte(text)); err != nil || got != text {
				t.Errorf("3 lines of %d bytes: %d of %d bytes, %v", n, len(got), len(text), err)
			}
		})
	}
	for _, end := range []string{"\n", "", "\nmore\n"} {
		t.Run(end, func(t *testing.T) {
			got, err := formattest.ReadAll([]byte("first\n" + strings.Repeat("x", input.MaxLine+1) + end))
			if !errors.Is(err, input.ErrLongLine) || got != "first\n" {
				t.Errorf("a line of %d bytes and %q: %q, %v", input.MaxLine+1, end, got, err)
			}
		})
	}
}

func TestInterruptEndsReading(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	defer w.Close()
	go w.Write(bytes.Repeat([]byte("0 1000\n"), input.HeadBytes))
	in, err := input.Open(ctx, "-", r, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err = din.Din{}.Import(in, format.Options{}, new(formattest.MemorySink))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted import ended with %v", err)
	}
}

func TestSHA256IsOfTheFileAsGiven(t *testing.T) {
	in, err := input.Open(context.Background(), "-", strings.NewReader("0 1000\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (din.Din{}).Import(in, format.Options{}, new(formattest.MemorySink)); err != nil {
		t.Fatal(err)
	}
	// printf '0 1000\n' | sha256sum
	if want := "b8f322e7309f38a9e8decc7ad13d79576c16f1169d8d6f27ab903d23f55d99df"; in.SHA256() != want {
		t.Errorf("got %s, want %s", in.SHA256(), want)
	}
}
