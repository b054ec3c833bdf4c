package format

import (
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/csv"
	"spoor/traces/format/internal/din"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/format/internal/objects"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// part is what f says of the part called name.
func part(t *testing.T, f format.Format, name string) string {
	t.Helper()
	for _, p := range f.Info().Parts {
		if p.Name == name {
			return p.Doc
		}
	}
	t.Fatalf("no part %q in %q", name, f.Info().Parts)
	return ""
}

// wordsOf are the words of a text of the form "load: a b; store: c; ...", by what they stand for.
func wordsOf(doc string) map[string][]string {
	all := map[string][]string{}
	for clause := range strings.SplitSeq(doc, "; ") {
		if what, list, ok := strings.Cut(strings.TrimPrefix(clause, "or words: "), ": "); ok {
			all[what] = append(all[what], strings.Fields(list)...)
		}
	}
	return all
}

// What the texts say may stand in a column of operations is what import takes, and as what it says.
func TestWordsOfColumnsAreTaken(t *testing.T) {
	meaning := map[string][]trace.Op{"load": {trace.Load}, "store": {trace.Store}, "instruction fetch": {trace.Ifetch},
		"prefetch": {trace.Prefetch}, "flush": {trace.Flush}, "load and store (--modify)": {trace.Load, trace.Store}}
	for _, c := range []struct {
		f           format.Importer
		part        string
		set         map[string]string
		head, after string // of a line, around the operation
		all         int    // words
	}{
		{f: csv.CSV{}, part: "column op", head: "op,addr\n", after: ",0x40\n", all: 22},
		{f: objects.CacheLib{}, part: "column op or op_name", head: "op,key,size\n", after: ",a,1\n", all: len(objects.KeyWords)},
		{f: objects.Twitter{}, part: "column 6, operation", head: "1,a,1,1,1,", after: ",0\n", all: len(objects.KeyWords)},
		{f: objects.LibCacheSimCSV{}, part: "column of the operation", set: map[string]string{"op-col": "1", "has-header": "false", "delimiter": ","}, after: ",7\n", all: 12 + len(objects.KeyWords)},
	} {
		t.Run(c.part, func(t *testing.T) {
			n := 0
			for what, words := range wordsOf(part(t, c.f, c.part)) {
				for _, word := range words {
					for _, w := range []string{word, strings.ToUpper(word)} {
						got, _, err := formattest.ImportText(c.f, c.head+w+c.after, format.Options{Set: c.set})
						if err != nil || meaning[what] == nil || !slices.Equal(got.RefsOf[0].Op, meaning[what]) {
							t.Errorf("%s: %q: %v; want %s", c.f.Info().Name, w, err, what)
						}
					}
					n++
				}
			}
			if n != c.all {
				t.Errorf("%s names %d words, import takes %d", c.f.Info().Name, n, c.all)
			}
		})
	}
}

func TestNamesOfColumnsAreTaken(t *testing.T) {
	for _, p := range (csv.CSV{}).Info().Parts {
		_, also, _ := strings.Cut(p.Doc, "(also called ")
		names := append(strings.Split(strings.TrimSuffix(also, ")"), ", "), strings.TrimPrefix(p.Name, "column "))
		if len(names) < 3 {
			t.Errorf("%s: %q", p.Name, names)
		}
		for _, name := range names {
			if _, err := csv.ParseCSVColumns(name); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestLabelsOfDineroAreTaken(t *testing.T) {
	words := map[string]trace.Op{"read": trace.Load, "write": trace.Store, "instruction fetch": trace.Ifetch,
		"misc (a load)": trace.Load, "copy back (a flush)": trace.Flush, "invalidate (a flush)": trace.Flush}
	for _, c := range []struct {
		f    format.Importer
		part string
	}{{din.Din{}, "label"}, {din.XDin{}, "type"}} {
		doc, _, _ := strings.Cut(part(t, c.f, c.part), ";")
		clauses := strings.Split(doc, ", ")
		if len(clauses) != len(words) {
			t.Errorf("%s: %q", c.f.Info().Name, clauses)
		}
		for _, clause := range clauses {
			label, what, _ := strings.Cut(clause, " ")
			got, _, err := formattest.ImportText(c.f, label+" 40 4\n", format.Options{})
			if err != nil || !slices.Equal(got.RefsOf[0].Op, []trace.Op{words[what]}) {
				t.Errorf("%s: %q: %v", c.f.Info().Name, clause, err)
			}
		}
	}
}
