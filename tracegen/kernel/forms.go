//go:build !withoutforms

package kernel

import (
	"spoor/tracegen/spmd"
	"spoor/tracegen/workload"
)

// Counted and Recorded list the kernels of All in the forms that are recorded. The first counts instructions, the
// second also records memory references. All forms share inputs, parameters and checks.
var (
	Counted  = inForm(countedAll, programs.countedProgram)
	Recorded = inForm(recordedAll, programs.recordedProgram)
)

// programs are the generated forms of a kernel's program.
type programs interface {
	countedProgram(*spmd.Rank) error
	recordedProgram(*spmd.Rank) error
}

// inForm returns kernels whose instances run another form of their program.
func inForm(all []workload.Kernel, program func(programs, *spmd.Rank) error) []workload.Kernel {
	list := make([]workload.Kernel, len(all))
	for i, k := range all {
		make := k.Make
		k.Make = func(v workload.Values, procs int, seed uint64) workload.Instance {
			inst := make(v, procs, seed)
			return formed{inst, func(r *spmd.Rank) error { return program(inst.(programs), r) }}
		}
		list[i] = k
	}
	return list
}

// formed is an instance with another form of its program.
type formed struct {
	workload.Instance
	program spmd.Program
}

func (f formed) Program(r *spmd.Rank) error { return f.program(r) }
