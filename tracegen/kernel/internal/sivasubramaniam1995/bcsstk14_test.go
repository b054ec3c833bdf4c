package sivasubramaniam1995

import (
	"fmt"
	"strings"
	"testing"
)

const smallHB = `a matrix                                                                TINY
             4             1             1             2             0
RSA                        3             3             4             0
(4I3)           (4I3)           (3E8.1)
  1  3  4  5
  1  3  2  3
 4.0E+00 2.0E+00 9.0E+00
 1.6E+01
`

func TestHarwellBoeingIsRead(t *testing.T) {
	m, err := parseHarwellBoeing(smallHB)
	if got := fmt.Sprint(m.elements, m.neighbours, err); got != "[{0 0 4} {2 0 2} {1 1 9} {2 2 16}] [[2] [] [0]] <nil>" {
		t.Error(got)
	}
	m.scaleToUnitDiagonal()
	if got := fmt.Sprint(m.elements); got != "[{0 0 1} {2 0 0.25} {1 1 1} {2 2 1}]" {
		t.Error(got)
	}
}

func TestHarwellBoeingErrors(t *testing.T) {
	for _, c := range [][3]string{
		{"RSA", "RUA", "must be RSA"},
		{"(3E8.1)", "(E)", "format (E) is not understood"},
		{"  1  3  4  5", "  1  3  x  5", `column 2 ends at entry "x"`},
		{"  1  3  4  5", "  1  3  4  9", `column 3 ends at entry "9"`},
		{"  1  3  2  3", "  1  3  1  3", `in row "1" of column 2`},
		{" 9.0E+00", " 9.0Q+00", `entry 3 is "9.0Q+00"`},
		{"             4             1", "             4             9", "lines"},
	} {
		text := strings.Replace(smallHB, c[0], c[1], 1)
		if _, err := parseHarwellBoeing(text); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: error %v, want %q", c[1], err, c[2])
		}
	}
	if _, err := parseHarwellBoeing("x"); err == nil {
		t.Error("no error for one line")
	}
}
