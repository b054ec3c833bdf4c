package zcolumn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/klauspost/compress/zstd"

	"spoor/traces/testsize"
)

// columns are columns of n elements of width bytes, by name.
func columns(width, n int) map[string][]byte {
	rng := rand.New(rand.NewPCG(uint64(width), uint64(n)))
	element := func(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v)[:width] }
	build := func(v func(i int) uint64) []byte {
		var b []byte
		for i := range n {
			b = append(b, element(v(i))...)
		}
		return b
	}
	loop := make([]uint64, 97)
	for i := range loop {
		loop[i] = rng.Uint64N(5)
	}
	return map[string][]byte{
		"constant": build(func(int) uint64 { return 7 }),
		"zero":     build(func(int) uint64 { return 0 }),
		"period 3": build(func(i int) uint64 { return uint64(i % 3) }),
		"basic blocks": build(func() func(int) uint64 {
			// What a program executes: 40 sequences of instruction counts in some order.
			var blocks [40][]uint64
			for i := range blocks {
				for range 5 + rng.IntN(40) {
					blocks[i] = append(blocks[i], rng.Uint64N(2))
				}
			}
			var rest []uint64
			return func(int) uint64 {
				if len(rest) == 0 {
					rest = blocks[rng.IntN(1+rng.IntN(len(blocks)))]
				}
				v := rest[0]
				rest = rest[1:]
				return v
			}
		}()),
		"few":        build(func(int) uint64 { return rng.Uint64N(4) }),
		"bytes":      build(func(int) uint64 { return rng.Uint64N(256) }),
		"large":      build(func(int) uint64 { return rng.Uint64N(40) * 0x123456789 }),
		"noisy loop": build(func(i int) uint64 { return loop[i%97] + rng.Uint64N(50)/49*rng.Uint64N(100) }),
		"two loops":  build(func(i int) uint64 { return loop[i*(1+i/(1<<14)%2)%97] }),
		"skewed":     build(func(int) uint64 { return rng.Uint64N(200) * (rng.Uint64N(50) / 49) }),
		"noise, then a loop": build(func(i int) uint64 {
			if i < blockSize/width {
				return rng.Uint64N(256)
			}
			return loop[i%97]
		}),
	}
}

func decoder(t testing.TB) *zstd.Decoder {
	t.Helper()
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestDecoderReadsColumns(t *testing.T) {
	z := decoder(t)
	e := NewEncoder()
	for _, width := range []int{1, 8, 2, 4}[:testsize.Cases(4, 2)] {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			block := blockSize / width
			for _, n := range []int{0, 1, 15, 16, 17, 1000, block - 1, block, block + 1, 3*block + 5} {
				for name, column := range columns(width, n) {
					frame, ok := e.Append([]byte("before"), column, width)
					if !ok || string(frame[:6]) != "before" {
						t.Fatalf("%s, %d elements of width %d: refused", name, n, width)
					}
					got, err := z.DecodeAll(frame[6:], nil)
					if err != nil || !bytes.Equal(got, column) {
						t.Fatalf("%s, %d elements of width %d: %v, same %t", name, n, width, err, bytes.Equal(got, column))
					}
					if len(frame) > 6+len(column)+17+len(column)/10000 {
						t.Errorf("%s, %d elements of width %d: %d bytes become %d", name, n, width, len(column), len(frame))
					}
					for i, appender := range []func(dst, column []byte, width int) ([]byte, bool){e.AppendWide, e.AppendLiterals} {
						frame, ok = appender(nil, column, width)
						got, err = z.DecodeAll(frame, nil)
						if ok != (width == wideWidth) || err != nil || (ok && !bytes.Equal(got, column)) {
							t.Fatalf("%s, %d wide elements of width %d, %d: accepted %t, %v", name, n, width, i, ok, err)
						}
					}
				}
			}
		})
	}
}

// ramps are columns that never fall, by name.
func ramps(n int) map[string][]byte {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	build := func(step func(i int) uint32) []byte {
		var b []byte
		v := uint32(0)
		for i := range n {
			b = binary.LittleEndian.AppendUint32(b, v)
			v += step(i)
		}
		return b
	}
	return map[string][]byte{
		"zero":     build(func(int) uint32 { return 0 }),
		"one":      build(func(int) uint32 { return 1 }),
		"large":    build(func(int) uint32 { return 1000 }),
		"period 9": build(func(i int) uint32 { return []uint32{1, 1, 1, 1, 1, 1, 1, 1, 8}[i%9] }),
		"random":   build(func(int) uint32 { return rng.Uint32N(4) }),
		"jumps":    build(func(int) uint32 { return rng.Uint32N(2) * rng.Uint32N(1<<16) }),
		"ends": build(func(i int) uint32 {
			if i > n/2 {
				return rng.Uint32N(9)
			}
			return uint32(i % 3)
		}),
	}
}

