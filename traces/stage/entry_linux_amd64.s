#include "textflag.h"

// func entry()
TEXT ·entry(SB),NOSPLIT|NOFRAME,$0
	SUBQ	$64, SP
	MOVQ	$97, AX // getrlimit
	MOVQ	$9, DI // RLIMIT_AS
	MOVQ	SP, SI
	SYSCALL
	MOVQ	0(SP), CX
	ADDQ	$64, SP
	TESTQ	AX, AX
	JNE	start
	MOVQ	$1400000000, AX
	CMPQ	CX, AX
	JCC	start // enough
	MOVQ	$1050000000, AX
	CMPQ	CX, AX
	JCC	refuse // the runtime makes its optional reservation and then lacks memory
	MOVQ	$850000000, AX
	CMPQ	CX, AX
	JCC	start // the runtime goes on without it
refuse:
	MOVQ	$1, AX // write
	MOVQ	$2, DI
	MOVQ	$tooLittle<>(SB), SI
	MOVQ	$104, DX
	SYSCALL
	MOVQ	$231, AX // exit_group
	MOVQ	$1, DI
	SYSCALL
start:
	JMP	_rt0_amd64_linux(SB)

DATA tooLittle<>+0(SB)/8, $"spoor: o"
DATA tooLittle<>+8(SB)/8, $"ut of me"
DATA tooLittle<>+16(SB)/8, $"mory: th"
DATA tooLittle<>+24(SB)/8, $"e progra"
DATA tooLittle<>+32(SB)/8, $"m needs "
DATA tooLittle<>+40(SB)/8, $"'ulimit "
DATA tooLittle<>+48(SB)/8, $"-v 14000"
DATA tooLittle<>+56(SB)/8, $"00' (1.4"
DATA tooLittle<>+64(SB)/8, $" GB) or "
DATA tooLittle<>+72(SB)/8, $"more to "
DATA tooLittle<>+80(SB)/8, $"start; r"
DATA tooLittle<>+88(SB)/8, $"aise tha"
DATA tooLittle<>+96(SB)/8, $"t limit\n"
GLOBL tooLittle<>(SB), RODATA, $104
