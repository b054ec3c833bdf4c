package kernel

import "spoor/tracegen/workload"

var luSizes = []workload.Values{{"n": 1, "block": 1}, {"n": 16}, {"n": 60, "block": 12}, {"n": 96, "block": 16}, {"n": 10, "block": 1}}

func spoilLU(inst workload.Instance) {
	f := inst.(*lu)
	f.a[17] *= 1 + 1e-11
}
