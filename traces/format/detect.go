package format

import (
	"bytes"
	"fmt"
	"slices"
	"spoor/traces/format/internal/objects"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"strings"
)

// Detect finds the importer for in by its first bytes. If one format is Certain, Detect
// returns it. If exactly one is Likely and none Possible, Detect returns that one, and
// note gives the guess and the reason. Otherwise the error lists the formats.
func Detect(in *input.Input) (im format.Importer, note string, err error) {
	head, err := in.Head()
	if err != nil {
		return nil, "", err
	}
	if len(head) == 0 {
		return nil, "", in.Empty()
	}
	if err := input.CheckEncoding(in.Name, head); err != nil {
		return nil, "", err
	}
	if s := lookalikeOf(head); s != nil {
		return nil, "", fmt.Errorf("%s: this is %s; %s", in.Name, s.what, s.advice)
	}
	if err := in.Nested(head); err != nil {
		return nil, "", err
	}
	all := sniffAll(in, bytes.TrimPrefix(head, input.Utf8BOM))
	switch certain, likely := all.of(format.Certain), all.of(format.Likely); {
	case len(certain) == 1:
		return certain[0], "", nil
	case len(certain) > 1:
		return nil, "", undetectable(in, head, certain, nil)
	case len(likely) == 1 && len(all.of(format.Possible)) == 0:
		return likely[0], fmt.Sprintf("%s: guessed format %s from %s; --from chooses another", in.Name, likely[0].Info().Name, all[likely[0].Info().Name].Why), nil
	}
	return nil, "", undetectable(in, head, append(all.of(format.Likely), all.of(format.Possible)...), all.of(format.Nearly))
}

// verdicts holds the verdict of each importer by its name.
type verdicts map[string]format.Verdict

// of returns the importers with that confidence, in the order of All.
func (v verdicts) of(c format.Confidence) (some []format.Importer) {
	for _, im := range able[format.Importer]() {
		if v[im.Info().Name].Confidence == c {
			some = append(some, im)
		}
	}
	return some
}

// sniffAll asks all importers.
func sniffAll(in *input.Input, head []byte) verdicts {
	all := verdicts{}
	for _, im := range able[format.Importer]() {
		v, info := im.Sniff(head), im.Info()
		if info.SniffNames != nil && v.Confidence <= format.Nearly {
			v = info.SniffNames(in, head)
		}
		all[info.Name] = v
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

// undetectable returns the error for an input that could be several formats, or none.
func undetectable(in *input.Input, head []byte, several, nearly []format.Importer) error {
	reason, advice := "not recognised as any format", "choose one of "+names(able[format.Importer]())+" with --from"
	switch {
	case len(several) > 0:
		reason, advice = "could be "+anyOf(several, ""), "choose "+anyOf(several, "--from ")
	case len(nearly) > 0:
		reason += ", though most lines could be " + anyOf(nearly, "")
		advice = anyOf(nearly, "--from ") + " names the line that does not fit"
	}
	if slices.ContainsFunc(several, func(im format.Importer) bool { return im.Info().Name == objects.LibCacheSimCSV{}.Info().Name }) {
		advice += " --set obj-id-col=N,...; or describe the columns of references with --columns"
	}
	if hint := in.SuffixHint(); hint != "" {
		reason += " (" + hint + ")"
	}
	return fmt.Errorf("%s: %s, begins with %s; %s", in.Name, reason, input.Quote(sniff.Opening(head)), advice)
}

// anyOf joins the names of formats, each after a prefix, with "or".
func anyOf(formats []format.Importer, prefix string) string {
	return prefix + strings.ReplaceAll(names(formats), ", ", " or "+prefix)
}
