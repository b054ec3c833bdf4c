package trace

import (
	"fmt"
	"slices"
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
		t.Run(fmt.Sprint(c.notes), func(t *testing.T) {
			h := Header{Notes: c.notes}
			if got := h.Sample(); got != c.want {
				t.Errorf("%q: sample %q, want %q", c.notes, got, c.want)
			}
			for _, text := range []string{strings.Join(h.Warnings(true), " "), h.SourceFacts(), strings.Join(OfSource("x sha256:1"+h.SourceFacts()+", refs all").Warnings(true), " ")} {
				if (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
					t.Errorf("%q: %q does not say %q", c.notes, text, c.want)
				}
			}
		})
	}
}

// What a recording lacks survives as a fact in the source of a parameter, beside that of a sample.
func TestUnrecorded(t *testing.T) {
	for _, c := range []struct {
		lacks       Unrecorded
		all, noRefs string
	}{
		{Unrecorded{}, "", ""},
		{Unrecorded{negligible, negligible}, "", ""},
		{Unrecorded{0.458, 0}, "45.8 % of the instructions", "45.8 % of the instructions"},
		{Unrecorded{0, 0.404}, "40.4 % of the references", ""},
		{Unrecorded{0.458, 1}, "45.8 % of the instructions and 100.0 % of the references", "45.8 % of the instructions"},
	} {
		t.Run(c.all, func(t *testing.T) {
			for _, notes := range [][]string{nil, {SampleNote("0.1 of all lines, seed 1")}} {
				h := Header{Unrecorded: c.lacks, Notes: notes}
				if got := c.lacks.String(); got != c.all {
					t.Errorf("%v: %q, want %q", c.lacks, got, c.all)
				}
				from := OfSource("x.refs.arrow sha256:12" + h.SourceFacts() + ", refs all")
				if got, want := from.Warnings(true), h.Warnings(true); !slices.Equal(got, want) || (len(want) > len(notes)) != (c.all != "") {
					t.Errorf("%v, %q: %q, want %q", c.lacks, notes, got, want)
				}
				if got := strings.Join(h.Warnings(false), "; "); (c.noRefs == "") != (got == "") || !strings.Contains(got, c.noRefs) || strings.Contains(got, "references") {
					t.Errorf("%v without references: %q", c.lacks, got)
				}
			}
		})
	}
	if got := (Unrecorded{0.1, 0.5}).Max(Unrecorded{0.2, 0.3}); got != (Unrecorded{0.2, 0.5}) || !got.Valid() || (Unrecorded{Instr: -1}).Valid() {
		t.Errorf("%v", got)
	}
}
