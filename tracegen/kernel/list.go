// Package kernel lists the programs whose traces are studied. They are real algorithms, and every run verifies its
// result. The input of a kernel (data, tables of roots and coefficients) exists before the ranks start, so that only
// the algorithm is traced. Bounds of rounding errors are from [higham2002].
//
// The folder internal has a package for the kernels of each paper, with one kernel in each file. The two papers whose
// kernels share a mesh of ranks have one package.
package kernel

import (
	"slices"

	"spoor/tracegen/kernel/internal/du2000"
	"spoor/tracegen/kernel/internal/falsafi1997"
	"spoor/tracegen/kernel/internal/meshes"
	"spoor/tracegen/kernel/internal/sivasubramaniam1995"
)

// All lists every kernel, in the order of tracegen --list: paper by paper.
var All = slices.Concat(du2000.All, falsafi1997.All, meshes.All, sivasubramaniam1995.All)

// Counted and Recorded list the kernels of All in the forms that are recorded. The first counts instructions, the
// second also records memory references. All forms share inputs, parameters and checks.
var (
	Counted  = slices.Concat(du2000.Counted, falsafi1997.Counted, meshes.Counted, sivasubramaniam1995.Counted)
	Recorded = slices.Concat(du2000.Recorded, falsafi1997.Recorded, meshes.Recorded, sivasubramaniam1995.Recorded)
)
