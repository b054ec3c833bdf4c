package weigh

import (
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

type amd64 struct{}

// decode takes a byte that the disassembler does not know as an instruction of length 1, and continues after it.
func (amd64) decode(code []byte, addr uint64) instruction {
	i := instruction{addr: addr, size: 1, evidence: weak}
	x, err := x86asm.Decode(code, 64)
	if err != nil || x.Len == 0 {
		return i
	}
	i.size = uint64(x.Len)
	next := addr + i.size
	switch name := x.Op.String(); {
	case x.Op == x86asm.JMP:
		i.op, i.evidence, i.target = jump, hint, relative(x, next)
	case x.Op == x86asm.CALL:
		i.op, i.evidence, i.target = call, firm, relative(x, next)
	case x.Op == x86asm.RET:
		i.op, i.evidence = exit, firm
	case x.Op == x86asm.UD2 || x.Op == x86asm.INT:
		i.op, i.evidence = exit, none
	case name[0] == 'J':
		i.op, i.evidence, i.target = branch, fair, relative(x, next)
	case x.Op == x86asm.NOP || x.Op == x86asm.XCHG && x.Args[0] == x.Args[1]:
		i.evidence = none
	case x.Op == x86asm.LEA:
		if m, ok := x.Args[1].(x86asm.Mem); ok && m.Base == x86asm.RIP {
			i.op, i.target = address, next+uint64(m.Disp)
		}
	default:
		i.evidence = amd64Evidence(x, name)
		i.divides = x.Op == x86asm.IDIV
		findAMD64LoopCounter(&i, x, name)
	}
	return i
}

func relative(x x86asm.Inst, next uint64) uint64 {
	if rel, ok := x.Args[0].(x86asm.Rel); ok {
		return next + uint64(int64(rel))
	}
	return 0
}

// findAMD64LoopCounter checks whether x is part of a loop that counts down.
func findAMD64LoopCounter(i *instruction, x x86asm.Inst, name string) {
	if len(x.Prefix) > 0 && x.Prefix[0]&0xFF == x86asm.PrefixREP && (name == "MOVSQ" || name == "STOSQ") {
		i.op, i.register = repeat, register(x86asm.RCX)
		return
	}
	r, ok := x.Args[0].(x86asm.Reg)
	if !ok {
		return
	}
	switch value, isImm := x.Args[1].(x86asm.Imm); {
	case name == "MOV" && isImm:
		i.op, i.register, i.value = load, register(r), int64(value)
	case name == "DEC":
		i.op, i.register = countdown, register(r)
	}
}

// register returns the number of the general register that r is or is part of, or -1.
func register(r x86asm.Reg) int {
	switch {
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return int(r - x86asm.EAX)
	case r >= x86asm.RAX && r <= x86asm.R15:
		return int(r - x86asm.RAX)
	}
	return -1
}

func amd64Evidence(x x86asm.Inst, name string) evidence {
	move := strings.HasPrefix(name, "MOV") || strings.HasPrefix(name, "VMOV")
	for _, a := range x.Args {
		m, ok := a.(x86asm.Mem)
		if !ok {
			continue
		}
		switch {
		case m.Base != x86asm.RSP && m.Base != x86asm.RBP && m.Base != x86asm.RIP:
			return firm
		case !move:
			return weak
		}
	}
	if move || zeroes(x, name) {
		return none
	}
	return weak
}

// zeroes reports whether x sets a register to zero.
func zeroes(x x86asm.Inst, name string) bool {
	return (name == "XOR" || name == "XORPS" || name == "PXOR") && x.Args[0] == x.Args[1]
}
