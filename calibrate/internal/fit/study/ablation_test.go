package study

import (
	"fmt"
	"testing"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
)

// What page lacks, by what a term more or another one gains over S1 at the test points of a measured dataset: pages stand for the
// pieces of a block, of which there is one in each where rows are longer than a page, and say nothing of bytes beyond a cache.
func TestPiecesAndCapacityExplainWhatPagesDoNot(t *testing.T) {
	d, err := timing.Read("../../../testdata/measured.arrow")
	if err != nil {
		t.Fatal(err)
	}
	d.Line, d.Page = 64, 4096
	page, level := packing.All[7].Terms, packing.All[8].Terms
	alpha, beta, gammax, pi, rho, lambda := page[0], page[1], page[2], page[3], level[3], level[4]
	models := []packing.Model{packing.All[0], packing.All[7], packing.All[8],
		{Name: "page+runs", Terms: []packing.Term{alpha, beta, gammax, pi, rho}, Layout: true}, {Name: "page+beyond", Terms: []packing.Term{alpha, beta, gammax, pi, lambda}, Layout: true, Cached: true},
		{Name: "runs", Terms: []packing.Term{alpha, beta, gammax, rho}, Layout: true}, {Name: "beyond", Terms: []packing.Term{alpha, beta, gammax, lambda}, Layout: true, Cached: true}}
	studies, failed := Run(d, Options{Line: d.Line, Page: d.Page, Seed: 1, Models: models})
	if len(studies) == 0 {
		t.Fatal(failed)
	}
	gain, first := map[string]float64{}, 0.0
	for _, r := range studies[0].Results {
		if r.Method.Suffix != "" || r.Refused != nil {
			continue
		}
		if first == 0 {
			first = r.Errors.Ratio
		}
		gain[r.Model.Name] = first / r.Errors.Ratio
	}
	t.Log(gain)
	for _, order := range [][2]string{{"page", "page+beyond"}, {"page+runs", "runs"}, {"page+beyond", "runs"}, {"runs", "level"}, {"beyond", "level"}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			if !(gain[order[0]] < gain[order[1]]) {
				t.Errorf("%s gains %.1f and %s %.1f", order[0], gain[order[0]], order[1], gain[order[1]])
			}
		})
	}
}
