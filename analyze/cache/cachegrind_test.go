package cache

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"spoor/traces/format"
	"spoor/traces/trace"
)

// program sweeps matrices and jumps about, also across lines.
const program = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double a[40][40], b[40][40], c[40][40];
int main(void) {
	for (int i = 0; i < 40; i++)
		for (int j = 0; j < 40; j++)
			for (int k = 0; k < 40; k++)
				c[i][j] += a[i][k] * b[k][j];
	unsigned x = 1, sum = 0;
	char *p = malloc(1 << 18);
	memset(p, 1, 1 << 18);
	for (int i = 0; i < 50000; i++) {
		unsigned v;
		x = x * 1664525 + 1013904223;
		p[x >> 12 & 0x3ffff]++;
		memcpy(&v, p + (x >> 13 & 0xffff) + 1, 4);
		sum += v;
	}
	printf("%u %g\n", sum, c[1][2]);
}
`

// compile makes an executable of the program, or skips the test.
func compile(t testing.TB) string {
	t.Helper()
	for _, tool := range []string{"valgrind", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool, "is not there")
		}
	}
	dir := t.TempDir()
	source, exe := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	if err := os.WriteFile(source, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O1", "-o", exe, source).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v: %s", err, out)
	}
	return exe
}

// valgrind runs the executable and returns what the tool says. The environment is empty, so that the
// stack is in the same place for all tools.
func valgrind(t testing.TB, exe string, args ...string) string {
	t.Helper()
	log := exe + ".log"
	path, _ := exec.LookPath("valgrind") // compile has looked
	cmd := exec.Command(path, append(args, "--log-file="+log, exe)...)
	cmd.Env = []string{}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("valgrind does not run here: %v: %s", err, out)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// collect is a sink that keeps what it gets, of one processor.
type collect struct{ trace.Memory }

func (c *collect) Refs(b *trace.Refs) error {
	for i := range b.Addr {
		c.RefsOf[0].Append(b.Instr[i], b.Addr[i], b.Size[i], b.Op[i])
	}
	return nil
}

func (c *collect) Events(*trace.Events) error { return nil }

// lackey is the trace of an executable.
func lackey(t testing.TB, exe string) *trace.Memory {
	t.Helper()
	text := valgrind(t, exe, "--tool=lackey", "--trace-mem=yes")
	in, err := format.Open(context.Background(), "-", strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c := collect{trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}}
	im, err := format.ImporterByName("lackey")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := im.Import(in, format.Options{}, &c); err != nil {
		t.Fatal(err)
	}
	return &c.Memory
}

// The misses are those of cachegrind, which counts at most one of each reference.
//
// What is left comes from references that cross lines: cachegrind requests LL for both
// lines if one of them misses in the first level, so that LL sees uses that ours does not;
// and it cuts references to the shortest line (the 512-byte stores of XSAVE). A modify is a load
// for cachegrind; here it is a load and a store, which hits.
func TestCachegrind(t *testing.T) {
	if testing.Short() {
		t.Skip("valgrind takes seconds")
	}
	exe := compile(t)
	m := lackey(t, exe)
	for _, c := range [][3]string{
		{"32768,8,64", "32768,8,64", "131072,16,64"},
		{"16384,1,32", "8192,4,32", "65536,8,64"},
		{"4096,2,64", "12288,3,64", "262144,4,128"},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			report := valgrind(t, exe, "--tool=cachegrind", "--cachegrind-out-file=/dev/null", "--I1="+c[0], "--D1="+c[1], "--LL="+c[2])
			got := simulate(t, m, &Analysis{Specs: parse(t, fmt.Sprintf("I1=%s,D1=%s,LL=%s", shape(c[0]), shape(c[1]), shape(c[2])))})[0][0]
			for i, name := range []string{"I1  misses", "D1  misses", "LL misses"} {
				misses, want := total(got[i].Misses)-got[i].Split, reported(t, report, name)
				if diff := math.Abs(float64(misses) - float64(want)); diff > 0.001*float64(want) {
					t.Errorf("%v: %s: got %d (and %d more of references that crossed lines), cachegrind has %d", c, name, misses, got[i].Split, want)
				} else {
					t.Logf("%v: %s: %d, cachegrind %d", c, name, misses, want)
				}
			}
		})
	}
}

// shape writes size,ways,line as Parse reads it.
func shape(text string) string {
	f := strings.Split(text, ",")
	return fmt.Sprintf("%sB/%s/%sB", f[0], f[1], f[2])
}

// reported is a number in the report of cachegrind.
func reported(t *testing.T, report, name string) uint64 {
	t.Helper()
	found := regexp.MustCompile(name + `: +([0-9,]+)`).FindStringSubmatch(report)
	if found == nil {
		t.Fatalf("cachegrind does not say %s:\n%s", name, report)
	}
	n, err := strconv.ParseUint(strings.ReplaceAll(found[1], ",", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
