// Package du2000 contains the kernels of [du2000]. Three of them follow SPLASH-2 [woo1995]. The paper names its kernels
// without sizes; the defaults are ours.
package du2000

import "spoor/tracegen/kernel/internal/workload"

// All lists the kernels in the order of tracegen --list.
var All = []workload.Kernel{
	FFT,
	LU,
	Radix,
	Edge,
	TPCC,
}
