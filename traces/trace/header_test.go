package trace

import (
	"strings"
	"testing"
)

func TestSample(t *testing.T) {
	lines, windows := SampleNote("0.1 of all lines"), SampleNote("windows")
	for _, c := range []struct {
		notes []string
		want  string
	}{
		{nil, ""},
		{[]string{"left out: 1 response", "not a sample: x", "x: a sample: y", "trace of a sample: x"}, ""},
		{[]string{"left out: 1 response", lines}, "0.1 of all lines"},
		{[]string{lines, windows}, "0.1 of all lines; windows"},
		{[]string{"trace 0: " + lines, "trace 1, processors 1 to 1: x", "trace 1: trace 2: " + windows}, "trace 0: 0.1 of all lines; trace 1: trace 2: windows"},
	} {
		h := Header{Notes: c.notes}
		if got := h.Sample(); got != c.want {
			t.Errorf("%q: sample %q, want %q", c.notes, got, c.want)
		}
		for _, text := range []string{h.SampleWarning(), h.SampleSource()} {
			if (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
				t.Errorf("%q: %q does not say %q", c.notes, text, c.want)
			}
		}
	}
}
