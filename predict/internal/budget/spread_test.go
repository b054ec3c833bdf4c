package budget

import (
	"fmt"
	"reflect"
	"testing"

	"spoor/predict/cluster"
)

// The draws are the same in every run, and without a difference of prices there is one winner: that of the search.
func TestPriceSpread(t *testing.T) {
	p := problem(t, shop, powerLaw(t, 1.2, 100, 0.3), cluster.Paper{})
	r, err := p.Search()
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []float64{0, 0.1, 0.9} {
		t.Run(fmt.Sprint(share), func(t *testing.T) {
			all, err := p.PriceSpread(share)
			again, err2 := p.PriceSpread(share)
			if err != nil || err2 != nil || !reflect.DeepEqual(all, again) {
				t.Fatalf("%v %v: %v, then %v", err, err2, all, again)
			}
			draws := 0
			for i, b := range all {
				draws += b.Draws
				if i > 0 && b.Draws > all[i-1].Draws {
					t.Errorf("%v is not in order", all)
				}
			}
			if draws != SpreadDraws || share == 0 && (len(all) != 1 || all[0].Winner != r.Ranked[0].Parts) {
				t.Errorf("%d draws: %+v", draws, all)
			}
			if n := p.SpreadTable(all, share).Rows(); n != len(all) {
				t.Errorf("%d rows of %d", n, len(all))
			}
		})
	}
}
