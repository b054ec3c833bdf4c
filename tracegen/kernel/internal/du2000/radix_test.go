package du2000

import "spoor/tracegen/kernel/internal/workload"

var radixSizes = []workload.Values{{"keys": 1}, {"keys": 7, "radix": 2, "range": 2}, {"keys": 5000}, {"keys": 4097, "radix": 16, "range": 1 << 32}, {"keys": 3000, "radix": 1 << 12, "range": 3}}

func spoilRadix(inst workload.Instance) {
	f := inst.(*radix)
	f.result()[0] = f.result()[1]
}
