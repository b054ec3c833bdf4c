package weigh

// An instructionSet decodes the instructions of an architecture.
type instructionSet interface {
	// decode returns the instruction at the start of code, which is at addr.
	decode(code []byte, addr uint64) instruction
}

// An instruction holds the relevant facts of a machine instruction: its targets, how reliable its line is as a
// position, and its effect on registers that may count loop iterations.
type instruction struct {
	addr, size uint64
	op         operation
	evidence   evidence
	target     uint64 // of branches, jumps and calls, 0 if it is computed; for address, the address
	divides    bool   // a division; on x86 the compiler puts a check before it
	register   int    // operand of load, countdown and repeat
	value      int64  // loaded
	file       string
	line       int
	in         *inlineNode
}

type operation uint8

const (
	plain     operation = iota
	address             // loads an address into a register, perhaps of a jump table
	addend              // adds a constant to a register, perhaps the low part of such an address
	load                // loads a constant into a register
	countdown           // subtracts one from a register
	repeat              // is executed as often as a register says, and once more
	branch              // conditional
	jump
	call
	exit // return or trap
)

// evidence is how reliably the line of an instruction shows the block that executes it. The compiler moves
// computations. Moves between registers and the stack may have the line of any use. Memory accesses, calls and
// branches stay in their block.
type evidence int

const (
	none evidence = 0  // padding, spills, constants, moves between registers
	hint evidence = 1  // jumps
	weak evidence = 8  // arithmetic
	fair evidence = 24 // branches: their line is that of a condition or of one part of it
	firm evidence = 64 // loads, stores, calls
	sure evidence = 4096
)
