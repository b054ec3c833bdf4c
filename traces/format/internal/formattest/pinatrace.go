package formattest

import (
	"math/rand/v2"
	"spoor/traces/trace"
)

// RandomPin has what the format can express: references of 1 byte, of known
// instructions, each of which reads before it writes once.
func RandomPin(rng *rand.Rand) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: 1, WorkUnit: trace.WorkInstr, HasPC: true}, RefsOf: make([]trace.Refs, 1)}
	r := &m.RefsOf[0]
	pc := uint64(0)
	for range 1 + rng.IntN(200) {
		pc += 1 + rng.Uint64()>>16>>rng.IntN(40)
		how := 1 + rng.IntN(3)
		for i, op := range []trace.Op{trace.Load, trace.Store} {
			if how>>i&1 == 0 {
				continue
			}
			r.Append(uint32(1-i*(how>>1&how&1)), rng.Uint64()>>rng.IntN(64), 1, op)
			r.PC = append(r.PC, pc)
		}
	}
	return m
}

const StockPin = "0x401000: R 0x7000\n0x401003: W 0x7008\n0x401008: R 0x7010\n0x401008: W 0x7010\n0x401008: R 0x7010\n0x401008: W 0x8010\n0x401010: R (nil)\n#eof\n"
