package chart

import (
	"slices"
	"strings"

	"spoor/predict/internal/report/numeral"
)

// Decision is the data of a budget plot. The page's script finds the best machine for any smaller budget.
type Decision struct {
	Unit   string  `json:"unit"`   // $ or $/h
	Money  Number  `json:"money"`  // the budget
	Error  Number  `json:"error"`  // of the model, as a share; null if nobody says
	Offers []Offer `json:"offers"` // the best first: of any smaller budget, the first two that are not too dear

	Name string `json:"-"` // what decisions about several programs have in common
}

// Offer is a machine that can be bought.
type Offer struct {
	Name    string `json:"name"`
	Price   Number `json:"price"`
	Time    Number `json:"time"` // of the run, in s
	E       Number `json:"e"`    // E(Instr) and its interval, in ns
	Lo      Number `json:"lo"`
	Hi      Number `json:"hi"`
	Behind  Number `json:"behind"` // what the objective is above that of the first, in %
	Network string `json:"-"`      // between the nodes, which the marks tell apart
}

// best is the best for so much money and, if there is one, the second.
func (d *Decision) best(money Number) (two []Offer) {
	for _, o := range d.Offers {
		if o.Price <= money && len(two) < 2 {
			two = append(two, o)
		}
	}
	return two
}

// Steps has a row for each sum from which on there is another best or second.
func (d *Decision) Steps() *Detail {
	t := &Detail{Summary: "What each budget buys", Heads: []string{"from [" + d.Unit + "]", "best", "E(Instr) [ns]", "time [s]", "second", "behind [%]"}}
	var prices []Number
	for _, o := range d.Offers {
		prices = append(prices, o.Price)
	}
	slices.Sort(prices)
	last := ""
	for _, p := range slices.Compact(prices) {
		two := d.best(p)
		row := []string{numeral.Digits(float64(p), 4), two[0].Name, numeral.Digits(float64(two[0].E), 4), numeral.Digits(float64(two[0].Time), 4), numeral.Unknown, numeral.Unknown}
		if len(two) > 1 {
			row[4], row[5] = two[1].Name, numeral.Digits(100*margin(two), 2)
		}
		if key := strings.Join(row[1:], "|"); key != last {
			t.Rows, last = append(t.Rows, row), key
		}
	}
	return t
}

// margin is by how much the objective of the second is above that of the best, as a share.
func margin(two []Offer) float64 {
	return float64((100+two[1].Behind)/(100+two[0].Behind)) - 1
}
