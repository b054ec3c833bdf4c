//go:build !withoutforms

package meshes

import (
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Counted and Recorded list the kernels of All in the forms that are recorded.
var (
	Counted  = workload.InForm(countedAll, programs.countedProgram)
	Recorded = workload.InForm(recordedAll, programs.recordedProgram)
)

// programs are the generated forms of a kernel's program.
type programs interface {
	countedProgram(*spmd.Rank) error
	recordedProgram(*spmd.Rank) error
}
