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
	if binary.LittleEndian.Uint32(code) == 0 { // padding of functions
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
		findARM64LoopCounter(&i, x)
	}
	return i
}

// findARM64LoopCounter checks whether x loads a constant into a register, subtracts one from it, or adds the low
// bits of an address to it. The register may count down a loop or hold the address of a jump table.
func findARM64LoopCounter(i *instruction, x arm64asm.Inst) {
	const (
		addImmediate = 0x91000000 // of 64 bits, with an unshifted immediate
		subImmediate = 0xD1000000
		immediates   = 0xFFC00000
	)
	immediate := int64(x.Enc >> 10 & 0xFFF)
	to, from := int(x.Enc&31), int(x.Enc>>5&31)
	switch {
	case x.Enc&immediates == addImmediate:
		i.op, i.register, i.value = addend, to, immediate
	case x.Enc&immediates == subImmediate && to == from && immediate == 1:
		i.op, i.register = countdown, to
	case x.Op == arm64asm.MOV || x.Op == arm64asm.ORR && from == 31:
		for _, a := range x.Args {
			if v, ok := a.(arm64asm.Imm64); ok {
				i.op, i.register, i.value = load, to, int64(v.Imm)
			}
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
