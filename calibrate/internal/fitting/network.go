package fitting

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/calibrate/internal/fit/loggp"
	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// networkText is a file with the section [network], and [network.local] if there is one.
type networkText struct{ path, text string }

// networks returns the section [network] of each state: PLogP, or LogGP if nothing measured the overheads. It notes states with
// too few measurements.
func (r *Fitted) networks(note Note) (files []networkText, err error) {
	for _, s := range r.message {
		path := r.networkFile(s)
		text, err := r.network(s, note)
		if err != nil && r.local != nil {
			return nil, fmt.Errorf("--local has no effect without a section [network]: %w", err)
		}
		if err != nil {
			note("no %s: %v", path, err)
			continue
		}
		if r.local != nil {
			text += "\n" + r.local.text("[network.local]")
		}
		files = append(files, networkText{path, text})
	}
	if r.local != nil && len(files) == 0 {
		return nil, errors.New("--local has no effect without a section [network]: the other files have no messages")
	}
	return files, nil
}

// network returns the section [network] of a state.
func (r *Fitted) network(s *loggp.Study, note Note) (string, error) {
	const put = "by calibrate fit: put this behind a machine that has no [network].\n"
	n, err := networkOf(s)
	if err == nil {
		size, off := most(s, func(row *loggp.Row) float64 { return float64(n.Latency.Value) + row.Gap.Value })
		if math.Abs(off) > 0.1 {
			note("%s: at %v, L + g(s) differs by %+.0f %% from half a round trip, because PLogP has one L for all sizes", r.networkFile(s), size, 100*off)
		}
		return "# PLogP [kielmann2000] " + put + string(n.Text()), nil
	}
	if measured := func(v loggp.Value) bool { return v.Name == "o_s" || v.Name == "o_r" }; slices.ContainsFunc(s.Values, measured) {
		return "", err
	}
	simple, err := logGP(s)
	if err != nil {
		return "", err
	}
	text := simple.text("[network]\nmodel = \"loggp\"")
	if _, err := machine.ParsePart("LogGP", []byte(text)); err != nil {
		return "", err
	}
	note("%s: %s", r.networkFile(s), simple.assumed)
	simple.noteFar(r.networkFile(s), s, note)
	return "# LogGP [alexandrov1995] " + put + text, nil
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
