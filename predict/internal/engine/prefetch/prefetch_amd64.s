#include "textflag.h"

// func Lines(from unsafe.Pointer, lines int)
TEXT ·Lines(SB), NOSPLIT, $0-16
	MOVQ from+0(FP), AX
	MOVQ lines+8(FP), CX
more:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ CX
	JG   more
	RET
