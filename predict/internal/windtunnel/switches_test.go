package windtunnel

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// switchesOf is a table of misses of a switch with 2 and with 8 targets in the cache of hostText, and in another one.
func switchesOf(hash string, two, eight float64) *store.Table {
	return &store.Table{Name: switchesTable, Meta: []trace.Arg{{Key: "trace", Value: hash}}, Columns: []store.Column{
		{Name: "block", Data: []int64{64, 64, 64}}, {Name: "sets", Data: []int64{16, 16, 8}}, {Name: "ways", Data: []int64{1, 1, 1}},
		{Name: "processes", Data: []int64{2, 8, 2}}, {Name: "per_switch", Data: []float64{two, eight, 99}}}}
}

// What targets use of every set decides where it is known: of k targets k times the misses of a switch, along the logarithm in
// between, and as they are beyond. The models of the paper know nothing of it.
func TestInterferenceOfSets(t *testing.T) {
	dir := directory(t, switchesOf("abc", 1, 3))
	r, err := Open([]string{dir, filepath.Join(dir, "host.params.toml")})
	if err != nil || len(r.Parameters.Cache.PerSwitch) != 2 || len(r.Parameters.TLB.PerSwitch) != 0 {
		t.Fatalf("%v %+v", err, r)
	}
	bounded, _ := Named("bounded")
	for k, want := range map[int]float64{1: 0, 2: 2, 4: 4 * 2, 8: 8 * 3, 100: 100 * 3} {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			if got, err := r.Parameters.Cache.interference(bounded, k); err != nil || math.Abs(got-want) > 1e-12 {
				t.Errorf("%d targets: %v, %v, want %v", k, got, err, want)
			}
		})
	}
	paper, _ := Named("paper")
	with, err1 := r.Parameters.Cache.interference(paper, 4)
	r.Parameters.Cache.PerSwitch = nil
	without, err2 := r.Parameters.Cache.interference(paper, 4)
	if with != without || err1 != nil || err2 != nil {
		t.Errorf("as published: %v and %v", with, without)
	}
}

func TestBadSwitches(t *testing.T) {
	for say, table := range map[string]*store.Table{
		"of trace def, but the parameters are of abc": switchesOf("def", 1, 3),
		"row 1: NaN misses of 8 processes":            switchesOf("abc", 1, math.NaN()),
	} {
		dir := directory(t, table)
		if _, err := Open([]string{dir, filepath.Join(dir, "host.params.toml")}); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("got %v, want %q", err, say)
		}
	}
}
