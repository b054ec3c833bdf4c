// Package falsafi1997 contains the kernels of [falsafi1997]. Their sizes are those of its table 2.
package falsafi1997

import "spoor/tracegen/kernel/internal/workload"

// All lists the kernels in the order of tracegen --list.
var All = []workload.Kernel{
	Appbt,
	Barnes,
	Sparse,
	Tomcatv,
	Water,
}
