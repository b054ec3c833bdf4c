package slice

import (
	"fmt"
	"testing"
)

func TestSlicedFlagsKeepWhatIsCertain(t *testing.T) {
	for _, c := range []struct {
		f    flagSignals
		n    int64
		want int64
	}{
		{flagSignals{all: 5, part: 5}, 3, 3},
		{flagSignals{all: 5, part: 2, before: 1}, 1, 0},              // one processor's, the first of which is before the part
		{flagSignals{all: 5, part: 2, before: 1}, 2, 1},              //
		{flagSignals{all: 5, part: 2, before: 1}, 5, 2},              // after the part: both have come
		{flagSignals{all: 5, part: 2, before: 1}, 6, 3},              // more than ever come, in the part, too
		{flagSignals{all: 5, part: 2, mixed: true}, 3, 0},            // the others' may be the first three
		{flagSignals{all: 5, part: 2, mixed: true}, 4, 1},            //
		{flagSignals{all: 5, part: 2, mixed: true}, 5, 2},            // all have come
		{flagSignals{all: 5, part: 2, before: 3, mixed: true}, 5, 2}, //
		{flagSignals{all: 4}, 4, 0},                                  // all from elsewhere
	} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			if got := c.f.least(c.n); max(got, 0) != c.want {
				t.Errorf("%+v, a wait for %d: for %d of the part, want %d", c.f, c.n, got, c.want)
			}
		})
	}
}
