// Package sivasubramaniam1995 contains the kernels of [sivasubramaniam1995]. Their sizes are those of its appendix.
package sivasubramaniam1995

import "spoor/tracegen/kernel/internal/workload"

// All lists the kernels in the order of tracegen --list.
var All = []workload.Kernel{
	EP,
	IS,
	FFTBlocked,
	CG,
	Cholesky,
}
