package recorder

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// compilers of the programs in testdata/one, by the ends of their names.
var compilersOf = map[string]string{".c": "gcc", ".cc": "g++", ".f90": "gfortran"}

// TestCountsAreCallgrinds compares recordings of programs with one thread with what callgrind counts from main on.
func TestCountsAreCallgrinds(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs under valgrind")
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed")
	}
	t.Setenv("LD_BIND_NOW", "1")                                                                     // callgrind loses main while a symbol is resolved
	t.Setenv("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-ERMS,-FSRM,-AVX512F,-AVX512VL") // one code of strings for both processors
	files, err := os.ReadDir(filepath.Join("testdata", "one"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		t.Run(f.Name(), func(t *testing.T) { compareCounts(t, filepath.Join("testdata", "one", f.Name())) })
	}
}

// Of what they count, callgrind does not see the destructors after main, and finds lines in the cache that the loader used.
const (
	afterMain = 6000 // instructions
	warm      = 150  // lines
)

func compareCounts(t *testing.T, source string) {
	program := compiled(t, compilersOf[filepath.Ext(source)], "-O2", source)
	k, rec, _ := record(t, Options{Args: []string{program}})
	for i, c := range []lru{8 << 10, 32 << 10, 128 << 10} {
		counts := callgrind(t, program, c)
		data, misses := c.misses(k.refs[0])
		if i == 0 {
			near(t, "instructions", float64(rec.Instructions), counts[0], 0.001+afterMain/counts[0])
			near(t, "data references", float64(data), counts[1]+counts[2], 0.005)
		}
		near(t, fmt.Sprintf("misses of %d KiB", c>>10), float64(misses), counts[4]+counts[5], 0.005+warm/(counts[4]+counts[5]))
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	t.Logf("%-20s %9.0f, callgrind %9.0f: %+.3f %%", what, got, want, 100*(got/want-1))
	if got < want*(1-tolerance) || got > want*(1+tolerance) {
		t.Errorf("%s: %.0f, callgrind has %.0f", what, got, want)
	}
}

var collected = regexp.MustCompile(`Collected : ([\d ]+)`)

// callgrind counts instructions, loads, stores, and misses of instructions, loads and stores, in main.
func callgrind(t *testing.T, program string, c lru) (counts []float64) {
	t.Helper()
	out, err := exec.Command("valgrind", "--tool=callgrind", "--toggle-collect=main", "--cache-sim=yes", fmt.Sprintf("--D1=%d,%d,64", c, c/64),
		"--callgrind-out-file="+filepath.Join(t.TempDir(), "out"), program).CombinedOutput()
	m := collected.FindStringSubmatch(string(out))
	if err != nil || m == nil {
		t.Fatalf("%v: %s", err, strings.TrimSpace(string(out)))
	}
	for _, field := range strings.Fields(m[1]) {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, n)
	}
	return counts
}

// lru is the size of a cache with lines of 64 bytes, which keeps the lines that were used last. Its sets would depend on where the
// program and its stack lie, and so it has one. In a cache of 64 lines, the place of the stack within its lines still matters (0.7 %).
type lru int

// misses counts loads and stores, and those of them that miss. An instruction that modifies memory is one of them, as for
// callgrind.
func (c lru) misses(refs *trace.Refs) (data, misses int) {
	var lines []uint64
	touch := func(line uint64) (hit bool) {
		at := slices.Index(lines, line)
		if hit = at >= 0; !hit {
			if at = len(lines); at < int(c)/64 {
				lines = append(lines, 0)
			} else {
				at--
			}
		}
		copy(lines[1:at+1], lines[:at])
		lines[0] = line
		return hit
	}
	for i := range refs.Len() {
		if !refs.Op[i].Data() || i > 0 && refs.Instr[i] == 0 && refs.Op[i] == trace.Store && refs.Op[i-1] == trace.Load && refs.Addr[i] == refs.Addr[i-1] {
			continue
		}
		data++
		hit := true
		for line := refs.Addr[i] / 64; line <= (refs.Addr[i]+uint64(refs.Size[i])-1)/64; line++ {
			hit = touch(line) && hit
		}
		if !hit {
			misses++
		}
	}
	return data, misses
}
