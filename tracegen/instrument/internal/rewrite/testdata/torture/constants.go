package main

import (
	_ "embed"
	"fmt"
	_ "unsafe"
)

//go:embed embedded.txt
var embedded string

//go:noinline
func notInlined(a []int) int { return a[0] }

//go:nosplit
func notSplit(a *int) int { *a++; return *a }

//go:linkname nanotime runtime.nanotime
func nanotime() int64

const (
	kA = iota << 2
	kB
	kC = len("four") + iota
	kD = "const"
)

var big1 = [...]int{kA: 1, kB: 2}

const huge = 1 << 100

func constants() {
	a := []int{kA, kB, kC}
	a[kB>>2] = huge >> 98
	a[0] += 'a' + kC
	f := []float64{1 / 3.0, 2}
	f[1] /= 3
	f[0] = huge / 1e20
	u := []uint8{255, ^uint8(0) >> 4}
	u[0] += u[1]
	x := -7
	a[1], a[2] = x/2, x%3
	a[0] = x >> 1
	f[1] = float64(x) / 2
	i8 := []int8{127}
	i8[0]++
	const inner = 5
	type local struct{ v [inner]int }
	var l local
	l.v[a[2]&3] = inner
	lp := &l
	lp.v[inner-1]++
	n := 3
	show("constants", a, f, u, i8, kD, big1, l, notInlined(a), notSplit(&n), nanotime() > 0, len(embedded), fmt.Sprintf("%T", 'x'))
	goto end
end:
}
