package timing

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// netgauge reads the file that netgauge's pattern loggp writes with -o [hoefler2007]: comments, and lines of
//
//	size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)
//
// with times in microseconds. The measured times and o_r are read. L, o_s, g and G, which netgauge computed from
// the lines so far, are fitted again. netgauge writes a line twice where it detects a protocol change. The format
// is from netgauge's source.
var netgauge = format{name: "netgauge", what: "file written by netgauge -x loggp -o FILE",
	sniff: func(head []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(head), []byte(netgaugeTitle)) }, read: readNetgauge}

const (
	netgaugeTitle   = "# size n PRTT(1,0,s) PRTT(n,0,s)"
	netgaugeColumns = 11
)

func readNetgauge(f *file) error {
	line := 0
	last, lastSize := [5]float64{}, -1.0
	for text := range strings.Lines(string(f.text)) {
		line++
		if text = strings.TrimSpace(text); text == "" || text[0] == '#' {
			continue
		}
		cells := strings.Fields(text)
		if len(cells) != netgaugeColumns {
			return f.errorf(line, "%d values, not the %d of netgauge's loggp", len(cells), netgaugeColumns)
		}
		v := [netgaugeColumns]float64{}
		for i, c := range cells {
			var err error
			if v[i], err = strconv.ParseFloat(c, 64); i < 5 && (err != nil || math.IsNaN(v[i]) || math.IsInf(v[i], 0) || v[i] < 0) {
				return f.errorf(line, "%q is not a finite number of zero or more", c)
			}
		}
		if measured := [5]float64(v[:5]); v[0] == lastSize && measured == last {
			continue
		} else {
			last, lastSize = measured, v[0]
		}
		if err := addNetgauge(f, v, line); err != nil {
			return err
		}
	}
	return nil
}

func addNetgauge(f *file, v [netgaugeColumns]float64, line int) error {
	n := int64(v[1])
	if v[0] != math.Trunc(v[0]) || v[0] > 1<<40 || v[1] != math.Trunc(v[1]) || n < 2 || n > 1<<40 {
		return f.errorf(line, "size %g and n %g are not whole numbers, with n from 2", v[0], v[1])
	}
	micros := func(v float64) unit.Seconds { return unit.Seconds(v * perMega) }
	point := func(e packing.Experiment, n int64, d unit.Seconds) packing.Point {
		return packing.Point{Experiment: e, Bytes: unit.Bytes(v[0]), Count: n, Delay: d}
	}
	for _, t := range []Timing{
		{Point: point(PingPong, 1, 0), Time: micros(v[2])},
		{Point: point(Burst, n, 0), Time: micros(v[3])},
		{Point: point(Delayed, n, micros(v[2])), Time: micros(v[4])},
		{Point: point(Receive, 1, 0), Time: micros(v[7])},
	} {
		if t.Experiment == Receive && !(t.Time > 0) {
			continue // netgauge subtracts the delay; the rest may be zero
		}
		if err := f.add(t, line); err != nil {
			return err
		}
	}
	return nil
}
