// Package kernel is what the mirror is tested with.
package kernel

import "example.com/mirrored/workload"

// All lists the kernels.
var All = []workload.Kernel{Scale}
