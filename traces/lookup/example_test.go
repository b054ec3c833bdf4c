package lookup_test

import (
	"fmt"

	"spoor/traces/lookup"
)

func Example() {
	fmt.Println(lookup.Unknown("kernel", "ul", []string{"fft", "lu", "radix"}))
	// Output:
	// unknown kernel "ul"; did you mean "lu"? (known: fft, lu, radix)
}
