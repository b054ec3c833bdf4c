package appointment

import "spoor/traces/unit"

// Least returns the least of some times, or Never. Two chains of comparisons make it twice as fast.
func Least(all []unit.Picos) unit.Picos {
	a, b := Never, Never
	for ; len(all) >= 2; all = all[2:] {
		a, b = min(a, all[0]), min(b, all[1])
	}
	if len(all) == 1 {
		a = min(a, all[0])
	}
	return min(a, b)
}
