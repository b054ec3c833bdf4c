package format

import (
	"bytes"
	"fmt"
	"strings"
)

// Confidence is how sure an importer is that it can read an input.
type Confidence uint8

// The confidences, lowest first. The zero Confidence is not valid.
const (
	Foreign Confidence = 1 + iota // not this format
	Likely                        // plausible, but the format has no magic
	Certain                       // has a mark that no other format has
)

// Verdict is an importer's confidence in an input, and the reason.
type Verdict struct {
	Confidence Confidence
	Why        string // "3 lines of label and hexadecimal address"
}

var foreign = Verdict{Confidence: Foreign}

// Detect finds the importer for in by its first bytes. If no format is Certain and
// exactly one is Likely, Detect returns that one, and note gives the guess and the
// reason. Otherwise the error lists the formats.
func Detect(in *Input) (im Importer, note string, err error) {
	head, err := in.Head()
	if err != nil {
		return nil, "", err
	}
	if len(head) == 0 {
		return nil, "", in.empty()
	}
	if err := checkEncoding(in.Name, head); err != nil {
		return nil, "", err
	}
	if s := lookalikeOf(head); s != nil {
		return nil, "", fmt.Errorf("%s: this is %s; %s", in.Name, s.what, s.advice)
	}
	if inner := detectContainer(head); inner != nil && in.container != nil {
		return nil, "", fmt.Errorf("%s: this is %s within %s; decompress it once first", in.Name, inner.name, in.container.name)
	}
	var likely []Importer
	var why string
	for _, candidate := range able[Importer]() {
		switch v := candidate.Sniff(bytes.TrimPrefix(head, utf8BOM)); v.Confidence {
		case Certain:
			return candidate, "", nil
		case Likely:
			likely, why = append(likely, candidate), v.Why
		}
	}
	if len(likely) == 1 {
		return likely[0], fmt.Sprintf("%s: guessed format %s from %s; --from chooses another", in.Name, likely[0].Name(), why), nil
	}
	return nil, "", in.undetectable(likely)
}

// lookalike is a kind of file that users mistake for a trace, and advice on what to
// import instead.
type lookalike struct {
	magic        string
	at           int
	what, advice string
}

var lookalikes = []lookalike{
	{"ustar", 257, "a tar archive", "extract it and import its files or their folder"},
	{"\x03B\x01\x00", 0, "a part of an OTF2 archive", "give the folder of the archive or its anchor file, NAME.otf2"},
	{"DEFAULT_OPTIONS", 0, "the labels of a Paraver trace", "give its .prv file; the labels are then read too"},
	{"LEVEL CPU SIZE ", 0, "the names of resources of a Paraver trace", "give its .prv file"},
	{"LEVEL NODE SIZE ", 0, "the names of resources of a Paraver trace", "give its .prv file"},
	{"hostname=", 0, "the description of a run by sst-dumpi (.meta)", "convert the .bin of every rank with dumpi2ascii -a and import the texts"},
	{"ARROW1", 0, "an Arrow file", "if it is a Spoor trace, it needs no import: give it to the other commands"},
	{"{\n  \"workload_graph\": [", 0, "Chakra's JSON", "convert it to .et with chakra's tools"},
}

func lookalikeOf(head []byte) *lookalike {
	for i := range lookalikes {
		if s := &lookalikes[i]; len(head) > s.at && bytes.HasPrefix(head[s.at:], []byte(s.magic)) {
			return s
		}
	}
	return nil
}

func (in *Input) undetectable(likely []Importer) error {
	readable := able[Importer]()
	reason := "not recognised as any format"
	if len(likely) > 0 {
		reason = "could be " + strings.ReplaceAll(names(likely), ", ", " or ")
	}
	if hint := in.suffixHint(); hint != "" {
		reason += " (" + hint + ")"
	}
	return fmt.Errorf("%s: %s, begins with %s; choose one of %s with --from", in.Name, reason, quote(in.head), names(readable))
}

// sniffLines calls f with the complete lines at the start of head, at most limit of
// them. It returns the number of lines and the number for which f is true. A truncated
// last line counts only if it is the only line.
func sniffLines(head []byte, limit int, f func(line []byte) bool) (lines, hits int) {
	for len(head) > 0 && lines < limit {
		line, rest, whole := bytes.Cut(head, newline)
		if !whole && lines > 0 && len(head) < headBytes/2 {
			whole = true // the input ends without a line end
		}
		if !whole && lines > 0 {
			break
		}
		head = rest
		if line = bytes.Trim(line, blanks); len(line) == 0 {
			continue
		}
		lines++
		if f(line) {
			hits++
		}
	}
	return lines, hits
}
