package memsys

import "spoor/calibrate/machine"

// COW is a cluster of workstations of one processor each, whose memory software makes a shared one [du2000, sec. 4.1]: a
// [CLUMP] with one processor in each node.
type COW struct{}

var _ Target = COW{}

// Name is "cow".
func (COW) Name() string { return string(machine.COW) }

// New is a cluster of workstations with empty caches.
func (COW) New(c Config) (System, error) {
	c.PerNode = 1
	return newCluster(c)
}
