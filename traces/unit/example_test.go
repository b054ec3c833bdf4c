package unit_test

import (
	"fmt"

	"spoor/traces/unit"
)

// Quantities are read with their units, and conversions ask for what they need.
func Example() {
	line, err := unit.ParseBytes("64 B")
	if err != nil {
		panic(err)
	}
	clock, err := unit.Parse("2.4 GHz", "Hz")
	if err != nil {
		panic(err)
	}
	fmt.Println(line.Over(16e9), unit.Cycles(58).At(unit.Hertz(clock)).Picos(), line.Shift())
	_, err = unit.ParseBytes("64 KB")
	fmt.Println(err)
	// Output:
	// 4ns 24.17ns 6
	// "64 KB": unknown unit "KB"; write for example "64KiB"
}
