package trace

import (
	"fmt"
	"strconv"
	"strings"
)

// Unrecorded has the shares of a program's work that its recording lacks: 0 for nothing, 1 for all.
type Unrecorded struct {
	Instr float64 `json:"instructions"`
	Refs  float64 `json:"references"`
}

// negligible is the largest missing share without a warning.
const negligible = 0.01

// Max returns the larger of both shares. A merged trace lacks at most these.
func (u Unrecorded) Max(o Unrecorded) Unrecorded {
	return Unrecorded{max(u.Instr, o.Instr), max(u.Refs, o.Refs)}
}

// Valid reports whether both are shares.
func (u Unrecorded) Valid() bool {
	return u.Instr >= 0 && u.Instr <= 1 && u.Refs >= 0 && u.Refs <= 1
}

// String returns the shares that are not negligible: "45.8 % of the instructions", or "".
func (u Unrecorded) String() string {
	var all []string
	for _, s := range []struct {
		share float64
		of    string
	}{{u.Instr, "instructions"}, {u.Refs, "references"}} {
		if s.share > negligible {
			all = append(all, fmt.Sprintf("%.1f %% of the %s", 100*s.share, s.of))
		}
	}
	return strings.Join(all, " and ")
}

// warning returns the warning for results of a recording that lacks something.
func (u Unrecorded) warning() string {
	return fmt.Sprintf("the recording lacks about %v (see traces info): counts and predicted times are too small", u)
}

// Warnings returns what makes results of the trace doubtful: what its recording lacks, and that it is a sample. The
// argument says whether results need references, of which a sample has some and which a recording can lack.
func (h Header) Warnings(refs bool) (all []string) {
	lacks := h.Unrecorded
	if !refs {
		lacks.Refs = 0
	}
	if lacks.String() != "" {
		all = append(all, lacks.warning())
	}
	if which := h.Sample(); which != "" && refs {
		all = append(all, sampleWarning(which))
	}
	return all
}

// Facts in the source of a parameter.
const (
	lackingFact = ", recorded without "
	refsFact    = ", refs "
)

// SourceFacts returns the text to append to the source of a parameter, which says what the trace
// lacks. It is "" for a whole trace.
func (h Header) SourceFacts() (text string) {
	if lacks := h.Unrecorded.String(); lacks != "" {
		text = lackingFact + lacks
	}
	if which := h.Sample(); which != "" {
		text += sampleFact + which
	}
	return text
}

// OfSource returns a header with what the source of a parameter says of its trace, see [Header.SourceFacts].
func OfSource(source string) (h Header) {
	source, which, isSample := strings.Cut(source, sampleFact)
	if _, facts, found := strings.Cut(source, lackingFact); found {
		h.Unrecorded = parseUnrecorded(facts)
	}
	if isSample {
		which, _, _ = strings.Cut(which, refsFact)
		h.Notes = []string{SampleNote(which)}
	}
	return h
}

// parseUnrecorded reads the text of [Unrecorded.String]. Further facts may follow it.
func parseUnrecorded(text string) (u Unrecorded) {
	text, _, _ = strings.Cut(text, ",")
	for part := range strings.SplitSeq(text, " and ") {
		share, of, _ := strings.Cut(part, " % of the ")
		v, err := strconv.ParseFloat(share, 64)
		switch {
		case err != nil:
		case of == "instructions":
			u.Instr = v / 100
		case of == "references":
			u.Refs = v / 100
		}
	}
	return u
}
