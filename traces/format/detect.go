package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Confidence is how sure an importer is that it can read an input.
type Confidence uint8

// The confidences, lowest first. The zero Confidence is not valid.
const (
	Foreign  Confidence = 1 + iota // not this format
	Nearly                         // most lines fit; only an error names the format
	Possible                       // all fits, but only the user can know; never chosen, but another guess is refused
	Likely                         // all fits, but the format has no magic
	Certain                        // has a mark that no other format has
)

// Verdict is an importer's confidence in an input, and the reason.
type Verdict struct {
	Confidence Confidence
	Why        string // "lines of label and hexadecimal address"
}

var foreign = Verdict{Confidence: Foreign}

// nameSniffer is implemented by formats of which some files only name other files.
type nameSniffer interface {
	// sniffNames is Sniff for such a file.
	sniffNames(in *Input, head []byte) Verdict
}

// Detect finds the importer for in by its first bytes. If one format is Certain, Detect
// returns it. If exactly one is Likely and none Possible, Detect returns that one, and
// note gives the guess and the reason. Otherwise the error lists the formats.
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
	all := sniffAll(in, bytes.TrimPrefix(head, utf8BOM))
	switch certain, likely := all.of(Certain), all.of(Likely); {
	case len(certain) == 1:
		return certain[0], "", nil
	case len(certain) > 1:
		return nil, "", in.undetectable(certain, nil)
	case len(likely) == 1 && len(all.of(Possible)) == 0:
		return likely[0], fmt.Sprintf("%s: guessed format %s from %s; --from chooses another", in.Name, likely[0].Name(), all[likely[0].Name()].Why), nil
	}
	return nil, "", in.undetectable(append(all.of(Likely), all.of(Possible)...), all.of(Nearly))
}

// verdicts holds the verdict of each importer by its name.
type verdicts map[string]Verdict

// of returns the importers with that confidence, in the order of All.
func (v verdicts) of(c Confidence) (some []Importer) {
	for _, im := range able[Importer]() {
		if v[im.Name()].Confidence == c {
			some = append(some, im)
		}
	}
	return some
}

// sniffAll asks all importers.
func sniffAll(in *Input, head []byte) verdicts {
	all := verdicts{}
	for _, im := range able[Importer]() {
		v := im.Sniff(head)
		if names, ok := im.(nameSniffer); ok && v.Confidence <= Nearly {
			v = names.sniffNames(in, head)
		}
		all[im.Name()] = v
	}
	return all
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

// opening returns the first line of text, without its end. If that is empty, it returns all.
func opening(head []byte) []byte {
	if line := bytes.TrimSpace(firstLine(head)); len(line) > 0 {
		return line
	}
	return head
}

// undetectable returns the error for an input that could be several formats, or none.
func (in *Input) undetectable(several, nearly []Importer) error {
	reason, advice := "not recognised as any format", "choose one of "+names(able[Importer]())+" with --from"
	switch {
	case len(several) > 0:
		reason, advice = "could be "+anyOf(several, ""), "choose "+anyOf(several, "--from ")
	case len(nearly) > 0:
		reason += ", though most lines could be " + anyOf(nearly, "")
		advice = anyOf(nearly, "--from ") + " names the line that does not fit"
	}
	if slices.ContainsFunc(several, func(im Importer) bool { return im.Name() == LibCacheSimCSV{}.Name() }) {
		advice += " --set obj-id-col=N,...; or describe the columns of references with --columns"
	}
	if hint := in.suffixHint(); hint != "" {
		reason += " (" + hint + ")"
	}
	return fmt.Errorf("%s: %s, begins with %s; %s", in.Name, reason, quote(opening(in.head)), advice)
}

// anyOf joins the names of formats, each after a prefix, with "or".
func anyOf(formats []Importer, prefix string) string {
	return prefix + strings.ReplaceAll(names(formats), ", ", " or "+prefix)
}

// sniffLines calls f with the complete lines at the start of head, at most limit of
// them. It returns the number of lines and the number for which f is true. A truncated
// last line counts only if f is true for it, or if it is the only line.
func sniffLines(head []byte, limit int, f func(line []byte) bool) (lines, hits int) {
	for len(head) > 0 && lines < limit {
		line, rest, whole := bytes.Cut(head, newline)
		head = rest
		if line = bytes.Trim(line, blanks); len(line) == 0 {
			continue
		}
		switch fits := f(line); {
		case fits:
			hits++
		case !whole && lines > 0:
			return lines, hits
		}
		lines++
	}
	return lines, hits
}

// sniffText is Likely if f is true for all lines at the start of head, and Nearly if it
// is for nine in ten.
func sniffText(head []byte, limit int, why string, f func(line []byte) bool) Verdict {
	switch lines, hits := sniffLines(head, limit, f); {
	case lines == 0 || hits < lines-lines/10:
		return foreign
	case hits < lines:
		return Verdict{Nearly, why}
	}
	return Verdict{Likely, why}
}
