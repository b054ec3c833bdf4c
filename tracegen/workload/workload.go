// Package workload is the contract between programs that are studied and whoever
// runs them: a Kernel has parameters, makes an Instance for values of them, and the
// instance runs, verifies its own result and predicts what a recording holds.
package workload

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

// Kernel is one program with its parameters.
type Kernel struct {
	Name   string
	Paper  string // key of the paper whose workload it is
	Doc    string // one line
	Params []Param
	Small  Values // what makes a run short, for examples

	Procs func(v Values, procs int) error // which numbers of ranks can run it; nil means all
	Check func(v Values) error            // what must hold between parameters, or nil
	Make  func(v Values, procs int, seed uint64) Instance
}

// Param is one integer parameter of a kernel.
type Param struct {
	Name              string
	Default, Min, Max int
	Must              string         // what else must hold, or ""
	Holds             func(int) bool // whether it does; nil if the kernel's Check says
	Later             bool           // added to a kernel that had been recorded: a header shows it if it is not the default
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
	Messages []uint64 // sends (Send and Isend) of each rank; nil if data or time decide
	Refs     []uint64 // of each rank; nil if data decide
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
		if v < p.Min || v > p.Max || (p.Holds != nil && !p.Holds(v)) {
			return nil, fmt.Errorf("%s=%d is out of range; %s", p.Name, v, p.Range())
		}
		all[p.Name] = v
	}
	for _, name := range sortedKeys(set) {
		if _, ok := all[name]; !ok {
			return nil, unknown("parameter", name, names)
		}
	}
	if k.Check != nil {
		if err := k.Check(all); err != nil {
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
	if k.Procs != nil {
		if err := k.Procs(v, procs); err != nil {
			return nil, err
		}
	}
	return k.Make(v, procs, seed), nil
}

// Args lists the values in the order of the parameters, as headers show them.
func (k Kernel) Args(v Values) []trace.Arg {
	var args []trace.Arg
	for _, p := range k.Params {
		if p.Later && v[p.Name] == p.Default {
			continue // recordings from before it have the same bytes
		}
		args = append(args, trace.Arg{Key: p.Name, Value: strconv.Itoa(v[p.Name])})
	}
	return args
}

// Find is the kernel of list called name; the error suggests the nearest.
func Find(list []Kernel, name string) (Kernel, error) {
	names := make([]string, len(list))
	for i, k := range list {
		if names[i] = k.Name; k.Name == name {
			return k, nil
		}
	}
	return Kernel{}, unknown("kernel", name, names)
}

// Generator is the source of a kernel's input.
func Generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// Digest is the start of the SHA-256 of results in little-endian order.
func Digest(results ...any) string {
	h := sha256.New()
	for _, r := range results {
		// A hash takes every write, and results are slices of fixed-size numbers.
		if err := binary.Write(h, binary.LittleEndian, r); err != nil {
			panic(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// PowerOfTwo reports whether v is one.
func PowerOfTwo(v int) bool { return v > 0 && v&(v-1) == 0 }
