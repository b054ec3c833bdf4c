package simgridti

import (
	"math"
	"spoor/traces/internal/input"
	"strconv"
)

// tiTypeSizes are the bytes of SMPI's datatypes by their number in traces. Structures
// include padding, as in MPI_Type_size on x86-64 (smpi_datatype.cpp).
var tiTypeSizes = [...]int64{
	8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, // DOUBLE INT CHAR SHORT LONG FLOAT BYTE LONG_LONG SIGNED_CHAR UNSIGNED_CHAR, _SHORT, UNSIGNED, _LONG, _LONG_LONG LONG_DOUBLE WCHAR C_BOOL
	1, 2, 4, 8, 1, 2, 4, 8, // INT8 to INT64, UINT8 to UINT64
	8, 16, 32, 8, 8, // C_FLOAT_COMPLEX C_DOUBLE_COMPLEX C_LONG_DOUBLE_COMPLEX AINT OFFSET
	8, 16, 16, 8, 8, 8, 16, 16, // FLOAT_INT LONG_INT DOUBLE_INT SHORT_INT 2INT 2FLOAT 2DOUBLE 2LONG
	4, 4, 8, 16, 8, 16, 16, // REAL REAL4 REAL8 REAL16 COMPLEX8 COMPLEX16 COMPLEX32
	4, 2, 4, 8, 16, 32, // INTEGER1 (of 4) INTEGER2 INTEGER4 INTEGER8 INTEGER16 LONG_DOUBLE_INT
	1, 8, 16, 32, 0, 0, 1, 8, 8, // CXX_BOOL, complex numbers of C++, UB LB PACKED PTR COUNT
}

// The numbers with a special meaning.
const (
	tiNullType    = -1   // MPI_DATATYPE_NULL
	tiByteType    = 6    // MPI_BYTE
	tiAnyTag      = -444 // MPI_ANY_TAG
	tiAnySource   = -555 // MPI_ANY_SOURCE
	tiUndefined   = -333 // MPI_UNDEFINED, which the tracer writes for MPI_ANY_SOURCE and MPI_PROC_NULL
	tiProcNull    = -666 // MPI_PROC_NULL
	tiDoubleBytes = 8    // of an element without datatype after init with a value
	tiByteBytes   = 1    // of an element without datatype after init without a value
)

// tiInteger reads an integer of the size of SimGrid's ranks, tags and datatypes.
func tiInteger(b []byte) (v int32, problem string) {
	digits := b
	if len(b) > 1 && b[0] == '-' {
		digits = b[1:]
	}
	u, problem := input.ParseDecimal(digits)
	switch {
	case problem != "":
		return 0, problem
	case u > math.MaxInt32:
		return 0, "a number over 32 bits"
	case len(digits) < len(b):
		return -int32(u), ""
	}
	return int32(u), ""
}

// tiNumber reads a number of elements or flops, which is a double in SimGrid. A whole
// number without sign, point and exponent is exact.
func tiNumber(b []byte) (whole int64, fraction float64, problem string) {
	if u, problem := input.ParseDecimal(b); problem == "" && u <= math.MaxInt64 {
		return int64(u), 0, ""
	}
	if whole, fraction, n := tiPlainNumber(b); n == len(b) {
		return whole, fraction, ""
	}
	v, err := strconv.ParseFloat(string(b), 64)
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return 0, 0, "not finite"
	case err != nil:
		return 0, 0, "not a number"
	case v >= 1<<63 || v < -1<<62:
		return 0, 0, "over 63 bits"
	}
	i, f := math.Modf(v)
	return int64(i), f, ""
}

// tiPlainDigits is the number of digits whose number a float64 holds exactly.
const tiPlainDigits = 15

// tiPlainNumber reads digits, with or without a point between them, at the start of b. n is their number, or 0 if they
// are too many. The result is that of tiNumber: both the digits and the power of ten are exact
// in a float64, so that their quotient is rounded once, as by ParseFloat.
func tiPlainNumber(b []byte) (whole int64, fraction float64, n int) {
	u, end := input.LongDecimalRun(b, 0)
	if end == 0 || end == len(b) || b[end] != '.' {
		if end < len(b) && b[end]-'0' <= 9 {
			end = 0
		}
		return int64(u), 0, end
	}
	point := end
	for end++; end < len(b) && end <= tiPlainDigits && b[end]-'0' <= 9; end++ {
		u = u*10 + uint64(b[end]-'0')
	}
	if end == point+1 || end > tiPlainDigits+1 || end < len(b) && b[end]-'0' <= 9 {
		return 0, 0, 0
	}
	v := float64(u) / tiTens[end-point-1]
	i, f := math.Modf(v)
	return int64(i), f, end
}

// tiTens are the powers of ten.
var tiTens = [tiPlainDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
