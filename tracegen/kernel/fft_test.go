package kernel

import "spoor/tracegen/workload"

var fftSizes = []workload.Values{{"points": 16}, {"points": 64, "line": 16}, {"points": 1024}, {"points": 4096, "line": 256}}

func spoilFFT(inst workload.Instance) {
	f := inst.(*fft)
	f.t[17] += 1e-9
}
