// Package workload defines kernels, the programs that are studied. A Kernel has parameters and makes an Instance
// from their values. The instance runs, verifies its own result, and predicts the number of recorded rows.
package workload

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"spoor/tracegen/spmd"
	"spoor/traces/lookup"
	"spoor/traces/trace"
)

// Kernel is one program with its parameters.
type Kernel struct {
	Name   string
	Paper  string // key of the paper that uses the program
	Doc    string // one line
	Params []Param
	Small  Values // values for a short run, for examples

	Procs func(v Values, procs int) error // error for a number of ranks that cannot run it; nil: any number can
	Check func(v Values) error            // error for values that do not fit together, or nil
	Fixed func(v Values) bool             // reports whether the input is data without a seed; nil: it never is
	Make  func(v Values, procs int, seed uint64) Instance
}

// Param is one integer parameter of a kernel.
type Param struct {
	Name              string
	Default, Min, Max int
	Constraint        string         // further condition in words, or ""
	Valid             func(int) bool // reports whether a value meets it; nil if the kernel's Check does that
	AddedLater        bool           // added after the kernel had been recorded: a header shows it only if it is not the default
	Doc               string
}

// Range describes the legal values: "16 to 1024, a power of 4".
func (p Param) Range() string {
	text := fmt.Sprintf("%d to %d", p.Min, p.Max)
	if p.Constraint != "" {
		text += ", " + p.Constraint
	}
	return text
}

// Values are the parameters of one run by name.
type Values map[string]int

// Instance is one run of a kernel. It holds the input and, after the run, the result.
type Instance interface {
	// Program is what every rank runs, once.
	Program(r *spmd.Rank) error
	// Verify checks the result by another method: that of a library, or the definition.
	Verify() error
	// Digest identifies the result, exact to the bit.
	Digest() string
	// Counts predicts the contents of a recording.
	Counts() Counts
}

// Counts holds closed-form predictions for a recording.
type Counts struct {
	Barriers uint64   // of each rank
	Messages []uint64 // sends (Send and Isend) by rank; nil if they depend on data or time
	Refs     []uint64 // by rank; nil if they depend on data
	AtLeast  bool     // Refs are close lower bounds: the rest depends on branches that test data
}

// Values adds the defaults to set. It returns an error for an unknown name or a value out of range.
func (k Kernel) Values(set Values) (Values, error) {
	all := Values{}
	names := make([]string, len(k.Params))
	for i, p := range k.Params {
		names[i] = p.Name
		v, ok := set[p.Name]
		if !ok {
			v = p.Default
		}
		if v < p.Min || v > p.Max || (p.Valid != nil && !p.Valid(v)) {
			return nil, fmt.Errorf("%s=%d is out of range; %s", p.Name, v, p.Range())
		}
		all[p.Name] = v
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if _, ok := all[name]; !ok {
			return nil, lookup.Unknown("parameter", name, names)
		}
	}
	if k.Check != nil {
		if err := k.Check(all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// New prepares a run on procs ranks. The values must come from k.Values. The input depends only on them and on
// seed.
func (k Kernel) New(v Values, procs int, seed uint64) (Instance, error) {
	if err := spmd.CheckProcs(procs); err != nil {
		return nil, err
	}
	if k.Procs != nil {
		if err := k.Procs(v, procs); err != nil {
			return nil, err
		}
	}
	if k.Fixed != nil && k.Fixed(v) && seed != 1 {
		return nil, fmt.Errorf("the input is fixed data, so seed %d has no effect; remove the seed", seed)
	}
	return k.Make(v, procs, seed), nil
}

// Args lists the values in the order of the parameters, for headers of traces.
func (k Kernel) Args(v Values) []trace.Arg {
	var args []trace.Arg
	for _, p := range k.Params {
		if p.AddedLater && v[p.Name] == p.Default {
			continue // keeps the bytes of recordings from before the parameter existed
		}
		args = append(args, trace.Arg{Key: p.Name, Value: strconv.Itoa(v[p.Name])})
	}
	return args
}

// Find returns the kernel of list with the given name. The error for an unknown name suggests the nearest one.
func Find(list []Kernel, name string) (Kernel, error) {
	names := make([]string, len(list))
	for i, k := range list {
		if names[i] = k.Name; k.Name == name {
			return k, nil
		}
	}
	return Kernel{}, lookup.Unknown("kernel", name, names)
}

// Generator returns the random source of a kernel's input.
func Generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// Digest returns the first 8 bytes of the SHA-256 of results in little-endian order, in hexadecimal.
func Digest(results ...any) string {
	h := sha256.New()
	for _, r := range results {
		// a hash never fails to write, and results are slices of fixed-size numbers
		if err := binary.Write(h, binary.LittleEndian, r); err != nil {
			panic(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// PowerOfTwo reports whether v is a power of two.
func PowerOfTwo(v int) bool { return v > 0 && v&(v-1) == 0 }

// Grid returns the most nearly square rows x cols = procs, rows <= cols.
func Grid(procs int) (rows, cols int) {
	for rows = int(math.Sqrt(float64(procs))); procs%rows != 0; rows-- {
	}
	return rows, procs / rows
}
