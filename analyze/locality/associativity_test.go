package locality

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// The kernels of the check, of 64-byte lines.

// butterflies is a radix-2 FFT of n complex points and its twiddle factors.
func butterflies(n int) (lines []uint64) {
	for half := 1; half < n; half *= 2 {
		for i := 0; i < n; i += 2 * half {
			for j := i; j < i+half; j++ {
				a, b := uint64(16*j)/64, uint64(16*(j+half))/64
				lines = append(lines, a, b, uint64(1<<28+16*(j-i)*(n/(2*half)))/64, a, b)
			}
		}
	}
	return lines
}

// zipf is n uses of m lines by Zipf's law with exponent 1.1.
func zipf(n, m int) (lines []uint64) {
	r := rand.New(rand.NewSource(9))
	z := rand.NewZipf(r, 1.1, 1, uint64(m-1))
	at := r.Perm(m)
	for range n {
		lines = append(lines, uint64(at[z.Uint64()]))
	}
	return lines
}

// radix is two passes of a radix sort of n keys of 4 bytes by digits of 8 bits.
func radix(n int) (lines []uint64) {
	const digits = 256
	r := rand.New(rand.NewSource(7))
	keys, sorted := make([]uint32, n), make([]uint32, n)
	for i := range keys {
		keys[i] = r.Uint32()
	}
	use := func(word int) { lines = append(lines, uint64(4*word)/64) }
	from, to, counts := 0, n, 2*n
	for pass := range 2 {
		digit := func(i int) int { return int(keys[i]>>(8*pass)) % digits }
		var at [digits + 1]int
		for i := range keys {
			at[digit(i)+1]++
			use(from + i)
			use(counts + digit(i))
		}
		for d := range digits {
			at[d+1] += at[d]
			use(counts + d)
		}
		for i := range keys {
			d := digit(i)
			sorted[at[d]] = keys[i]
			use(from + i)
			use(counts + d)
			use(to + at[d])
			at[d]++
		}
		keys, sorted, from, to = sorted, keys, to, from
	}
	return lines
}

// factorization is an LU factorization of n x n numbers of 8 bytes in blocks of b x b, each of which lies together; every fourth
// number of the inner loop is used.
func factorization(n, b int) (lines []uint64) {
	use := func(i, j int) {
		lines = append(lines, uint64(8*((i/b*(n/b)+j/b)*b*b+i%b*b+j%b))/64)
	}
	for k := 0; k < n; k += b {
		for x := k; x < k+b; x++ {
			for i := x + 1; i < k+b; i++ {
				use(i, x)
				use(x, x)
				for j := x + 1; j < k+b; j++ {
					use(i, j)
					use(x, j)
				}
			}
		}
		for q := k + b; q < n; q += b {
			for xy := range b * b {
				x, y := xy/b, xy%b
				use(q+x, k+y)
				use(k+y, k+x)
				use(k+x, q+y)
				use(k+y, k+x)
			}
		}
		for ij := range (n - k - b) / b * ((n - k - b) / b) {
			i, j := k+b+ij/((n-k-b)/b)*b, k+b+ij%((n-k-b)/b)*b
			for xz := range b * b {
				x, z := xz/b, xz%b
				use(i+x, k+z)
				for y := 0; y < b; y += 4 {
					use(i+x, j+y)
					use(k+z, j+y)
				}
			}
		}
	}
	return lines
}

// assoc is the table of a trace: fully associative, corrected and simulated miss ratio of each cache.
func assoc(t *testing.T, src trace.Source, shapes ...Shape) (rows [][3]float64, warnings []error) {
	t.Helper()
	a := &Analysis{Reuse: &reuse.Analysis{Lines: []unit.Bytes{64}}, Line: 64, Assoc: Associativity{Shapes: shapes, Simulate: true}}
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, a)
	if err != nil {
		t.Fatal(err)
	}
	table := results[0].Tables[1]
	var columns [3][]float64
	for i, name := range []string{"full", "corrected", "simulated"} {
		if columns[i], err = store.Data[float64](table, name); err != nil {
			t.Fatal(err)
		}
	}
	off, _ := store.Data[float64](table, "error")
	for i := range shapes {
		rows = append(rows, [3]float64{columns[0][i], columns[1][i], columns[2][i]})
		if off[i] != columns[1][i]-columns[2][i] {
			t.Errorf("row %d: error %v", i, off[i])
		}
	}
	return rows, results[0].Warnings
}

