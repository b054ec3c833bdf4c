package sivasubramaniam1995

// The NAS Parallel Benchmarks draw random numbers from the linear congruential generator x_k = a x_{k-1} mod 2^46,
// r_k = x_k 2^-46, a = 5^13 [D. Bailey et al.: The NAS parallel benchmarks. RNR-94-007, NASA Ames, 1994, sec. 2.3].
// The product is computed modulo 2^64, a multiple of 2^46.
const (
	nasMultiplier = 1220703125 // 5^13
	nasBits       = 46
	nasMask       = 1<<nasBits - 1
)

// nasSkip returns the state n steps after x: a^n x mod 2^46, by repeated squaring.
func nasSkip(x, n uint64) uint64 {
	for a := uint64(nasMultiplier); n > 0; n >>= 1 {
		if n&1 == 1 {
			x = a * x & nasMask
		}
		a = a * a & nasMask
	}
	return x
}
