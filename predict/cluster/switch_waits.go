package cluster

import "math"

// usesSwitch reports whether customers use ports of a switch, not one bus.
func usesSwitch(customers []customer) bool { return len(customers) > 0 && customers[0].ports != nil }

// conflicts returns the probability that a message of p and one of q need the same port: the sender's or the
// receiver's, by the traffic of the trace. On a bus the probability is 1.
func conflicts(customers []customer) [][]float64 {
	out := make([][]float64, len(customers))
	for p := range out {
		out[p] = make([]float64, len(customers))
	}
	for p := range out {
		for q := range p {
			if !usesSwitch(customers) {
				out[p][q], out[q][p] = 1, 1
				continue
			}
			sender, receiver := 0.0, 0.0
			of, with := customers[p].ports, customers[q].ports
			for i := 0; i < len(of); i += 2 {
				sender += of[i] * with[i]
				receiver += of[i+1] * with[i+1]
			}
			out[p][q] = sender + receiver - sender*receiver
			out[q][p] = out[p][q]
		}
	}
	return out
}

// portWaits returns the mean wait of each customer per visit at the ports of a switch. It is the fixed point
// of
//
//	W_p = sum(q != p) P(p, q) [ X_q W_q b_q + U_q r_q ]
//
// with P(p, q) of [conflicts]. It is like [waits], but customers of other ports do not compete. So a wait at
// one port does not count as use of the others.
func portWaits(customers []customer) []float64 {
	const tolerance = 1e-9
	w := make([]float64, len(customers))
	measures, conflict := measuresOf(customers), conflicts(customers)
	for range maxRounds {
		change := 0.0
		for p := range customers {
			sum := 0.0
			for q := range measures {
				sum += conflict[p][q] * measures[q].load(w[q])
			}
			next := (w[p] + sum) / 2
			change = max(change, math.Abs(next-w[p])/customers[p].cycle(next))
			w[p] = next
		}
		if change < tolerance {
			break
		}
	}
	return w
}

// busiestPort returns the utilization of the busiest port. The slice sums has room for one number per port.
func busiestPort(customers []customer, busy func(i int) float64, sums []float64) (most float64) {
	clear(sums)
	for q := range customers {
		b := busy(q)
		for i, part := range customers[q].ports {
			sums[i] += part * b
			most = max(most, sums[i])
		}
	}
	return most
}
