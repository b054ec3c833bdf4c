// Package kernel is what the mirror is tested with.
package kernel

import "spoor/tracegen/workload"

// All lists the kernels.
var All = []workload.Kernel{Scale}
