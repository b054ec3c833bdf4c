package meshes

import "spoor/tracegen/kernel/internal/workload"

var transferSizes = []workload.Values{
	{"rows": 1, "cols": 1, "repetitions": 1},
	{"rows": 9, "cols": 7, "d": 3, "shape": transferColumns, "repetitions": 2},
	{"rows": 6, "cols": 8, "d": 4, "shape": transferBlock, "repetitions": 3}, // what is sent overlaps what is received
	{"rows": 5, "cols": 3, "d": 5, "repetitions": 2},
}

func spoilTransfer(inst workload.Instance) {
	f := inst.(*transfer)
	f.a[1][2]++
}
