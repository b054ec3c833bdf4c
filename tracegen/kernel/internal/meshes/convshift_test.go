package meshes

import "spoor/tracegen/kernel/internal/workload"

var convShiftSizes = []workload.Values{{"l": 16, "b": 1}, {"l": 17, "b": 16}, {"l": 24, "b": 3, "weight": 255}, {"l": 21, "b": 5, "meshrows": 1}}

func spoilConvShift(inst workload.Instance) {
	f := inst.(*convShift)
	f.sums[1][3]++
}
