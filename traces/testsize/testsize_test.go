package testsize

import (
	"fmt"
	"testing"
)

func Example() {
	sum := 0
	for i := range Cases(1000, 1000) {
		sum += i
	}
	fmt.Println(sum)
	// Output: 499500
}

func TestCases(t *testing.T) {
	want := 600
	if testing.Short() {
		want = 60
	}
	if got := Cases(600, 60); got != want {
		t.Errorf("got %d cases, want %d", got, want)
	}
}
