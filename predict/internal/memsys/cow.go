package memsys

import (
	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/touch"
)

// COW is a cluster of workstations of one processor each, with shared memory in software [du2000, sec. 4.1]. It is a
// [CLUMP] with one processor in each node.
type COW struct{}

var _ Target = COW{}

// Name returns "cow".
func (COW) Name() string { return string(machine.COW) }

// New returns a cluster of workstations with empty caches.
func (COW) New(c Config) (touch.System, error) {
	c.PerNode = 1
	return newCluster(c)
}
