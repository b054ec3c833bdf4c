package workload

import "spoor/tracegen/spmd"

// InForm returns kernels whose instances run another form of their program. P is an interface with the forms of a
// program, which all instances have.
func InForm[P any](all []Kernel, program func(P, *spmd.Rank) error) []Kernel {
	list := make([]Kernel, len(all))
	for i, k := range all {
		make := k.Make
		k.Make = func(v Values, procs int, seed uint64) Instance {
			inst := make(v, procs, seed)
			return formed{inst, func(r *spmd.Rank) error {
				if w, ok := inst.(Waiting); ok {
					w.PlaceVariables(r)
				}
				return program(inst.(P), r)
			}}
		}
		list[i] = k
	}
	return list
}

// Waiting is an instance whose ranks wait at flags or locks. PlaceVariables says where their words are, by spmd.Flags and
// spmd.Locks. It is called before the program runs, and not in it, because the instructions of programs are counted.
type Waiting interface {
	PlaceVariables(r *spmd.Rank)
}

// formed is an instance with another form of its program.
type formed struct {
	Instance
	program spmd.Program
}

func (f formed) Program(r *spmd.Rank) error { return f.program(r) }
