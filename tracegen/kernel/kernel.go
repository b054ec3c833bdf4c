package kernel

import "spoor/tracegen/kernel/internal/workload"

// A Kernel is a program with its parameters. It makes an Instance from their values. The instance runs, verifies its
// own result, and predicts the number of recorded rows.
type (
	Kernel   = workload.Kernel
	Param    = workload.Param
	Values   = workload.Values
	Instance = workload.Instance
)

// Find returns the kernel of list with the given name. The error for an unknown name suggests the nearest one.
func Find(list []Kernel, name string) (Kernel, error) { return workload.Find(list, name) }

// ParseSet reads values of the form key=value.
func ParseSet(set []string) (Values, error) { return workload.ParseSet(set) }
