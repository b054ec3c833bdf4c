package windtunnel

import "fmt"

// maxImbalance is how much longer the slowest host may take than with targets placed at random before that is warned of.
const maxImbalance = 0.1

// imbalanceWarnings warns of placements that bring targets together which execute in the same quanta, or which execute more than others: the
// models' are at random.
func (s *Samples) imbalanceWarnings() (out []error) {
	for _, p := range Placements {
		worst, at := 0.0, 0
		for hosts := 2; hosts < s.Targets; hosts *= 2 {
			if s.Targets%hosts != 0 {
				continue
			}
			if e := p.critical(s, hosts, cost{})/s.random(hosts, 1, cost{}) - 1; e > worst {
				worst, at = e, hosts
			}
		}
		if worst > maxImbalance {
			out = append(out, fmt.Errorf("placement %s brings targets together that execute in the same quanta, or more than others: on %d hosts the slowest executes %.0f %% longer than with targets placed at random, as the model has them", p.Name, at, 100*worst))
		}
	}
	return out
}
