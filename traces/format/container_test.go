package format

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
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

func TestOtherContainersAreNamed(t *testing.T) {
	for magic, name := range map[string]string{"\x04\x22\x4d\x18....": "lz4", "PK\x03\x04....": "zip", "\xff\x06\x00\x00sNaPpY": "snappy"} {
		if _, err := readAll([]byte(magic)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
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
