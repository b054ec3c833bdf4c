package fitting

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"spoor/calibrate/internal/fit/loggp"
	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// section is a network as LogGP, with what its values come from.
type section struct {
	keys    []string
	assumed string  // what was not measured, or ""
	zero    float64 // L + o_s + o_r: the time of a message of one byte, in s
	perByte float64
	eager   float64 // S; +Inf if it is not known
}

// logGP returns LogGP of a study of messages: o_s and o_r as measured, or an assumption if neither was.
func logGP(s *loggp.Study) (*section, error) {
	of := map[string]loggp.Value{}
	for _, v := range s.Values {
		of[v.Name] = v
	}
	for _, name := range []string{"half_rtt", "g", "G"} {
		if v, is := of[name]; !is || !known(v.Value).Known {
			return nil, fmt.Errorf("%s of LogGP is not known, or negative", name)
		}
	}
	out := &section{perByte: of["G"].Value, zero: of["half_rtt"].Value, eager: math.Inf(1)}
	send, sends := of["o_s"]
	receive, receives := of["o_r"]
	if sends != receives {
		return nil, errors.New("of o_s and o_r only one is known")
	}
	if !sends {
		out.assume(of["half_rtt"], of["g"])
	} else if err := out.overheads(of["half_rtt"], send, receive); err != nil {
		return nil, err
	}
	out.add("g", duration(of["g"].Value), interval(of["g"], duration))
	out.add("G", perByte(out.perByte), interval(of["G"], perByte))
	if v, is := of["S"]; is {
		out.eager = v.Value
		out.add("S", unit.Bytes(v.Value).String(), interval(v, func(v float64) string { return unit.Bytes(v).String() }))
	}
	return out, nil
}

// assume adds L and o if o was not measured. One process sends all messages of a stream, so that o is at most g.
// Two of them are at most half a round trip.
func (t *section) assume(half, gap loggp.Value) {
	o, bound := gap.Value, "g"
	if o > half.Value/2 {
		o, bound = math.Floor(half.Value/2*1e12)/1e12, "a quarter of a round trip"
	}
	t.add("L", duration(half.Value-2*o), "half a round trip less 2 o; half a round trip is "+duration(half.Value)+", "+interval(half, duration))
	t.add("o", duration(o), "not measured: "+bound+" is the most that it can be")
	t.assumed = fmt.Sprintf("o was not measured: it is %s, the most that it can be (%s), and L is the rest of half a round trip", duration(o), bound)
}

// overheads adds L, o_s and o_r.
func (t *section) overheads(half, send, receive loggp.Value) error {
	latency := half.Value - send.Value - receive.Value
	for _, v := range []struct {
		name string
		of   float64
	}{{"o_s", send.Value}, {"o_r", receive.Value}, {"L", latency}} {
		if !known(v.of).Known {
			return fmt.Errorf("%s of LogGP is negative, or more than a machine can have: %.3g s", v.name, v.of)
		}
	}
	t.add("L", duration(latency), "half a round trip less o_s and o_r; half a round trip is "+duration(half.Value)+", "+interval(half, duration))
	t.add("o_s", duration(send.Value), interval(send, duration))
	t.add("o_r", duration(receive.Value), interval(receive, duration))
	return nil
}

func (t *section) add(key, value, comment string) {
	t.keys = append(t.keys, fmt.Sprintf("%-2s = %-16s # %s\n", key, strconv.Quote(value), comment))
}

// text returns the section behind its title and first keys.
func (t *section) text(title string) string { return title + "\n" + strings.Join(t.keys, "") }

// time returns the time of a message of some bytes: L + o_s + o_r + (s-1) G. A larger one than S waits for a request and an answer,
// as in predict replay [ino2001].
func (t *section) time(bytes int64) float64 {
	sum := t.zero + float64(max(bytes-1, 0))*t.perByte
	if float64(bytes) > t.eager {
		sum += 2 * t.zero
	}
	return sum
}

// most returns the size at which a predicted time differs most from half a measured round trip, and the relative difference.
func most(s *loggp.Study, predicted func(*loggp.Row) float64) (size unit.Bytes, off float64) {
	for i := range s.Table {
		row := &s.Table[i]
		if d := predicted(row)/row.Half.Value - 1; math.Abs(d) > math.Abs(off) { // false for NaN
			size, off = unit.Bytes(row.Bytes), d
		}
	}
	return size, off
}

func interval(v loggp.Value, text func(float64) string) string {
	if math.IsNaN(v.Lo) || math.IsNaN(v.Hi) {
		return "interval not known"
	}
	return "95 %: " + text(v.Lo) + " to " + text(v.Hi)
}

func duration(seconds float64) string {
	return strconv.FormatFloat(math.Round(seconds*1e12)/1e3, 'f', -1, 64) + " ns"
}

func perByte(seconds float64) string {
	return strconv.FormatFloat(seconds*1e9, 'g', 6, 64) + " ns/B"
}

// local is the fit of messages within a node.
type local struct {
	*Fitted
	study *loggp.Study
	*section
}

// AddLocal adds the fit of messages within a node, which becomes the section [network.local] and files PREFIX.local.*. It notes
// what is strange about it.
func (r *Fitted) AddLocal(within *Fitted, note Note) error {
	for _, a := range r.data.Sources {
		for _, b := range within.data.Sources {
			if _, digest, _ := strings.Cut(a, " sha256:"); strings.HasSuffix(b, digest) {
				return fmt.Errorf("--local %s: the same times are given for messages between nodes and within a node", b)
			}
		}
	}
	if len(within.message) != 1 {
		return fmt.Errorf("--local: no [network.local]: the files have no messages, or those of several states; choose one with --state")
	}
	l := &local{Fitted: within, study: within.message[0]}
	var err error
	if l.section, err = logGP(l.study); err != nil {
		return fmt.Errorf("--local: no [network.local]: %w", err)
	}
	if _, err := machine.ParsePart("LogGP", []byte("[network]\nmodel = \"ideal\"\n"+l.text("[network.local]"))); err != nil {
		return fmt.Errorf("--local: no [network.local]: %w", err)
	}
	r.local = l
	if l.assumed != "" {
		note("[network.local]: %s", l.assumed)
	}
	l.noteFar("[network.local]", l.study, note)
	for _, s := range r.message {
		if size, slow := slower(l.study, s); slow {
			note("--local: at %v, messages within a node take longer than between nodes; are the files exchanged?", size)
		}
	}
	return nil
}

// noteFar notes a size whose time the section does not give.
func (t *section) noteFar(what string, s *loggp.Study, note Note) {
	if size, off := most(s, func(row *loggp.Row) float64 { return t.time(row.Bytes) }); math.Abs(off) > 0.1 {
		note("%s: at %v, the time of LogGP differs by %+.0f %% from half a round trip, because it has one G for all sizes", what, size, 100*off)
	}
}

// slower returns the least size at which a takes longer than b.
func slower(a, b *loggp.Study) (unit.Bytes, bool) {
	of := map[int64]float64{}
	for _, row := range b.Table {
		of[row.Bytes] = row.Half.Value
	}
	for _, row := range a.Table {
		if t, is := of[row.Bytes]; is && row.Half.Value > t {
			return unit.Bytes(row.Bytes), true
		}
	}
	return 0, false
}