func TestDecoderReadsRamps(t *testing.T) {
	z, e := decoder(t), NewEncoder()
	for _, n := range []int{0, 1, 2, 100, 1023, 1024, 5000, blockSize/4 + 1, 100_000} {
		for name, column := range ramps(n) {
			frame, ok := e.AppendRamp([]byte("before"), column, 4)
			if !ok || string(frame[:6]) != "before" {
				t.Fatalf("%s, %d: refused", name, n)
			}
			got, err := z.DecodeAll(frame[6:], nil)
			if err != nil || !bytes.Equal(got, column) {
				t.Fatalf("%s, %d: %v, same %t", name, n, err, bytes.Equal(got, column))
			}
			if n == 100_000 {
				t.Logf("%s: %.3f bytes a row", name, float64(len(frame))/float64(n))
			}
		}
	}
	if _, ok := e.AppendRamp(nil, []byte{1, 0, 0, 0, 0, 0, 0, 0}, 4); ok {
		t.Error("a column that falls was accepted")
	}
}

// TestReferenceDecoderReadsColumns asks the zstd command, where there is one.
func TestReferenceDecoderReadsColumns(t *testing.T) {
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Skip("no zstd command: ", err)
	}
	e := NewEncoder()
	var frames, want []byte
	for _, width := range []int{1, 8, 2, 4}[:testsize.Cases(4, 2)] {
		for _, n := range []int{0, 20, 5000, 2*blockSize/width + 3} {
			all := columns(width, n)
			for _, name := range []string{"constant", "few", "basic blocks", "bytes", "large", "noisy loop", "skewed", "two loops", "noise, then a loop"} {
				column := all[name]
				frames, _ = e.Append(frames, column, width)
				want = append(want, column...)
				for _, appender := range []func(dst, column []byte, width int) ([]byte, bool){e.AppendWide, e.AppendLiterals} {
					var ok bool
					if frames, ok = appender(frames, column, width); ok {
						want = append(want, column...)
					}
				}
			}
		}
	}
	for _, n := range []int{0, 100, 5000, 100_000} {
		all := ramps(n)
		for _, name := range []string{"zero", "one", "period 9", "random", "jumps", "ends"} {
			frames, _ = e.AppendRamp(frames, all[name], rampWidth)
			want = append(want, all[name]...)
		}
	}
	cmd := exec.Command("zstd", "-d", "-c")
	cmd.Stdin = bytes.NewReader(frames)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	got, err := cmd.Output()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the zstd command reads %d bytes of %d: %v %s", len(got), len(want), err, problem.Bytes())
	}
}

// addresses is a column like that of a program: the addresses of its instructions,
// which recur, and of its data, which stride or wander.
func addresses(n int) (column []byte) {
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	for block, data := uint64(0), uint64(0); len(column) < n*wideWidth; block = (block*7 + 1 + rng.Uint64N(9)/8) % 60 {
		for i := range 5 + block%17 {
			column = binary.LittleEndian.AppendUint64(column, 0x401000+block*200+i*4)
			switch (block + i) % 4 {
			case 0:
				data += 8
				column = binary.LittleEndian.AppendUint64(column, 0x1fff000000+data)
			case 1:
				column = binary.LittleEndian.AppendUint64(column, 0x2fff000000+rng.Uint64N(1<<16)*8)
			}
		}
	}
	return column[:n*wideWidth]
}

func TestAddressesAreReadAndSmall(t *testing.T) {
	z := decoder(t)
	general, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	e := NewEncoder()
	const block = blockSize / wideWidth
	for _, n := range []int{0, 1, 2, 3, 4, 100, block - 1, block, block + 1, 1 << 18} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			column := addresses(n)
			frame, ok := e.AppendWide(nil, column, wideWidth)
			got, err := z.DecodeAll(frame, nil)
			if !ok || err != nil || !bytes.Equal(got, column) {
				t.Fatalf("%d addresses: accepted %t, %v, same %t", n, ok, err, bytes.Equal(got, column))
			}
			odd := append([]byte{0}, column...)[1:] // elements that are not aligned in memory
			if again, _ := e.AppendWide(nil, odd, wideWidth); !bytes.Equal(again, frame) {
				t.Errorf("%d addresses give other bytes elsewhere in memory", n)
			}
			if other := general.EncodeAll(column, nil); n == 1<<18 && len(frame) > len(other)*9/10 {
				t.Errorf("%d addresses: %d bytes, a general encoder needs %d", n, len(frame), len(other))
			}
		})
	}
	if _, ok := e.AppendWide(nil, make([]byte, (maxWide+1)*wideWidth), wideWidth); ok {
		t.Error("a column that is too long for the tables is accepted")
	}
	if _, ok := e.AppendWide(nil, make([]byte, maxWide*wideWidth), wideWidth); !ok {
		t.Error("the longest column is refused")
	}
}