// The measured checks of the correction: it is good for irregular programs, and fails for an FFT, whose
// strides are powers of two. Numbers are to four digits, as they were printed.
func TestCorrectionOfKernels(t *testing.T) {
	shapes := []Shape{{64, 1}, {32, 2}, {64, 4}, {128, 2}, {128, 8}, {512, 2}}
	for _, c := range []struct {
		name  string
		lines []uint64
		want  [][3]float64 // fully associative, corrected, simulated
		fails string       // the cache for which a warning says so
	}{
		{"fft", butterflies(16384), [][3]float64{{.1965, .2258, .5821}, {.1965, .2042, .2993}, {.1680, .1720, .2402}, {.1680, .1750, .2940}, {.1399, .1424, .2257}, {.1399, .1464, .2930}}, "512 x 2"},
		{"radix", radix(65536), [][3]float64{{.2010, .2851, .2508}, {.2010, .2377, .2177}, {.0771, .0945, .1074}, {.0771, .1103, .1164}, {.0381, .0383, .0385}, {.0381, .0480, .0470}}, ""},
		{"lu", factorization(128, 16), [][3]float64{{.0436, .1528, .1924}, {.0436, .1060, .0754}, {.0299, .0307, .0287}, {.0299, .0378, .0351}, {.0141, .0143, .0146}, {.0141, .0171, .0173}}, ""},
		{"zipf", zipf(400_000, 20_000), [][3]float64{{.5524, .6195, .6158}, {.5524, .5855, .5974}, {.3982, .4130, .4096}, {.3982, .4293, .4250}, {.2602, .2667, .2673}, {.2602, .2884, .2883}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, warnings := assoc(t, source(c.lines), shapes...)
			for i := range shapes {
				for j := range 3 {
					if math.Abs(got[i][j]-c.want[i][j]) > 0.5001e-4 {
						t.Errorf("%s, %v: %.4f, want %.4f", c.name, shapes[i], got[i], c.want[i])
						break
					}
				}
			}
			if said := fmt.Sprint(warnings); c.fails != "" != strings.Contains(said, "512 sets x 2 ways") {
				t.Errorf("%s", said)
			}
		})
	}
}

// Processors have caches of their own, references cross lines, and one set is fully associative.
func TestSimulationIsNaive(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	src := &trace.Memory{Head: trace.Header{Procs: 3}, RefsOf: make([]trace.Refs, 3)}
	shapes := []Shape{{1, 40}, {8, 1}, {12, 3}, {64, 2}}
	misses, uses := make([]float64, len(shapes)), 0.0
	for p := range 3 {
		refs := &src.RefsOf[p]
		refs.Proc = trace.Proc(p)
		sets := make([]map[uint64][]uint64, len(shapes))
		for i := range sets {
			sets[i] = map[uint64][]uint64{}
		}
		for range 4000 {
			addr, size := uint64(r.Intn(1+r.Intn(1<<14))), uint16(1+r.Intn(100))
			refs.Append(1, addr, size, trace.Op(1+r.Intn(3)))
			if refs.Op[refs.Len()-1] == trace.Ifetch {
				continue
			}
			for line := addr / 64; line <= (addr+uint64(size)-1)/64; line++ {
				uses++
				for i, s := range shapes {
					var miss bool
					at := line % uint64(s.Sets)
					if sets[i][at], miss = used(sets[i][at], line, int(s.Ways)); miss {
						misses[i]++
					}
				}
			}
		}
	}
	got, _ := assoc(t, src, shapes...)
	for i, want := range misses {
		if got[i][2] != want/uses {
			t.Errorf("%v: %v, want %v", shapes[i], got[i][2], want/uses)
		}
	}
	if got[0][0] != got[0][2] || math.Abs(got[0][1]-got[0][2]) > 1e-12 {
		t.Errorf("one set: %v", got[0])
	}
}

// used is a set, newest first, after the use of a line.
func used(set []uint64, line uint64, ways int) (after []uint64, miss bool) {
	after, miss = []uint64{line}, true
	for _, l := range set {
		if l == line {
			miss = false
		} else if len(after) < ways || !miss {
			after = append(after, l)
		}
	}
	if miss {
		after = after[:min(len(after), ways)]
	}
	return after, miss
}

// What is kept of caches is read back.
func TestKeptSimulation(t *testing.T) {
	shapes := []Shape{{4, 2}, {1, 1}}
	a, b := newSimulation(shapes, 64, 0, 1), newSimulation(shapes, 64, 0, 1)
	if err := a.Touch([]uint64{1, 5, 9, 1, 1}); err != nil || a.End() != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, b); err != nil || !slices.Equal(a.Misses, b.Misses) || a.Misses[0] != 4 {
		t.Errorf("%s: %v, %v, want %v", text, err, b.Misses, a.Misses)
	}
	if json.Unmarshal([]byte("[1]"), b) == nil || json.Unmarshal([]byte("{}"), b) == nil {
		t.Error("other caches are read")
	}
}

// Distances of a sample count in the correction as those that are counted by themselves.
func TestCorrectionOfSampledDistances(t *testing.T) {
	a := Associativity{Shapes: []Shape{{16, 2}}}
	counted, sampled := new(measured), new(measured)
	counted.Cold, counted.Uses = 10, make([]uint64, 41)
	counted.Uses[3], counted.Uses[40] = 50, 40
	sampled.Cold, sampled.Far = 10, []reuse.Far{{Distance: 3, Uses: 50}, {Distance: 40, Uses: 40}}
	var got [2]float64
	for i, m := range []*measured{counted, sampled} {
		table, _ := a.table(m, nil, nil)
		values, _ := store.Data[float64](table, "corrected")
		got[i] = values[0]
	}
	if want := (10 + 50*missProbability(3, 16, 2) + 40*missProbability(40, 16, 2)) / 100; relative(got[0], want) > 1e-12 || relative(got[1], want) > 1e-12 {
		t.Errorf("%v, want %v of both", got, want)
	}
}
