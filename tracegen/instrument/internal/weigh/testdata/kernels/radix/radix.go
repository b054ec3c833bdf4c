// Package radix sorts keys by their digits.
package radix

// Run sorts and returns the number of keys out of order, and a checksum.
func Run() float64 {
	const n = 1 << 15
	keys := make([]uint32, n)
	x := uint32(1)
	for i := range keys {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		keys[i] = x
	}
	other := make([]uint32, n)
	for shift := uint(0); shift < 32; shift += 8 {
		pass(other, keys, shift)
		keys, other = other, keys
	}
	wrong := 0
	for i := 1; i < n; i++ {
		if keys[i] < keys[i-1] {
			wrong++
		}
	}
	return float64(wrong) + float64(keys[n/2])
}

func pass(to, from []uint32, shift uint) {
	var count [256]int
	for _, k := range from {
		count[k>>shift&255]++
	}
	at := 0
	for d, c := range count {
		count[d] = at
		at += c
	}
	for _, k := range from {
		d := k >> shift & 255
		to[count[d]] = k
		count[d]++
	}
}
