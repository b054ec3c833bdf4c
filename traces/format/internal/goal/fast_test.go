package goal

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

// naive is Goal without the fast path.
type naive struct{ Goal }

func (naive) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	p := goalText{slow: true, goalImport: goalImport{unit: 1000, serial: o.Set["streams"] == "serial", c: emit.NewTextMessageWriter(input.FilesOf(in), o, sink)}}
	return p.run(in)
}

// overhang is text after the lines of a test, because fast does not read the last lines of a block.
var overhang = strings.Repeat("\n", goalWindow)

// checkFast compares the import of a text with that without the fast path.
func checkFast(t *testing.T, text string, o format.Options) {
	t.Helper()
	if o.Set == nil {
		o.Set = map[string]string{}
	}
	formattest.SameImport(t, Goal{}, naive{}, text, o)
}

// fastBodies are blocks of rank 0.
var fastBodies = map[string]string{
	"messages":             "l1: send 8b to 1 tag 2\nl2: recv 9b from 1\nl2 requires l1\nl3: calc 7\nl3 requires l2\nl3 irequires l1\n",
	"options":              "l1: send 8b to 1 tag 2 cpu 0 nic 0\nl2: recv 9b from 1 cpu 0\nl3: calc 7 cpu 0\nl4: recv 1b from 1 nic 0\n",
	"other cpu":            "l1: calc 7\nl2: calc 7 cpu 1\n",
	"other nic":            "l1: send 8b to 1\nl2: send 8b to 1 nic 3\n",
	"cpu over 255":         "l1: calc 7\nl2: calc 7 cpu 256\n",
	"options out of order": "l1: calc 1\nl2: send 8b to 1 cpu 0 tag 3\n",
	"calc with a tag":      "l1: calc 1\nl2: calc 1 tag 3\n",
	"any":                  "l1: calc 1\nl2: recv 8b from -1 tag -1\n",
	"before":               "l1: calc 1\nl2 requires l3\nl3: calc 1\nl2: calc 1\n",
	"not defined":          "l1: calc 1\nl3 requires l1\nl1 requires l2\n",
	"defined twice":        "l1: calc 1\nl1: calc 2\n",
	"a cycle":              "l1: calc 1\nl2: calc 1\nl1 requires l2\nl2 requires l1\n",
	"itself":               "l1: calc 1\nl2: calc 1\nl2 requires l2\n",
	"other prefixes":       "l1: calc 1\nx1: calc 1\nx1 requires l1\nl2: calc 1\nl2 requires x1\nlx2: calc 1\n",
	"no number":            "l: calc 1\nm: calc 1\nl2: calc 1\nl2 requires m\n",
	"zeros":                "l1: calc 1\nl01: calc 2\nl0: calc 3\nl00: calc 1\nl00 requires l01\n",
	"large numbers":        "l1: calc 1\nl1048575: calc 1\nl1048576: calc 1\nl9999999: calc 1\nl10000000: calc 1\nl1048576 requires l1048575\n",
	"longer identifiers":   "l1: calc 1\nl1x: calc 1\nl1_: calc 1\nl1x requires l1_\n",
	"long prefix":          "abcdefgh1: calc 1\nabcdefghi1: calc 1\nabcdefghi1 requires abcdefgh1\n",
	"keywords":             "l1: calc 1\nl1 requires calc\n",
	"rank as a label":      "rank1: calc 1\nrank2: calc 1\nrank2 requires rank1\n",
	"peer too high":        "l1: calc 1\nl2: send 8b to 2\n",
	"tag too high":         "l1: calc 1\nl2: send 8b to 1 tag 2147483648\n",
	"calc too long":        "l1: calc 1\nl2: calc 9223372036854776\n",
	"size of 19 digits":    "l1: calc 1\nl2: send 9223372036854775807b to 1\nl3: send 9223372036854775808b to 1\n",
	"recv to":              "l1: calc 1\nl2: recv 8b to 1\n",
	"blanks":               "l1: calc 1\nl2:  calc 1\nl3 : calc 1\n l4: calc 1\nl5: calc 1 \nl6:calc 1\nl7: calc\t1\nl8  requires l1\n",
	"comments":             "l1: calc 1\nl2: calc 1 // x\n/* l3: calc 1\n*/ l4: calc 1\n",
	"carriage returns":     "l1: calc 1\r\nl2: calc 1\r\n",
	"NUL":                  "l1: calc 1\nl2: calc \x001\n",
	"a block in a block":   "l1: calc 1\nrank 1 {\n",
	"unknown":              "l1: calc 1\nl2: put 1\nl3 needs l1\n",
}

func TestFastIsNaive(t *testing.T) {
	for name, body := range fastBodies {
		t.Run(name, func(t *testing.T) {
			text := "num_ranks 2\nrank 0 {\n" + body + "}\nrank 1 {\nl1: calc 3\nl2: calc 4\nl2 requires l1\n}\n"
			for _, all := range []string{text, text + overhang} {
				checkFast(t, all, format.Options{Unmatched: true})
				checkFast(t, all, format.Options{Unmatched: true, Set: serialStreams})
			}
		})
	}
}

// TestLabelsAreAMap compares the labels with a map of strings, for each rank.
func TestLabelsAreAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var l goalLabels
	for range 20 {
		l.reset()
		want := map[string]int32{}
		prefix := []string{"l", "r1_", "abcdefghi"}[random.IntN(3)]
		for range 3000 {
			name := fmt.Sprintf("%s%d", []string{prefix, "m"}[random.IntN(2)], random.IntN(2000)<<random.IntN(12))
			if random.IntN(9) == 0 {
				name += []string{"", "x", "_7"}[random.IntN(3)]
			}
			number, known := want[name]
			if !known {
				number = int32(len(want))
				want[name] = number
			}
			if got := l.number([]byte(name)); got != number || string(l.name(got)) != name {
				t.Fatalf("%s is number %d (%s), want %d", name, got, l.name(got), number)
			}
			if got, end := l.read([]byte(name+overhang), 0); end > 0 && (got != number || end != len(name)) {
				t.Fatalf("%s is read as number %d to %d, want %d", name, got, end, number)
			}
		}
	}
}

func FuzzFastIsNaive(f *testing.F) {
	f.Add("l1: send 8b to 1 tag 2\nl2: recv 9b from 1\nl2 requires l1\nl3: calc 7 cpu 1\nl3 irequires l2\n}\nrank 1 {\na1: calc 1\nl1: calc 1\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		checkFast(t, "num_ranks 2\nrank 0 {\n"+text+overhang, format.Options{Unmatched: true})
	})
}
