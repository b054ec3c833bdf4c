package meshes

import "spoor/tracegen/kernel/internal/workload"

var sorSizes = []workload.Values{{"g": 1, "iterations": 1, "check": 0}, {"g": 6, "iterations": 9, "check": 0}, {"g": 7, "iterations": 500, "check": 3, "digits": 9}, {"g": 4, "iterations": 25}}

func spoilSOR(inst workload.Instance) {
	f := inst.(*sor)
	f.u[0][2*(f.g+2)+2] += 1e-12
}
