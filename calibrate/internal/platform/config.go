package platform

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// factors are the properties of <config> that change the costs of messages.
type factors struct {
	latency, bandwidth             float64
	latencyOrigin, bandwidthOrigin string
	sending, receiving             *costs
	rendezvous                     int64             // size from which sends wait
	rendezvousLine                 int               // 0: not given
	smpi                           map[string]string // properties that only SMPI has, by key of [network.simgrid]
}

// costs are a property by the size of messages: a factor, or a time and a time of each byte.
type costs struct {
	line   int
	pieces []piece
}

// piece has the values for messages of more than size bytes, up to the next piece.
type piece struct {
	size   float64
	values []float64
}

// factors reads the properties of <config>.
func (s *source) factors(config map[string]element) (*factors, error) {
	f := &factors{latency: 1, bandwidth: 1, smpi: map[string]string{}}
	for _, id := range slices.Sorted(maps.Keys(config)) {
		e := config[id]
		if err := s.property(f, strings.ToLower(id), &e); err != nil {
			return nil, err
		}
	}
	if f.latencyOrigin == "" && f.bandwidth == 1 {
		s.note("SimGrid multiplies latencies and bandwidths by factors of its network model (LV08: 13.01 and 0.97; SMPI: by size). The file has none, and none is applied, except by predict replay --semantics simgrid")
	}
	return f, nil
}

// property reads one property.
func (s *source) property(f *factors, id string, e *element) error {
	if key := smpiKeys[id]; key != "" {
		f.smpi[key] = e.attr["value"]
	}
	switch id {
	case "network/latency-factor", "smpi/lat-factor":
		c, err := s.costs(e, id, 1)
		if err != nil {
			return err
		}
		least := c.pieces[0]
		f.latency, f.latencyOrigin = least.values[0], fmt.Sprintf(", times %v (%s, line %d)", least.values[0], id, e.line)
		s.oneOf(c, id, "the smallest", least)
	case "network/bandwidth-factor", "smpi/bw-factor":
		c, err := s.costs(e, id, 1)
		if err != nil {
			return err
		}
		largest := c.pieces[len(c.pieces)-1]
		f.bandwidth, f.bandwidthOrigin = largest.values[0], fmt.Sprintf("%s of <config>, line %d", id, e.line)
		if f.bandwidth > 1 {
			return s.errorf(e.line, "%s: %v is more than 1; multiply the bandwidths of the clusters instead", id, f.bandwidth)
		}
		s.oneOf(c, id, "the largest", largest)
	case "smpi/os", "smpi/or":
		c, err := s.costs(e, id, 2)
		if id == "smpi/os" {
			f.sending = c
		} else {
			f.receiving = c
		}
		return err
	case "smpi/ois", "smpi/async-small-thresh":
		s.note("%s is only for predict replay --semantics simgrid", id)
	case "smpi/send-is-detached-thresh":
		n, err := strconv.ParseInt(e.attr["value"], 10, 64)
		if err != nil || n < 0 {
			return s.errorf(e.line, "%s: %q is not a number of bytes", id, e.attr["value"])
		}
		f.rendezvous, f.rendezvousLine = n, e.line
	default:
		s.note("the property %s of <config> is not imported", id)
	}
	return nil
}

// oneOf notes that only one of several factors is used.
func (s *source) oneOf(c *costs, id, which string, p piece) {
	if len(c.pieces) > 1 {
		s.note("%s has %d factors by size; [network] has one: %v, that of %s messages%s", id, len(c.pieces), p.values[0], which, elsewhere(id))
	}
}

// elsewhere says that --semantics simgrid uses all values of a property, if it does.
func elsewhere(id string) string {
	if smpiKeys[id] == "" {
		return ""
	}
	return "; [network.simgrid] has all"
}

// costs reads A:B:C;D:E:F: from size A on the values B and C, and so on; or one value for all sizes.
func (s *source) costs(e *element, id string, values int) (*costs, error) {
	c := &costs{line: e.line}
	for part := range strings.SplitSeq(e.attr["value"], ";") {
		fields := strings.Split(strings.TrimSpace(part), ":")
		if len(fields) == 1 && !strings.Contains(e.attr["value"], ";") {
			fields = []string{"0", fields[0]}
		}
		var p piece
		for i, text := range fields {
			v, err := s.valueOf(e, id, strings.TrimSpace(text))
			if err != nil {
				return nil, err
			}
			if i == 0 {
				p.size = v
			} else if i <= values {
				p.values = append(p.values, v)
			}
		}
		if len(p.values) == 0 {
			return nil, s.errorf(e.line, "%s: %q is not SIZE:VALUE;...", id, e.attr["value"])
		}
		c.pieces = append(c.pieces, p)
	}
	slices.SortFunc(c.pieces, func(a, b piece) int { return cmp.Compare(a.size, b.size) })
	return c, nil
}

// valueOf reads a size, a factor, or a time, whose unit is s if it has none.
func (s *source) valueOf(e *element, id, text string) (float64, error) {
	if text != "" && text[len(text)-1] <= '9' {
		text += "s"
	}
	return s.quantity(e, id, text, times)
}

// overheads writes o_s, o_r and S. Spoor has one overhead for all sizes in networks with links: that of the smallest
// messages.
func (s *source) overheads(f *factors) {
	for _, one := range []struct {
		key, id string
		of      *costs
	}{{"o_s", "smpi/os", f.sending}, {"o_r", "smpi/or", f.receiving}} {
		if one.of == nil {
			continue
		}
		least := one.of.pieces[0]
		s.key(one.key, duration(least.values[0]), "%s of <config>, line %d", one.id, one.of.line)
		if len(one.of.pieces) > 1 || len(least.values) > 1 && least.values[1] > 0 {
			s.note("%s depends on the size of messages; %s is that of the smallest messages without their bytes%s", one.id, one.key, elsewhere(one.id))
		}
	}
	if f.rendezvousLine > 0 {
		s.key("S", strconv.Quote(strconv.FormatInt(max(f.rendezvous-1, 0), 10)+" B"), "smpi/send-is-detached-thresh of <config>, line %d, less 1", f.rendezvousLine)
	} else if f.sending != nil || f.receiving != nil {
		s.note("SMPI's sends of 64 KiB and more wait for their receivers, if the file does not say otherwise; the machine file has no S")
	}
}