func TestManyDifferentElementsAreRefused(t *testing.T) {
	e := NewEncoder()
	for _, width := range []int{2, 4, 8} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			for _, distinct := range []int{255, 256, 257, 10_000} {
				for _, scale := range []uint64{1, 251} {
					var column []byte
					for i := range 20_000 {
						column = append(column, binary.LittleEndian.AppendUint64(nil, uint64(i%distinct)*scale)[:width]...)
					}
					if width == 2 && distinct == 10_000 && scale > 1 {
						continue // wraps around
					}
					if _, ok := e.Append(nil, column, width); ok != (distinct <= 256) {
						t.Errorf("width %d, %d different elements: accepted %t", width, distinct, ok)
					}
				}
			}
		})
	}
}

func TestRepeatedRunsOfRowsAreFound(t *testing.T) {
	e := NewEncoder()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	column := columns(4, 1<<18)["basic blocks"]
	frame, _ := e.Append(nil, column, 4)
	if general := z.EncodeAll(column, nil); len(frame) > len(general)/2 {
		t.Errorf("%d bytes, a general encoder needs %d", len(frame), len(general))
	}
}

// FuzzDecoderReadsFrames holds the frames to the library's decoder: nobody reads
// them back when they are written.
func FuzzDecoderReadsFrames(f *testing.F) {
	z := decoder(f)
	e := NewEncoder()
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), uint8(0), uint8(3))
	f.Add(bytes.Repeat([]byte("abcdefghijklmnopqrstuvwxyz0123456789"), 40), uint8(2), uint8(1))
	f.Add([]byte{}, uint8(1), uint8(0))
	f.Add([]byte("\x00\x01\x10\x02\x80\xff\x00\x05\xc0\xff\x40\x01"), uint8(3), uint8(0))
	f.Fuzz(func(t *testing.T, seed []byte, log, times uint8) {
		width := 1 << (log % 4)
		column := bytes.Repeat(seed, 1+int(times))
		for _, column := range [][]byte{column[:len(column)/width*width], runs(seed, width)} {
			for _, encode := range []func(dst, column []byte, width int) ([]byte, bool){e.Append, e.AppendWide} {
				frame, ok := encode(nil, column, width)
				if !ok {
					continue
				}
				got, err := z.DecodeAll(frame, nil)
				if err != nil || !bytes.Equal(got, column) {
					t.Fatalf("%d bytes of width %d come back as %d: %v", len(column), width, len(got), err)
				}
			}
		}
	})
}

// runs takes pairs of bytes for elements, and for runs of up to some blocks that
// occurred before.
func runs(seed []byte, width int) (column []byte) {
	const most = 5 * blockSize / 2
	for ; len(seed) >= 2 && len(column) < most; seed = seed[2:] {
		kind, arg := seed[0], uint64(seed[1])
		if distance := 1 + int(kind%64)*int(kind%64); kind >= 64 && distance*width <= len(column) {
			for range min(int(arg*arg)*int(kind/64), (most-len(column))/width) {
				column = append(column, column[len(column)-distance*width:][:width]...)
			}
			continue
		}
		column = append(column, binary.LittleEndian.AppendUint64(nil, arg*0x0100000100010001+uint64(kind)<<20)[:width]...)
	}
	return column
}

func ExampleEncoder() {
	column := bytes.Repeat([]byte{1, 0, 0, 0, 0, 0, 0, 0}, 1000) // 1 0 1 0 ... of four bytes each
	frame, ok := NewEncoder().Append(nil, column, 4)
	z, _ := zstd.NewReader(nil)
	defer z.Close()
	back, err := z.DecodeAll(frame, nil)
	fmt.Println(ok, len(frame) < 60, bytes.Equal(back, column), err)
	// Output: true true true <nil>
}

func BenchmarkEncoder(b *testing.B) {
	e := NewEncoder()
	for _, name := range []string{"constant", "few", "basic blocks", "noisy loop"} {
		for _, width := range []int{1, 4} {
			b.Run(fmt.Sprintf("%s/%d", name, width), func(b *testing.B) {
				column := columns(width, 1<<18)[name]
				b.SetBytes(int64(len(column)))
				var frame []byte
				for b.Loop() {
					frame, _ = e.Append(frame[:0], column, width)
				}
				b.ReportMetric(float64(len(frame))/(1<<18), "B/row")
			})
		}
	}
}
