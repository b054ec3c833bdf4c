#include "textflag.h"

// func prefetch(from unsafe.Pointer, lines int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ from+0(FP), AX
	MOVQ lines+8(FP), CX
more:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ CX
	JG   more
	RET
