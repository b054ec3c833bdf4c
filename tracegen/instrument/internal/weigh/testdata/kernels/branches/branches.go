// Package branches decides at random.
package branches

// Run interprets random instructions and returns the accumulator.
func Run() float64 {
	x := uint64(88172645463325252)
	acc, odd, deep := 0, 0, 0
	var stack []int
	for i := 0; i < 40000; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		acc += interpret(int(x>>8&15), int(x>>20&255), acc)
		if acc&1 == 1 {
			odd++
			if x&2 != 0 && acc > 10 || x&12 == 4 {
				continue
			}
			deep++
		} else if x&64 != 0 {
			stack = append(stack, acc)
		} else {
			if len(stack) > 0 {
				acc -= stack[len(stack)-1]
				stack = stack[:len(stack)-1]
			}
		}
		for k := 0; k < 10; k++ {
			if x>>uint(k)&3 == 3 {
				break
			}
			acc ^= k
		}
	}
	return float64(acc&0xFFFF) + float64(odd)/1e6 + float64(deep)/1e12
}

func interpret(op, v, acc int) int {
	switch op {
	case 0:
		return v
	case 1:
		return -v
	case 2, 3:
		return v * 3
	case 4:
		if v > 100 {
			return 1
		}
		return 2
	case 5:
		return v ^ acc
	case 6:
		return v & acc
	case 7:
		return v | acc
	case 8:
		return acc>>1 + steps[v&15]
	case 9:
		return v % 7
	case 10:
		return max(v, acc)
	case 12:
		return min(v, 50)
	}
	if v < 0 {
		return 0
	}
	return 3
}
