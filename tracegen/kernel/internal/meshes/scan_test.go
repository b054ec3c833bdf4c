package meshes

import "spoor/tracegen/kernel/internal/workload"

var scanSizes = []workload.Values{{"l": 16, "direction": 1}, {"l": 23}, {"l": 30, "direction": 1}, {"l": 17, "direction": 2, "meshrows": 1}}

func spoilScan(inst workload.Instance) {
	f := inst.(*scan)
	f.a[1][3]++
}
