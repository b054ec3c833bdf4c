// Package testsize gives tests a short form. All stages use it in their tests.
package testsize

import "testing"

// Cases returns how many cases a test tries: short under go test -short, else all. A short form keeps cases of every kind.
func Cases[N int | int64 | uint64](all, short N) N {
	if testing.Short() {
		return short
	}
	return all
}
