package cluster

import "math"

// routed reports whether customers use ports of a switch, and not one bus.
func routed(customers []customer) bool { return len(customers) > 0 && customers[0].ports != nil }

// conflicts is how likely a message of p and one of q want the same port: p's sender's or p's receiver's, as the
// traffic of the trace has them. On a bus they always want the same.
func conflicts(customers []customer) [][]float64 {
	out := make([][]float64, len(customers))
	for p := range out {
		out[p] = make([]float64, len(customers))
	}
	for p := range out {
		for q := range p {
			if !routed(customers) {
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

// portWaits is the mean wait of each customer per visit at the ports of a switch: the fixed point of
//
//	W_p = sum(q != p) P(p, q) [ X_q W_q b_q + U_q r_q ]
//
// with P(p, q) of [conflicts]: as [waits], where who wants another port is nobody's competitor. Waiting at one port
// is so not taken for use of the others.
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

// busiestPort is how busy the port is that is busiest; sums is room for as many numbers as there are ports.
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
