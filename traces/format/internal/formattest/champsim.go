package formattest

import (
	"encoding/binary"
	"math/rand/v2"
)

func RandomBytes(n int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return string(b)
}

// ChampsimOf writes records of 64 or 96 bytes, apart from the exporter.
func ChampsimOf(size int, all ...Instruction) string {
	var out []byte
	for _, in := range all {
		b := make([]byte, size)
		binary.LittleEndian.PutUint64(b, in.IP)
		b[8], b[9] = in.Branch, in.Taken
		at := map[int][2]int{64: {16, 32}, 96: {24, 56}}[size]
		for i, a := range in.Stores {
			binary.LittleEndian.PutUint64(b[at[0]+8*i:], a)
		}
		for i, a := range in.Loads {
			binary.LittleEndian.PutUint64(b[at[1]+8*i:], a)
		}
		out = append(out, b...)
	}
	return string(out)
}

var FewInstructions = []Instruction{
	{IP: 0x401000, Loads: []uint64{0x7000, 0, 0x7008}, Stores: []uint64{0, 0x8000}},
	{IP: 0x401003, Branch: 1, Taken: 1, Stores: []uint64{0x8008}},
	{IP: 0x401000, Loads: []uint64{0x7010}, Stores: []uint64{0x7010, 0x7018}}, // modifies 0x7010
	{IP: 0x401005, Taken: 1}, // as cvp2champsim writes
	{IP: 0x401100},
}

// Instruction is one record of ChampSim's, written by hand.
type Instruction struct {
	IP            uint64
	Branch, Taken byte
	Loads, Stores []uint64
}
