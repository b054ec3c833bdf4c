package trace

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseProcs(t *testing.T) {
	for _, c := range []struct {
		text string
		have int
		want string // or part of the error
	}{
		{"", 3, "[0 1 2]"}, {"1", 3, "[1]"}, {"0-1", 3, "[0 1]"}, {"2,0", 3, "[0 2]"}, {" 0 - 1 ,1-2", 3, "[0 1 2]"},
		{"3", 3, "no processor 3: the trace has 3"}, {"2-1", 3, "is not a processor"}, {"-1", 3, "is not a processor"},
		{"a", 3, "is not a processor"}, {"0,", 3, "is not a processor"},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := ParseProcs(c.text, c.have)
			if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && fmt.Sprint(got) != c.want {
				t.Errorf("%q of %d: %v, %v; want %s", c.text, c.have, got, err, c.want)
			}
		})
	}
}

func TestFormatProcs(t *testing.T) {
	for _, text := range []string{"0", "3", "0-1", "0-3,6", "1,3,5-6,8"} {
		t.Run(text, func(t *testing.T) {
			procs, err := ParseProcs(text, 9)
			if err != nil {
				t.Fatal(err)
			}
			if got := FormatProcs(procs); got != text {
				t.Errorf("%v prints as %q, want %q", procs, got, text)
			}
		})
	}
}
