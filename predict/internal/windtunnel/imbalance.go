package windtunnel

import "fmt"

// maxImbalance is the relative excess of the slowest host's time, over that of random placement, from which a
// warning is given.
const maxImbalance = 0.1

// imbalanceWarnings warns of placements that put targets together which execute in the same quanta, or execute
// more than others. The models assume random placement.
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
			out = append(out, fmt.Errorf("placement %s puts busy targets together: on %d hosts the slowest takes %.0f %% longer than with the random placement of the model", p.Name, at, 100*worst))
		}
	}
	return out
}
