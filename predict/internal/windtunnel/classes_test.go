package windtunnel

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"spoor/analyze/footprint"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Classes cut the switches into equal shares, as far as whole windows allow, and keep means.
func TestClasses(t *testing.T) {
	if got := classes([]window{{4, 2, 8}}); len(got) != 1 || got[0] != (Class{1, 1, 1}) {
		t.Errorf("one window: %+v", got)
	}
	if got := classes(nil); len(got) != 0 {
		t.Errorf("no windows: %+v", got)
	}
	for _, n := range []int{2, 23, 24, 25, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var all []window
			var users, private float64
			for i := range n {
				w := window{float64(1 + i%5), float64(i % 3), float64(i * 7 % n)}
				all = append(all, w)
				users += w.users
				private += w.users * w.private
			}
			var weight, shared, average, before float64
			got := classes(all)
			for _, c := range got {
				if c.Average < before {
					t.Errorf("%d windows: %v after %v", n, c.Average, before)
				}
				before = c.Average
				weight += c.Weight
				shared += c.Weight * c.Shared
				average += c.Weight * c.Average
			}
			if len(got) > maxClasses || len(got) < min(n, maxClasses)/2 {
				t.Errorf("%d windows in %d classes", n, len(got))
			}
			within(t, "weights", weight, 1, 1e-9)
			within(t, "mean private", average, 1, 1e-9)
			within(t, "mean shared", shared, 1, 1e-9)
		})
	}
}

// Half of the quanta use next to nothing, the others more than fits: the mean would fit, and none of the blocks be lost.
func TestInterferenceOfClasses(t *testing.T) {
	bounded, _ := Named("bounded")
	l := &Level{Shape: footprint.Shape{Sets: 1, Ways: 64}, Miss: 1, Turn: Footprints{0, 4, 4}}
	if m, err := l.interference(bounded, 16); err != nil || m != 0 {
		t.Errorf("of the mean: %v, %v", m, err)
	}
	l.Classes = []Class{{0.5, 1, 0.25}, {0.5, 1, 1.75}}
	if m, err := l.interference(bounded, 16); err != nil || math.Abs(m-0.5*16*7) > 1e-9 {
		t.Errorf("of classes: %v, %v, want half of 16 times 7", m, err)
	}
}

// windowsFor is a table of two windows of lines and one of pages.
func windowsFor(hash string, private float64) *store.Table {
	return &store.Table{Name: windowsTable, Meta: []trace.Arg{{Key: "trace", Value: hash}}, Columns: []store.Column{{Name: "block", Data: []int64{64, 64, 4096}},
		{Name: "window", Data: []uint64{1, 2, 1}}, {Name: "processors", Data: []int32{4, 2, 4}}, {Name: "shared", Data: []float64{1, 1, 0}}, {Name: "private", Data: []float64{private, 6, 2}}}}
}

func TestClassesAreRead(t *testing.T) {
	dir := directory(t, windowsFor("abc", 3))
	r, err := Open([]string{dir, filepath.Join(dir, "host.params.toml")})
	if err != nil || len(r.Parameters.Cache.Classes) != 2 || len(r.Parameters.TLB.Classes) != 1 {
		t.Fatalf("%v %+v", err, r)
	}
	if c := r.Parameters.Cache.Classes; c[0] != (Class{4. / 6, 1, 0.75}) || c[1] != (Class{2. / 6, 1, 1.5}) {
		t.Errorf("%+v", c)
	}
	for say, table := range map[string]*store.Table{"of trace def, but the parameters are of abc": windowsFor("def", 3), "row 0: 4 processors with 1 shared blocks and NaN others": windowsFor("abc", math.NaN())} {
		dir := directory(t, table)
		if _, err := Open([]string{dir, filepath.Join(dir, "host.params.toml")}); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("got %v, want %q", err, say)
		}
	}
}
