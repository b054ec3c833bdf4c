package weigh

// A machine is an instruction set.
type machine interface {
	// decode returns the instruction at the start of code, which is at addr.
	decode(code []byte, addr uint64) instruction
}

// An instruction is what matters of a machine instruction: where it leads, how
// surely it is executed where its line says, and what it does to the registers that
// count the iterations of loops which the compiler makes.
type instruction struct {
	addr, size uint64
	op         operation
	evidence   evidence
	target     uint64 // of branches, jumps and calls, 0 if it is computed; address made, of address
	divides    bool   // but for a check that the compiler puts before, on x86
	register   int    // that load, countdown and repeat are about
	value      int64  // loaded
	file       string
	line       int
	in         *inlined
}

type operation uint8

const (
	plain     operation = iota
	address             // puts an address into a register: perhaps of a jump table
	addend              // adds a constant to a register: perhaps to make such an address whole
	load                // puts a constant into a register
	countdown           // takes one from a register
	repeat              // is executed as often as a register says, and once more
	branch              // conditional
	jump
	call
	exit // return or trap
)

// evidence is how much the line of an instruction says about where it is executed.
// The compiler moves computations, and values between registers and the stack
// carry the line of any use, but memory, calls and branches stay in their block.
type evidence int

const (
	none evidence = 0  // padding, spills, constants, moves between registers
	hint evidence = 1  // jumps
	weak evidence = 8  // arithmetic
	fair evidence = 24 // branches, which have the line of a condition, or of one part of it
	firm evidence = 64 // loads, stores, calls
	sure evidence = 4096
)
