// Package kernel holds the programs whose traces are studied, one in each file:
// real algorithms that compute results which are verified after every run. The
// data a kernel starts from (input, tables of roots and coefficients) exists
// before the ranks start, so that what is traced is the algorithm.
//
// [du2000] is X. Du, X. Zhang, Z. Zhu: Memory hierarchy considerations for
// cost-effective cluster computing. IEEE Transactions on Computers 49(9), 2000,
// pp. 915-933. It names its kernels but not their sizes; the defaults are
// ours. [woo1995] is S. C. Woo, M. Ohara, E. Torrie, J. P. Singh, A. Gupta: The
// SPLASH-2 programs: characterization and methodological considerations. ISCA
// 1995, pp. 24-36.
package kernel

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"

	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// All lists every kernel, in the order of tracegen --list.
var All = []Kernel{FFT, LU, Radix, Edge}

// Kernel is one program with its parameters.
type Kernel struct {
	Name   string
	Paper  string // key of the paper whose workload it is
	Doc    string // one line
	Params []Param
	Small  Values // what makes a run short, for examples

	check func(v Values) error // what must hold between parameters, or nil
	make  func(v Values, procs int, seed uint64) Instance
}

// Param is one integer parameter of a kernel.
type Param struct {
	Name              string
	Default, Min, Max int
	Must              string         // what else must hold, or ""
	holds             func(int) bool // whether it does; nil if the kernel's check says
	Doc               string
}

// Range says which values are legal: "16 to 1024, a power of 4".
func (p Param) Range() string {
	text := fmt.Sprintf("%d to %d", p.Min, p.Max)
	if p.Must != "" {
		text += ", " + p.Must
	}
	return text
}

// Values are the parameters of one run by name.
type Values map[string]int

// Instance is one run of a kernel: its input, and after the run its result.
type Instance interface {
	// Program is what every rank runs, once.
	Program(r *spmd.Rank) error
	// Verify checks the result by another computation: a library's, or the definition's.
	Verify() error
	// Digest identifies the result, to the bit.
	Digest() string
	// Counts predicts what a recording holds.
	Counts() Counts
}

// Counts is what closed forms say of a recording.
type Counts struct {
	Barriers uint64   // of every rank
	Refs     []uint64 // of each rank
	AtLeast  bool     // Refs are lower bounds, nearly reached: branches on data decide about the rest
}

// Values completes set with the defaults. An unknown name or a value out of range
// is an error that says what is possible.
func (k Kernel) Values(set Values) (Values, error) {
	all := Values{}
	names := make([]string, len(k.Params))
	for i, p := range k.Params {
		names[i] = p.Name
		v, ok := set[p.Name]
		if !ok {
			v = p.Default
		}
		if v < p.Min || v > p.Max || (p.holds != nil && !p.holds(v)) {
			return nil, fmt.Errorf("%s=%d is out of range; %s", p.Name, v, p.Range())
		}
		all[p.Name] = v
	}
	for _, name := range sortedKeys(set) {
		if _, ok := all[name]; !ok {
			return nil, unknown("parameter", name, names)
		}
	}
	if k.check != nil {
		if err := k.check(all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// New prepares a run on procs ranks. Values are those that k.Values returned; the
// input depends on them and seed alone.
func (k Kernel) New(v Values, procs int, seed uint64) (Instance, error) {
	if err := spmd.CheckProcs(procs); err != nil {
		return nil, err
	}
	return k.make(v, procs, seed), nil
}

// Args lists the values in the order of the parameters, as headers show them.
func (k Kernel) Args(v Values) []trace.Arg {
	args := make([]trace.Arg, len(k.Params))
	for i, p := range k.Params {
		args[i] = trace.Arg{Key: p.Name, Value: strconv.Itoa(v[p.Name])}
	}
	return args
}

// Find is the kernel called name; the error suggests the nearest.
func Find(name string) (Kernel, error) {
	names := make([]string, len(All))
	for i, k := range All {
		if names[i] = k.Name; k.Name == name {
			return k, nil
		}
	}
	return Kernel{}, unknown("kernel", name, names)
}

// generator is the source of a kernel's input.
func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// digest is the start of the SHA-256 of results in little-endian order.
func digest(results ...any) string {
	h := sha256.New()
	for _, r := range results {
		// A hash takes every write, and results are slices of fixed-size numbers.
		if err := binary.Write(h, binary.LittleEndian, r); err != nil {
			panic(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func powerOfTwo(v int) bool { return v > 0 && v&(v-1) == 0 }
