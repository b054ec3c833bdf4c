package unit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/quick"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, base string
		want       float64
	}{
		{"64 KiB", "B", 65536},
		{"64KiB", "B", 65536},
		{" 64\tKiB ", "B", 65536},
		{"1kB", "B", 1000},
		{"0 B", "B", 0},
		{"1.5MiB", "B", 1.5 * 1048576},
		{".5KiB", "B", 512},
		{"2TiB", "B", 2 * math.Pow(2, 40)},
		{"3TB", "B", 3e12},
		{"1e3B", "B", 1000},
		{"1E3 B", "B", 1000},
		{"1e-3 s", "s", 1e-3},
		{"2.5us", "s", 2.5e-6},
		{"2.5 µs", "s", 2.5e-6}, // U+00B5
		{"2.5 μs", "s", 2.5e-6}, // U+03BC
		{"7 ps", "s", 7e-12},
		{"2 h", "s", 7200},
		{"3min", "s", 180},
		{"-1 ms", "s", -1e-3},
		{"+1 ms", "s", 1e-3},
		{"2.4 GHz", "Hz", 2.4e9},
		{"58 cycles", "cycles", 58},
		{"1 cycle", "cycles", 1},
		{"10GB/s", "B/s", 1e10},
		{"10 Gb/s", "B/s", 1.25e9},
		{"1 GiB/s", "B/s", 1 << 30},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := Parse(c.text, c.base)
			if err != nil || math.Abs(got-c.want) > 1e-15*math.Abs(c.want) {
				t.Errorf("Parse(%q, %q) = %v, %v; want %v", c.text, c.base, got, err, c.want)
			}
		})
	}
}

// Whatever is wrong is said, with the text.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, base, reason string }{
		{"", "B", "not a quantity"},
		{"B", "B", "not a quantity"},
		{"64", "B", "no unit"},
		{"64 KB", "B", `unknown unit "KB"`}, // neither 1000 nor 1024
		{"64 kib", "B", "unknown unit"},
		{"64 ms", "B", "unknown unit"},
		{"64 B", "s", "unknown unit"},
		{"1 M", "Hz", "unknown unit"},
		{"1 mhz", "Hz", "unknown unit"},
		{"1,5 s", "s", "not a finite number"},
		{"1 2 s", "s", "not a finite number"},
		{"1..2 s", "s", "not a finite number"},
		{"1e999 s", "s", "not a finite number"},
		{"1e300 TiB", "B", "not a finite number of B"},
		{"NaN s", "s", "not a quantity"},
		{"Inf s", "s", "not a quantity"},
		{"x1 s", "s", "not a finite number"},
		{"64 B/s", "B", "unknown unit"},
	} {
		t.Run(fmt.Sprintf("%v %v", c.text, c.base), func(t *testing.T) {
			_, err := Parse(c.text, c.base)
			if err == nil || !strings.Contains(err.Error(), c.reason) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("Parse(%q, %q): %v; want %q", c.text, c.base, err, c.reason)
			}
		})
	}
}

func TestParseOfUnknownBaseIsTheProgrammersMistake(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_, _ = Parse("1 m", "m")
}

