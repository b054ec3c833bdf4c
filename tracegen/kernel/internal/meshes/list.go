// Package meshes contains the kernels of [hur1999] and [dickens1996], which exchange messages. Most of them divide a
// matrix over a mesh of ranks.
package meshes

import "spoor/tracegen/kernel/internal/workload"

// All lists the kernels in the order of tracegen --list.
var All = []workload.Kernel{
	Transfer,
	Scan,
	ConvShift,
	ConvScan,
	Array,
	SOR,
	BPS,
	APUCS,
	PGL,
}
