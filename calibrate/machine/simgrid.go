package machine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/unit"
)

// SimGrid has what SMPI of SimGrid charges for messages besides the costs of the network: the section
// [network.simgrid]. What is absent is as in SimGrid 3.32 without options.
type SimGrid struct {
	Backbone      Optional[unit.BytesPerSecond] // bandwidth of a link that all messages between nodes share
	Fixed, Switch Optional[Latency]             // latency and switch of the network without factors, if its own have some

	// By size, ascending: factors of bandwidth and latency, for messages with their 16 bytes of envelope, and overheads of
	// blocking sends, nonblocking sends and receives.
	Bandwidths, Latencies   []SizePiece
	Sends, Isends, Receives []SizePiece
	EarlyBelow              unit.Bytes // smaller messages do not wait for their receives
}

// SizePiece is a factor, or a time in seconds and a time of each byte. It is for messages of more than so many bytes,
// up to the next piece.
type SizePiece struct {
	Above          unit.Bytes
	Value, PerByte float64
}

// simgridText is the section [network.simgrid].
type simgridText struct {
	Backbone   text    `toml:"backbone"`
	Latency    text    `toml:"latency"`
	Switch     text    `toml:"switch"`
	Bandwidths *string `toml:"bw_factor"`
	Latencies  *string `toml:"lat_factor"`
	Sends      *string `toml:"os"`
	Isends     *string `toml:"ois"`
	Receives   *string `toml:"or"`
	EarlyBelow text    `toml:"async_small"`
}

const simgridPath = "network.simgrid"

// simgrid reads what SMPI charges.
func (r *reader) simgrid(t *networkText, n *Network) {
	s := t.SimGrid
	if s == nil {
		return
	}
	r.belongs(simgridPath, n.Model, linked...)
	if *s == (simgridText{}) {
		r.fail(simgridPath, "has no key; add backbone, latency, switch, bw_factor, lat_factor, os, ois, or, or async_small")
	}
	out := &SimGrid{}
	if s.Backbone.given {
		r.belongs(simgridPath+".backbone", n.Model, "switch")
		out.Backbone = Optional[unit.BytesPerSecond]{r.bandwidth(simgridPath+".backbone", s.Backbone), true}
	}
	if s.Latency.given {
		out.Fixed = Optional[Latency]{r.latency(simgridPath+".latency", s.Latency), true}
	}
	if s.Switch.given {
		r.belongs(simgridPath+".switch", n.Model, switched...)
		out.Switch = Optional[Latency]{r.latency(simgridPath+".switch", s.Switch), true}
	}
	out.Bandwidths, out.Latencies = r.pieces("bw_factor", s.Bandwidths, 1), r.pieces("lat_factor", s.Latencies, 1)
	out.Sends, out.Isends, out.Receives = r.pieces("os", s.Sends, 2), r.pieces("ois", s.Isends, 2), r.pieces("or", s.Receives, 2)
	for _, p := range out.Bandwidths {
		if p.Value < minEfficiency {
			r.fail(simgridPath+".bw_factor", "%v is less than %v", p.Value, minEfficiency)
		}
	}
	if s.EarlyBelow.given {
		out.EarlyBelow = r.size(simgridPath+".async_small", s.EarlyBelow, 0)
	}
	n.SimGrid = out
}

// Bounds of the pieces: their number, factors, and the seconds of an overhead.
const (
	maxPieces     = 256
	maxPieceValue = 1e3
)

// pieces reads SIZE:VALUE;..., with a second value for each byte if there are two values.
func (r *reader) pieces(key string, value *string, values int) (all []SizePiece) {
	if value == nil {
		return nil
	}
	path, form := simgridPath+"."+key, "SIZE:FACTOR;..."
	if values == 2 {
		form = "SIZE:SECONDS:SECONDS_PER_BYTE;..."
	}
	for part := range strings.SplitSeq(*value, ";") {
		p, err := parsePiece(part, values)
		if err != nil {
			r.fail(path, "%q is not %s: %v", *value, form, err)
			return nil
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b SizePiece) int { return cmp.Compare(a.Above, b.Above) })
	for i := range all {
		if i > 0 && all[i].Above == all[i-1].Above {
			r.fail(path, "%d bytes are there twice", int64(all[i].Above))
		}
	}
	if len(all) > maxPieces {
		r.fail(path, "%d sizes, but at most %d are allowed", len(all), maxPieces)
	}
	return all
}

// parsePiece reads SIZE:VALUE or SIZE:VALUE:VALUE. SimGrid ignores further values.
func parsePiece(text string, values int) (p SizePiece, err error) {
	fields := strings.Split(strings.TrimSpace(text), ":")
	if len(fields) <= values {
		return p, fmt.Errorf("%q has %d numbers", text, len(fields))
	}
	above, err := strconv.ParseUint(strings.TrimSpace(fields[0]), 10, 31)
	p.Above = unit.Bytes(above)
	for i, to := range []*float64{&p.Value, &p.PerByte}[:values] {
		if err == nil {
			*to, err = parseValue(strings.TrimSpace(fields[i+1]))
		}
		if err == nil && !(*to >= 0 && *to <= maxPieceValue) {
			err = fmt.Errorf("%v is not from 0 to %v", *to, maxPieceValue)
		}
	}
	return p, err
}

// parseValue reads a number, or a time.
func parseValue(text string) (float64, error) {
	if text != "" && text[len(text)-1] == 's' {
		return unit.Parse(text, "s")
	}
	return strconv.ParseFloat(text, 64)
}

// piecesText returns pieces as a description has them.
func piecesText(all []SizePiece, values int) string {
	var parts []string
	for _, p := range all {
		text := strconv.FormatInt(int64(p.Above), 10)
		for _, v := range []float64{p.Value, p.PerByte}[:values] {
			text += ":" + strconv.FormatFloat(v, 'g', -1, 64)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ";")
}

// Rows calls row for each key that is given, with its value as in the description and what it means.
func (s *SimGrid) Rows(row func(key, value, means string)) {
	if s.Backbone.Known {
		row("backbone", exact(float64(s.Backbone.Value), "B/s"), "of a link that all messages between nodes share")
	}
	if s.Fixed.Known {
		row("latency", s.Fixed.Value.exact(), "network.latency without factor")
	}
	if s.Switch.Known {
		row("switch", s.Switch.Value.exact(), "network.switch without factor")
	}
	for _, one := range []struct {
		key    string
		of     []SizePiece
		values int
		means  string
	}{{"bw_factor", s.Bandwidths, 1, "of bandwidths, by size"}, {"lat_factor", s.Latencies, 1, "of latencies, by size"},
		{"os", s.Sends, 2, "of a blocking send, by size"}, {"ois", s.Isends, 2, "of a nonblocking send, by size"}, {"or", s.Receives, 2, "of a receive, by size"}} {
		if one.of != nil {
			row(one.key, strconv.Quote(piecesText(one.of, one.values)), one.means)
		}
	}
	if s.EarlyBelow > 0 {
		row("async_small", strconv.Quote(s.EarlyBelow.String()), "smaller messages do not wait for their receives")
	}
}

// describeSimGrid adds the section [network.simgrid].
func (n *Network) describeSimGrid(add func(key, value string), to *strings.Builder) {
	if n.SimGrid != nil {
		to.WriteString("\n[network.simgrid]\n")
		n.SimGrid.Rows(func(key, value, _ string) { add(key, value) })
	}
}
