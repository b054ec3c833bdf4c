package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Dollars is an amount of money; it need not be whole.
type Dollars float64

// ParseDollars reads an amount with its unit before it: "$20000", "$0.34".
func ParseDollars(text string) (Dollars, error) {
	number, found := strings.CutPrefix(strings.TrimSpace(text), "$")
	if !found {
		return 0, fmt.Errorf("%q has no unit; write for example %q", text, "$20000")
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || strings.Trim(number, "0123456789.") != "" {
		return 0, fmt.Errorf("%q: %q is not a number of dollars such as 20000 or 0.34", text, number)
	}
	return Dollars(v), nil
}

// String prints d with all its digits.
func (d Dollars) String() string {
	if d < 0 {
		return "-" + (-d).String()
	}
	return "$" + strconv.FormatFloat(float64(d), 'f', -1, 64)
}
