package weigh

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// entryCost returns the instructions that a call of fn executes once.
func (l *costTable) entryCost(fn *region, key string) (sum float64) {
	charges := l.average(fn, fn, key)
	for _, line := range slices.Sorted(maps.Keys(charges)) {
		sum += charges[line]
	}
	return sum
}

// average returns the charges of region r of function fn. They are averaged over the copies that contain r,
// weighted by how often each copy is called. A key selects copies of one instance; if none contains r, the average
// is over all.
func (l *costTable) average(fn, r *region, key string) map[int]float64 {
	sum, calls := map[int]float64{}, 0.0
	for _, pass := range []func(*copyCost) float64{l.callFrequency, func(*copyCost) float64 { return 1 }} {
		for _, a := range l.copies[fn] {
			often := pass(a)
			if often == 0 || key != "" && a.key != key || !a.present[r] && len(a.charges[r]) == 0 || r == fn && a.scope.isInlined() {
				continue
			}
			calls += often
			for line, n := range a.charges[r] {
				sum[line] += n * often
			}
		}
		if calls > 0 {
			break
		}
	}
	if calls == 0 && key != "" {
		return l.average(fn, r, "")
	}
	for line := range sum {
		sum[line] /= calls
	}
	return sum
}

// callFrequency estimates how often a copy is called. Machine code without direct callers counts as never called,
// unless it is a method that the compiler made for interfaces.
func (l *costTable) callFrequency(a *copyCost) float64 {
	if !a.scope.isInlined() && a.scope.node.parent == nil && len(l.calls.callers[a.address]) == 0 {
		return 0
	}
	return l.calls.estimate(a.address) * a.frequency
}

// instances returns the lines of each instance of generic functions.
func (l *costTable) instances() map[string]Lines {
	all := map[string]Lines{}
	for _, copies := range l.copies {
		for _, a := range copies {
			if a.key != "" && all[a.key] == nil {
				all[a.key] = l.lines(a.key)
			}
		}
	}
	return all
}

// isInstance reports whether fn has copies of the instance of a key.
func (l *costTable) isInstance(fn *region, key string) bool {
	return slices.ContainsFunc(l.copies[fn], func(a *copyCost) bool { return a.key == key })
}

// lines averages the copies and rounds the result. A key selects the functions with an instance, and its copies. The rounding error of a region is added to the next region of
// the same loop, which is executed about as often.
func (l *costTable) lines(key string) Lines {
	out := Lines{}
	for _, fn := range l.functions {
		if fn.inlined || key != "" && !l.isInstance(fn, key) {
			continue
		}
		file := l.copies[fn][0].scope.file.name
		if out[file] == nil {
			out[file] = map[int]int{}
		}
		left := map[*region]float64{} // rounding error, by loop
		for _, r := range l.regions(fn) {
			left[r.loop] = round(out[file], r.line, l.average(fn, r, key), left[r.loop])
		}
	}
	return out
}

// regions returns the regions of fn with charges, by line.
func (l *costTable) regions(fn *region) (all []*region) {
	for _, a := range l.copies[fn] {
		for r := range a.charges {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	slices.SortFunc(all, func(a, b *region) int { return cmp.Compare(a.line, b.line) })
	return all
}

// round adds the charges of a region to lines as integers. Their sum is exact except for less than one instruction.
// It returns the remaining rounding error, including the earlier error left.
func round(to map[int]int, line int, charges map[int]float64, left float64) float64 {
	total, given := left, 0
	for _, at := range slices.Sorted(maps.Keys(charges)) {
		n := int(math.Round(charges[at]))
		total += charges[at]
		given += n
		to[at] += n
	}
	whole := math.Round(total)
	to[line] += int(whole) - given
	return total - whole
}
