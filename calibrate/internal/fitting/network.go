package fitting

import (
	"fmt"
	"io"
	"math"

	"spoor/calibrate/internal/fit/loggp"
	"spoor/calibrate/machine"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// networks writes PLogP as the section [network], a file for each state. It notes states with too few
// measurements.
func (r *Fitted) networks(note Note) error {
	for _, s := range r.message {
		n, err := networkOf(s)
		if err != nil {
			note("no %s: %v", r.networkFile(s), err)
			continue
		}
		err = store.WriteFileAtomic(r.networkFile(s), func(w io.Writer) error {
			if _, err := fmt.Fprintf(w, "# PLogP [kielmann2000] by calibrate fit: put this behind a machine that has no [network].\n"); err != nil {
				return err
			}
			_, err := w.Write(n.Text())
			return err
		})
		if err != nil {
			return err
		}
		if size, off := farthest(s, n); math.Abs(off) > 0.1 {
			note("%s: at %v, L + g(s) differs by %+.0f %% from half a round trip, because PLogP has one L for all sizes", r.networkFile(s), size, 100*off)
		}
	}
	return nil
}

// farthest returns the size at which L + g differs most from half a measured round trip, and the relative
// difference.
func farthest(s *loggp.Study, n *machine.Network) (size unit.Bytes, off float64) {
	for _, row := range s.Table {
		if d := (float64(n.Latency.Value)+row.Gap.Value)/row.Half.Value - 1; math.Abs(d) > math.Abs(off) { // false for NaN
			size, off = unit.Bytes(row.Bytes), d
		}
	}
	return size, off
}

func (r *Fitted) networkFile(s *loggp.Study) string {
	if s.State == "" {
		return r.options.Prefix + ".network.toml"
	}
	return r.options.Prefix + "." + s.State + ".network.toml"
}

// networkOf returns PLogP of a state. It omits negative values, which come from noise. It omits S, because the
// tables include the waiting for a receiver.
func networkOf(s *loggp.Study) (*machine.Network, error) {
	n := &machine.Network{Model: "plogp", Efficiency: 1}
	for _, v := range s.Values {
		if v.Name == "plogp_L" {
			n.Latency = known(v.Value)
		}
	}
	var sends, receives, gaps bool
	for _, row := range s.Table {
		one := machine.Size{Bytes: unit.Bytes(row.Bytes), Sending: known(row.Send.Value), Receiving: known(row.Receive.Value), Gap: known(row.Gap.Value)}
		if one.Sending.Known || one.Receiving.Known || one.Gap.Known {
			n.Sizes = append(n.Sizes, one)
		}
		sends, receives, gaps = sends || one.Sending.Known, receives || one.Receiving.Known, gaps || one.Gap.Known
	}
	if len(n.Sizes) > machine.MaxSizes {
		return nil, fmt.Errorf("%d sizes are more than the %d that machines have", len(n.Sizes), machine.MaxSizes)
	}
	for _, p := range []struct {
		name string
		is   bool
	}{{"L", n.Latency.Known}, {"g", gaps}, {"o_s", sends}, {"o_r", receives}} {
		if !p.is {
			return nil, fmt.Errorf("%s of PLogP is not known, or negative", p.name)
		}
	}
	return n, nil
}

// known returns a duration rounded to a picosecond; absent if no machine can have it.
func known(seconds float64) machine.Optional[unit.Seconds] {
	if !(seconds >= 0 && unit.Seconds(seconds) <= machine.MaxLatency) {
		return machine.Optional[unit.Seconds]{}
	}
	return machine.Optional[unit.Seconds]{Value: unit.Seconds(math.Round(seconds*1e12) / 1e3 * 1e-9), Known: true}
}
