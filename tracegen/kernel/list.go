// Package kernel contains the programs whose traces are studied, one in each file. They are real algorithms, and
// every run verifies its result. The input of a kernel (data, tables of roots and coefficients) exists before the
// ranks start, so that only the algorithm is traced.
//
// The paper [du2000] names its kernels without sizes; the defaults are ours. Three of them follow
// SPLASH-2 [woo1995]. Sizes of the kernels of [falsafi1997] are those of its table 2. Sizes of the kernels of
// [sivasubramaniam1995] are those of its appendix. Bounds of rounding errors are from [higham2002]. The other
// kernels are from [dickens1996] and [hur1999].
package kernel

import "spoor/tracegen/workload"

// All lists every kernel, in the order of tracegen --list: paper by paper.
var All = []workload.Kernel{
	FFT,
	LU,
	Radix,
	Edge,
	TPCC,
	Appbt,
	Barnes,
	Sparse,
	Tomcatv,
	Water,
	Transfer,
	Scan,
	ConvShift,
	ConvScan,
	Array,
	SOR,
	BPS,
	APUCS,
	PGL,
	EP,
	IS,
	FFTBlocked,
	CG,
	Cholesky,
}
