package budget

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"spoor/predict/internal/catalogue"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// SpreadDraws is the number of price lists of [Problem.PriceSpread].
const SpreadDraws = 100

// Bought is a machine and the number of price lists for which it is the best.
type Bought struct {
	Winner catalogue.Parts // without nodes if the budget buys nothing
	Draws  int
}

// PriceSpread searches again with other price lists. In each, every price is multiplied by its own factor, drawn uniformly from
// 1-share to 1+share. The draws are the same in every run. It returns the winners, the most frequent first.
func (p *Problem) PriceSpread(share float64) (all []Bought, err error) {
	r := rand.New(rand.NewPCG(1, 0))
	for range SpreadDraws {
		changed := *p
		changed.Top = 1
		changed.Catalogue = p.Catalogue.Repriced(func(price unit.Dollars) unit.Dollars {
			return price * unit.Dollars(1+share*(2*r.Float64()-1))
		})
		if err := changed.check(); err != nil {
			return nil, err
		}
		winner := catalogue.Parts{}
		if found, err := changed.search(true); err == nil {
			winner = found.Ranked[0].Parts
		}
		i := slices.IndexFunc(all, func(b Bought) bool { return b.Winner == winner })
		if i < 0 {
			i = len(all)
			all = append(all, Bought{Winner: winner})
		}
		all[i].Draws++
	}
	slices.SortStableFunc(all, func(a, b Bought) int { return b.Draws - a.Draws })
	return all, nil
}

// SpreadTable has a row for each winner.
func (p *Problem) SpreadTable(all []Bought, share float64) *store.Table {
	list := make([]Candidate, len(all))
	draws, by := make([]int32, len(all)), make([]float64, len(all))
	for i, b := range all {
		list[i].Parts, draws[i], by[i] = b.Winner, int32(b.Draws), cents(100*share)
		if b.Winner.Nodes == 0 {
			list[i].Network = catalogue.NoNetwork
		}
	}
	t := &store.Table{Name: "price_spread", Columns: p.parts(list)}
	t.Columns = append(t.Columns, store.Column{Name: "prices", Unit: "%", Data: by}, store.Column{Name: "draws", Data: draws})
	return t
}

// SpreadSummary says how often the winner of the list prices wins.
func (p *Problem) SpreadSummary(all []Bought, r *Result, share float64) string {
	best, same := r.Ranked[0].Parts, 0
	for _, b := range all {
		if b.Winner == best {
			same = b.Draws
		}
	}
	return fmt.Sprintf("prices that are up to %.3g %% different: the best stays the best in %d of %d draws", 100*share, same, SpreadDraws)
}
