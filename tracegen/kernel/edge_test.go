package kernel

import "spoor/tracegen/workload"

var edgeSizes = []workload.Values{{"size": 15}, {"size": 17, "threshold": 255}, {"size": 24, "threshold": 1}}

func spoilEdge(inst workload.Instance) {
	f := inst.(*edge)
	f.edges[1][17*f.size+17] ^= 1
}