// Every base has an example for errors, which must itself be right.
func TestExamplesParse(t *testing.T) {
	for base := range scales {
		if v, err := Parse(examples[base], base); err != nil || v <= 0 {
			t.Errorf("the example of %s, %q: %v, %v", base, examples[base], v, err)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]Bytes{"0 B": 0, "1 B": 1, "1.5 KiB": 1536, "4 GiB": 1 << 32, "1 GB": 1000000000} {
		t.Run(text, func(t *testing.T) {
			if got, err := ParseBytes(text); got != want || err != nil {
				t.Errorf("%v, %v; want %d", got, err, want)
			}
		})
	}
	for _, text := range []string{"-1 B", "0.5 B", "1.0001 KiB", "8388608 TiB", "1e30 B", "64", "NaN B"} {
		t.Run(text, func(t *testing.T) {
			if got, err := ParseBytes(text); err == nil {
				t.Errorf("%q is taken for %d bytes", text, got)
			}
		})
	}
}

// What Bytes prints, ParseBytes reads as the same number.
func TestBytesRoundTrip(t *testing.T) {
	law := func(mantissa uint32, shift uint8) bool {
		for _, b := range []Bytes{Bytes(mantissa) << (shift % 21), Bytes(mantissa) * 1e6} { // below 2^53: all exact in a float64
			if again, err := ParseBytes(b.String()); err != nil || again != b {
				return false
			}
		}
		return true
	}
	if err := quick.Check(law, &quick.Config{MaxCount: 5000}); err != nil {
		t.Error(err)
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct {
		value interface{ String() string }
		want  string
	}{
		{Bytes(0), "0B"},
		{Bytes(1000), "1000B"},
		{Bytes(1024), "1KiB"},
		{Bytes(65536), "64KiB"},
		{Bytes(16e9), "16GB"},
		{Bytes(3e6), "3MB"},
		{Bytes(2e12), "2TB"},
		{Bytes(-5e6), "-5MB"},
		{Bytes(1 << 30), "1GiB"},
		{Bytes(1e6 << 20), "1000000MiB"},
		{Bytes(1 << 30), "1GiB"},
		{Bytes(1 << 50), "1024TiB"},
		{Bytes(-2048), "-2KiB"},
		{Cycles(58), "58 cycles"},
		{Cycles(0.5), "0.5 cycles"},
		{Seconds(0), "0s"},
		{Seconds(2.5e-6), "2.5us"},
		{Seconds(12345), "12.35ks"},
		{Seconds(-0.001), "-1ms"},
		{Seconds(1e-15), "0.001ps"},
		{Seconds(math.Inf(1)), "+Infs"},
		{Picos(1500), "1.5ns"},
		{Hertz(2.4e9), "2.4GHz"},
		{Hertz(1e15), "1000THz"},
		{BytesPerSecond(1e10), "10GB/s"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := c.value.String(); got != c.want {
				t.Errorf("%T(%v) prints as %q, want %q", c.value, c.value, got, c.want)
			}
		})
	}
}

// What times and rates print, to four digits, Parse reads back.
func TestDecimalRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		v := math.Pow(10, 20*rng.Float64()-9)
		for base, text := range map[string]string{"Hz": Hertz(v).String(), "B/s": BytesPerSecond(v).String()} {
			if v < 1 || v >= 9.99e11 {
				continue // no unit there
			}
			if got, err := Parse(text, base); err != nil || math.Abs(got-v) > 6e-4*v {
				t.Fatalf("%v prints as %q, which is %v, %v", v, text, got, err)
			}
		}
	}
}

func TestConversions(t *testing.T) {
	if got := Cycles(58).At(2e9); got != 29e-9 {
		t.Errorf("58 cycles of 2 GHz are %v", got)
	}
	if got := Bytes(1000).Over(1e9); got != 1e-6 {
		t.Errorf("1000 B at 1 GB/s take %v", got)
	}
	if got := Seconds(1.4999e-12).Picos(); got != 1 {
		t.Errorf("1.4999 ps are %d ps", got)
	}
	if got := Seconds(1.5e-12).Picos(); got != 2 {
		t.Errorf("1.5 ps are %d ps", got)
	}
	law := func(n uint32) bool { return Picos(n).Seconds().Picos() == Picos(n) }
	if err := quick.Check(law, nil); err != nil {
		t.Error(err)
	}
}

func TestPowersOfTwo(t *testing.T) {
	for shift := range uint(63) {
		b := Bytes(1) << shift
		if !b.IsPowerOfTwo() || b.Shift() != shift {
			t.Errorf("2^%d: %v, %d", shift, b.IsPowerOfTwo(), b.Shift())
		}
	}
	for _, b := range []Bytes{0, -1, 3, 6, 1000, math.MaxInt64, math.MinInt64} {
		t.Run(fmt.Sprint(b), func(t *testing.T) {
			if b.IsPowerOfTwo() {
				t.Errorf("%d is called a power of two", b)
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("Shift of %d does not panic", b)
					}
				}()
				b.Shift()
			}()
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"64 KiB", "2.5us", "-1e3 Hz", "µ", "1e400B", "0x10 B", "1_000 B"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for base := range scales {
			if v, err := Parse(text, base); err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
				t.Errorf("Parse(%q, %q) = %v", text, base, v)
			}
		}
	})
}
