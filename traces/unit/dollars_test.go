package unit

import (
	"strings"
	"testing"
)

func TestDollars(t *testing.T) {
	for text, want := range map[string]Dollars{"$20000": 20000, " $0.34 ": 0.34, "$0": 0} {
		t.Run(text, func(t *testing.T) {
			if d, err := ParseDollars(text); err != nil || d != want {
				t.Errorf("got %v, %v", d, err)
			}
			if d, err := ParseDollars(want.String()); err != nil || d != want {
				t.Errorf("%v reads back as %v, %v", want, d, err)
			}
		})
	}
	for text, say := range map[string]string{
		"20000": "has no unit", "$": "not a number", "$-3": "not a number", "$1e5": "not a number", "$20,000": "not a number",
		"$NaN": "not a number", "$Inf": "not a number", "$0x10": "not a number", "$5/h": "not a number", "": "has no unit",
	} {
		t.Run(text, func(t *testing.T) {
			if d, err := ParseDollars(text); err == nil || !strings.Contains(err.Error(), say) {
				t.Errorf("got %v, %v, want an error with %q", d, err, say)
			}
		})
	}
	if s := Dollars(-1.5).String(); s != "-$1.5" {
		t.Error(s)
	}
}
