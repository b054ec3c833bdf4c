package weigh

import (
	"encoding/binary"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
)

type arm64 struct{}

func (arm64) decode(code []byte, addr uint64) instruction {
	i := instruction{addr: addr, size: 4, evidence: weak}
	if len(code) < 4 {
		i.size = uint64(len(code))
		return i
	}
	if binary.LittleEndian.Uint32(code) == 0 { // what pads functions
		i.op, i.evidence = exit, none
		return i
	}
	x, err := arm64asm.Decode(code)
	if err != nil {
		return i
	}
	switch x.Op {
	case arm64asm.B:
		i.op, i.evidence, i.target = jump, hint, arm64Target(x, addr)
		if _, conditional := x.Args[0].(arm64asm.Cond); conditional {
			i.op, i.evidence = branch, fair
		}
	case arm64asm.CBZ, arm64asm.CBNZ, arm64asm.TBZ, arm64asm.TBNZ:
		i.op, i.evidence, i.target = branch, fair, arm64Target(x, addr)
	case arm64asm.BR:
		i.op, i.evidence = jump, hint
	case arm64asm.BL, arm64asm.BLR:
		i.op, i.evidence, i.target = call, firm, arm64Target(x, addr)
	case arm64asm.RET, arm64asm.BRK, arm64asm.HLT:
		i.op, i.evidence = exit, firm
	case arm64asm.NOP:
		i.evidence = none
	case arm64asm.ADRP:
		i.op, i.target = address, arm64Page(x, addr)
	default:
		i.evidence = arm64Evidence(x)
		arm64Counts(&i, x)
	}
	return i
}

// arm64Counts finds out whether x is part of a loop that counts down.
func arm64Counts(i *instruction, x arm64asm.Inst) {
	switch r := x.Args[0].(type) {
	case arm64asm.Reg:
		if v, ok := x.Args[1].(arm64asm.Imm64); ok && x.Op == arm64asm.MOV {
			i.op, i.register, i.value = load, int(r), int64(v.Imm)
		}
	case arm64asm.RegSP:
		if v, ok := x.Args[2].(arm64asm.ImmShift); ok && x.Op == arm64asm.SUB && x.Args[0] == x.Args[1] && v.String() == "#0x1" {
			i.op, i.register = countdown, int(r)
		}
	}
}

func arm64Target(x arm64asm.Inst, addr uint64) uint64 {
	for _, a := range x.Args {
		if rel, ok := a.(arm64asm.PCRel); ok {
			return addr + uint64(int64(rel))
		}
	}
	return 0
}

func arm64Page(x arm64asm.Inst, addr uint64) uint64 {
	return arm64Target(x, addr&^0xFFF)
}

func arm64Evidence(x arm64asm.Inst) evidence {
	name := x.Op.String()
	for _, a := range x.Args {
		var base arm64asm.RegSP
		switch m := a.(type) {
		case arm64asm.MemImmediate:
			base = m.Base
		case arm64asm.MemExtend:
			base = m.Base
		default:
			continue
		}
		if arm64asm.Reg(base) == arm64asm.SP {
			return none
		}
		return firm
	}
	if strings.HasPrefix(name, "MOV") || strings.HasPrefix(name, "FMOV") {
		return none
	}
	return weak
}
