package meshes

import (
	"fmt"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Array executes an array statement A = x or A = x op y; x and y are arrays or scalars, and op is addition or
// multiplication. [hur1999, sec. 7.1 and eq. 12] models its computation. An l x l array of 4-byte integers is
// divided into blocks over a mesh of ranks. Each rank executes the statement on its block. There are no messages.
// Numbers wrap at 2^32.
var Array = workload.Kernel{
	Name: "array", Paper: "hur1999",
	Doc: "a statement on whole arrays: A = x or A = x op y",
	Params: []workload.Param{
		{Name: "l", Default: 1000, Min: 1, Max: 1 << 14, Doc: "rows and columns of the arrays"},
		{Name: "statement", Default: 6, Min: 0, Max: len(arrayStatements) - 1,
			Doc: "0: A=s, 1: A=B, 2: A=B+s, 3: A=B*s, 4: A=B+C, 5: A=B*C, 6: A=A+B, 7: A=A*B; s is a scalar"},
		{Name: "repetitions", Default: 10, Min: 1, Max: 1 << 20, Doc: "how often the statement is executed"},
		meshRows,
	},
	Small: workload.Values{"l": 64},
	Procs: func(v workload.Values, procs int) error { return checkMesh(v["meshrows"], procs, v["l"], 1) },
	Make:  newArray,
}

// arrayStatement is one statement with its effect on an element.
type arrayStatement struct {
	execute func(a, b, c []int32, s int32)
	element func(a, b, c, s int32) int32
}

// arrayStatements are the statements in the order of the parameter.
var arrayStatements = [...]arrayStatement{
	{assignScalar, func(_, _, _, s int32) int32 { return s }},
	{assignArray, func(_, b, _, _ int32) int32 { return b }},
	{assignSumWithScalar, func(_, b, _, s int32) int32 { return b + s }},
	{assignProductWithScalar, func(_, b, _, s int32) int32 { return b * s }},
	{assignSum, func(_, b, c, _ int32) int32 { return b + c }},
	{assignProduct, func(_, b, c, _ int32) int32 { return b * c }},
	{func(a, b, _ []int32, _ int32) { assignSum(a, a, b, 0) }, func(a, b, _, _ int32) int32 { return a + b }},
	{func(a, b, _ []int32, _ int32) { assignProduct(a, a, b, 0) }, func(a, b, _, _ int32) int32 { return a * b }},
}

// arrayScalar is the scalar of statements that have one.
const arrayScalar = 3

type array struct {
	l, repetitions int
	statement      arrayStatement
	mesh           mesh
	seed           uint64
	a, b, c        [][]int32 // the block of each rank
}

func newArray(v workload.Values, procs int, seed uint64) workload.Instance {
	f := &array{l: v["l"], repetitions: v["repetitions"], statement: arrayStatements[v["statement"]], mesh: newMesh(v["meshrows"], procs), seed: seed}
	a, b, c := f.input()
	f.a, f.b, f.c = scatter(f.mesh, a, f.l, f.l), scatter(f.mesh, b, f.l, f.l), scatter(f.mesh, c, f.l, f.l)
	return f
}

// input returns arrays of odd elements, so that products do not lose bits to powers of two.
func (f *array) input() (a, b, c []int32) {
	rng := workload.Generator(f.seed)
	all := make([]int32, 3*f.l*f.l)
	for i := range all {
		all[i] = int32(rng.Uint32() | 1)
	}
	n := f.l * f.l
	return all[:n], all[n : 2*n], all[2*n:]
}

// Program executes the statement.
func (f *array) Program(r *spmd.Rank) error {
	a := spmd.Private(r, "a", f.a[r.ID()])
	b := spmd.Private(r, "b", f.b[r.ID()])
	c := spmd.Private(r, "c", f.c[r.ID()])
	for range f.repetitions {
		f.statement.execute(a, b, c, arrayScalar)
	}
	return nil
}

func assignScalar(a, _, _ []int32, s int32) {
	for i := range a {
		a[i] = s
	}
}

// assignArray copies with the fastest method, like all kernels.
func assignArray(a, b, _ []int32, _ int32) { copy(a, b) }

func assignSumWithScalar(a, b, _ []int32, s int32) {
	for i := range a {
		a[i] = b[i] + s
	}
}

func assignProductWithScalar(a, b, _ []int32, s int32) {
	for i := range a {
		a[i] = b[i] * s
	}
}

func assignSum(a, b, c []int32, _ int32) {
	for i := range a {
		a[i] = b[i] + c[i]
	}
}

func assignProduct(a, b, c []int32, _ int32) {
	for i := range a {
		a[i] = b[i] * c[i]
	}
}

// Verify executes the statement element by element.
func (f *array) Verify() error {
	want, b, c := f.input()
	for at := range want {
		for range f.repetitions {
			want[at] = f.statement.element(want[at], b[at], c[at], arrayScalar)
		}
	}
	if err := compareElements(gather(f.mesh, f.a, f.l, f.l), want, f.l); err != nil {
		return fmt.Errorf("array A: %w", err)
	}
	return nil
}

func (f *array) Digest() string { return workload.Digest(gather(f.mesh, f.a, f.l, f.l)) }

// Counts predicts that there are no messages.
func (f *array) Counts() workload.Counts {
	return workload.Counts{Messages: make([]uint64, len(f.a))}
}
