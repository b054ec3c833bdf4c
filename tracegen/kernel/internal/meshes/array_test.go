package meshes

import "spoor/tracegen/kernel/internal/workload"

var arraySizes = []workload.Values{
	{"l": 16, "statement": 0}, {"l": 17, "statement": 1}, {"l": 18, "statement": 2, "repetitions": 1}, {"l": 19, "statement": 3},
	{"l": 20, "statement": 4}, {"l": 21, "statement": 5, "meshrows": 1}, {"l": 22, "statement": 6}, {"l": 23, "statement": 7, "repetitions": 3},
}

func spoilArray(inst workload.Instance) {
	f := inst.(*array)
	f.a[1][3]++
}
