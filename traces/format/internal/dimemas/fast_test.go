package dimemas

import (
	"math/rand/v2"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

// naive is Dimemas without the fast path.
type naive struct{ Dimemas }

func (n naive) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return format.ImportOne(n, in, o, sink)
}

func (n naive) ImportFiles(files *input.Files, o format.Options, sink format.Sink) (format.Result, error) {
	p, err := n.parser(files, o, sink)
	if err != nil {
		return format.Result{}, err
	}
	p.slow = true
	return p.run()
}

// overhang is text behind the records of a test, because fast does not read the last lines of a block.
var overhang = strings.Repeat("\n", window)

// checkFast compares the import of a text with that without the fast path.
func checkFast(t *testing.T, text string, o format.Options) {
	t.Helper()
	formattest.SameImport(t, Dimemas{}, naive{}, text, o)
}

func TestFastIsNaive(t *testing.T) {
	const ends = "3:1:0:0:-1:8:3:1:0\n"
	for name, body := range map[string]string{
		"bursts":                "1:0:0:1\n1:0:0:1.5\n1:0:0:0.000000000001\n1:0:0:1e-9\n1:0:0:9223371.999999999999\n1:0:0:2.\n1:0:0:.5\n0:1:0\n",
		"a burst too long":      "1:0:0:1\n1:0:0:9223372\n0:1:0\n",
		"a negative burst":      "1:0:0:1\n1:0:0:-1\n0:1:0\n",
		"13 digits":             "1:0:0:1\n1:0:0:1.0000000000005\n0:1:0\n",
		"a send":                "1:0:0:1\n2:0:0:1:-1:8:3:1:0\n1:1:0:1\n" + ends,
		"a thread of the peer":  "1:0:0:1\n2:0:0:1:0:8:3:1:0\n1:1:0:1\n" + ends,
		"a further thread":      "1:0:0:1\n2:0:0:1:1:8:3:1:0\n0:1:0\n",
		"eight values":          "1:0:0:1\n2:0:0:1:8:3:1:0\n1:1:0:1\n" + ends,
		"an immediate send":     "1:0:0:1\n2:0:0:1:-1:8:3:1:3\n1:1:0:1\n" + ends,
		"receives":              "1:0:0:1\n2:0:0:1:-1:8:3:1:0\n1:1:0:1\n3:1:0:0:-1:8:3:1:1\n3:1:0:0:-1:0:3:1:2\n",
		"any sender":            "1:0:0:1\n2:0:0:1:-1:8:3:1:0\n1:1:0:1\n3:1:0:-1:-1:8:-1:1:1\n3:1:0:0:-1:0:3:1:2\n",
		"a wait without":        "1:0:0:1\n3:0:0:1:-1:8:3:1:2\n0:1:0\n",
		"no receive":            "1:0:0:1\n2:0:0:1:-1:8:3:1:0\n0:1:0\n",
		"events":                "1:0:0:1\n20:0:0:1:2\n20:0:0:1\n0:1:0\n",
		"an event of text":      "1:0:0:1\n20:0:0:x:y\n0:1:0\n",
		"zeros before a kind":   "1:0:0:1\n01:0:0:1\n0:1:0\n",
		"an unknown kind":       "1:0:0:1\n21:0:0:1\n0:1:0\n",
		"a peer too high":       "1:0:0:1\n2:0:0:2:-1:8:3:1:0\n0:1:0\n",
		"a tag too high":        "1:0:0:1\n2:0:0:1:-1:8:2147483648:1:0\n0:1:0\n",
		"a kind too high":       "1:0:0:1\n3:0:0:1:-1:8:3:1:3\n0:1:0\n",
		"a value too many":      "1:0:0:1\n2:0:0:1:-1:8:3:1:0:7\n0:1:0\n",
		"blanks":                "1:0:0:1\n 1:0:0:1\n1:0:0:1 \n1:0:0:1\r\n0:1:0\n",
		"NUL":                   "1:0:0:1\n1:0:0:1\x00\n0:1:0\n",
		"a task that goes on":   "1:0:0:1\n1:1:0:1\n1:0:0:1\n",
		"offsets":               "1:0:0:1\n1:1:0:1\ns:0:5\n1:1:0:1\n",
		"a missing task at end": "1:0:0:1\n1:0:0:2\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, all := range []string{head + body, head + body + overhang} {
				checkFast(t, all, format.Options{})
				checkFast(t, all, format.Options{Unmatched: true})
			}
		})
	}
}

// TestOpenRequestsAreQueues compares the requests with a queue for each key.
func TestOpenRequestsAreQueues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for most := range 20 {
		var got openRequests
		want := map[request][]int32{}
		open := 0
		for id := range int32(2000) {
			a, b := request{from: random.Int64N(4)}, request{from: random.Int64N(4)}
			if open < most && random.IntN(2) == 0 {
				got.add(a, id)
				want[a] = append(want[a], id)
				open++
				continue
			}
			key := a
			if len(want[a]) == 0 {
				key = b
			}
			number, found := got.take(a, b)
			if found != (len(want[key]) > 0) || found && number != want[key][0] {
				t.Fatalf("takes %d, %v; want the first of %v", number, found, want[key])
			}
			if found {
				want[key] = want[key][1:]
				open--
			}
		}
	}
}

func FuzzFastIsNaive(f *testing.F) {
	f.Add(head + "1:0:0:1\n2:0:0:1:-1:8:3:1:0\n20:0:0:1:2\n1:1:0:1.5\n3:1:0:0:-1:8:3:1:1\n3:1:0:0:-1:0:3:1:2\n")
	f.Fuzz(func(t *testing.T, text string) { checkFast(t, text+overhang, format.Options{}) })
}
