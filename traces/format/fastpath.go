package format

// hexRun reads the hexadecimal digits at b[i:], at most 16, and returns where they
// end. It is small, so that the compiler puts it into the loops of fast paths.
func hexRun(b []byte, i int) (v uint64, end int) {
	last := min(i+16, len(b))
	for ; i < last && hexValue[b[i]] <= 15; i++ {
		v = v<<4 | uint64(hexValue[b[i]])
	}
	return v, i
}
