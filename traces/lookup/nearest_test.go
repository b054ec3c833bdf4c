package lookup

import (
	"fmt"
	"testing"
)

func TestName(t *testing.T) {
	names := []string{"fft", "lu", "points", "latency", "L"}
	for name, want := range map[string]string{
		"ftt": "fft", "FFT": "fft", "point": "points", "latncy": "latency", "letancy": "latency", "l": "L",
		"": "", "xyz": "", "machine": "", "ul": "lu",
	} {
		t.Run(name, func(t *testing.T) {
			if got := Nearest(name, names); got != want {
				t.Errorf("of %q: got %q, want %q", name, got, want)
			}
		})
	}
	if got := Nearest("a", nil); got != "" {
		t.Errorf("of no names: got %q", got)
	}
}

func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{Unknown("kernel", "ul", []string{"fft", "lu"}), `unknown kernel "ul"; did you mean "lu"? (known: fft, lu)`},
		{Unknown("kernel", "xyz", []string{"fft", "lu"}), `unknown kernel "xyz" (known: fft, lu)`},
		{UnknownIn("format", "dni", []string{"din"}, "'traces formats' lists all"), `unknown format "dni"; did you mean "din"? ('traces formats' lists all)`},
	} {
		t.Run(c.want, func(t *testing.T) {
			if c.err.Error() != c.want {
				t.Errorf("got %v, want %s", c.err, c.want)
			}
		})
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "", 3}, {"", "abc", 3}, {"abc", "abc", 0},
		{"kitten", "sitting", 3}, {"sharing", "shareing", 1}, {"ab", "ba", 1}, {"cab", "bac", 2},
	} {
		t.Run(fmt.Sprintf("%v %v", c.a, c.b), func(t *testing.T) {
			if got := edits(c.a, c.b); got != c.want {
				t.Errorf("of %q and %q: got %d, want %d", c.a, c.b, got, c.want)
			}
		})
	}
}
