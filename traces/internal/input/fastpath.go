package input

// HexRun reads the hexadecimal digits at b[i:], at most 16, and returns their end. It
// is small enough for the compiler to inline it into the fast paths.
func HexRun(b []byte, i int) (v uint64, end int) {
	last := min(i+16, len(b))
	for ; i < last && HexValue[b[i]] <= 15; i++ {
		v = v<<4 | uint64(HexValue[b[i]])
	}
	return v, i
}

// DecimalRun reads the decimal digits at b[i:], at most 5, and returns their end.
func DecimalRun(b []byte, i int) (v uint64, end int) {
	last := min(i+5, len(b))
	for ; i < last && b[i]-'0' <= 9; i++ {
		v = v*10 + uint64(b[i]-'0')
	}
	return v, i
}

// LongDecimalRun reads the decimal digits at b[i:], at most 18, and returns their end.
func LongDecimalRun(b []byte, i int) (v uint64, end int) {
	last := min(i+18, len(b))
	for ; i < last && b[i]-'0' <= 9; i++ {
		v = v*10 + uint64(b[i]-'0')
	}
	return v, i
}
