package simgridti

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// naive is SimGridTI without the fast path.
type naive struct{ SimGridTI }

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

// fastOverhang is text after the lines of a test, because fast does not read the last lines of a block.
var fastOverhang = strings.Repeat("# a comment of some length\n", 8)

// checkFast compares the import of a text with that without the fast path.
func checkFast(t *testing.T, text string, o format.Options) {
	t.Helper()
	formattest.SameImport(t, SimGridTI{}, naive{}, text, o)
}

func TestFastIsNaive(t *testing.T) {
	two := func(body string) string { return "0 init\n1 init\n" + body + "0 finalize\n1 finalize\n" }
	for name, text := range map[string]string{
		"messages":               two("0 isend 1 7 9 1\n1 irecv 0 7 9 1\n0 wait 0 1 7\n1 wait 0 1 7\n0 send 1 8 9 1\n1 recv 0 8 9 1\n"),
		"computes":               two("0 compute 5\n0 compute 5.5\n0 compute 0.25\n0 compute 1e3\n0 compute 3.25\n0 compute 007.50\n0 compute 5.\n"),
		"long computes":          two("0 compute 123456789012345678\n0 compute 9223372036854775807\n0 compute 12345678901234.5\n0 compute 123456789012345.5\n0 compute 0.123456789012345\n"),
		"a compute too large":    two("0 compute 9223372036854775808\n"),
		"a negative compute":     two("0 compute -1\n"),
		"a compute of two":       two("0 compute 1 2\n"),
		"no datatype":            two("0 send 1 7 9\n1 recv 0 7 9\n"),
		"an unknown datatype":    two("0 send 1 7 9 99\n1 recv 0 7 9 99\n"),
		"any":                    two("0 send 1 7 9 1\n1 irecv -555 -444 9 1\n1 wait 0 1 7\n"),
		"a wait without request": two("0 compute 1\n0 wait 0 1 7\n"),
		"a partner too high":     two("0 compute 1\n0 isend 2 7 9 1\n0 wait 0 2 7\n"),
		"a tag too high":         two("0 send 1 2147483648 9 1\n1 recv 0 2147483648 9 1\n"),
		"a size too large":       two("0 send 1 7 999999999999999999 15\n1 recv 0 7 999999999999999999 15\n"),
		"an unmatched send":      two("0 compute 1\n0 send 1 7 9 1\n"),
		"blanks":                 two("0  compute 1\n0\tcompute 2\n0 compute  3\n0 compute 4 \n 0 compute 5\n0 compute 6\r\n"),
		"after finalize":         "0 init\n0 compute 1\n0 finalize\n0 compute 2\n",
		"before init":            "0 init\n1 compute 2\n",
		"a bcast freezes ranks":  two("0 barrier\n1 barrier\n0 alltoall 3 3\n1 alltoall 3 3\n0 isend 2 7 9 1\n"),
		"NUL":                    two("0 compute 1\n0 compute \x001\n"),
		"another rank":           two("0 compute 1\n7 compute 1\n"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, all := range []string{text, text + fastOverhang} {
				checkFast(t, all, format.Options{})
				checkFast(t, all, format.Options{Unmatched: true})
			}
		})
	}
}

// TestPlainNumberIsParseFloat compares the quick reader of numbers with the library.
func TestPlainNumberIsParseFloat(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 200_000 {
		text := strconv.FormatUint(random.Uint64()>>random.IntN(64), 10)
		if at := random.IntN(len(text) + 1); at > 0 {
			text = text[:at] + "." + text[at:]
		}
		whole, fraction, n := tiPlainNumber([]byte(text))
		if n < len(text) {
			continue
		}
		want, err := strconv.ParseInt(text, 10, 64)
		var part float64
		if strings.Contains(text, ".") {
			var v float64
			v, err = strconv.ParseFloat(text, 64)
			v, part = math.Modf(v)
			want = int64(v)
		}
		if err != nil || whole != want || fraction != part {
			t.Fatalf("%s: %d and %g, want %d and %g", text, whole, fraction, want, part)
		}
	}
}

// TestManyOpenRequests opens more requests than are searched one after the other.
func TestManyOpenRequests(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		var fast, indexed tiRequests = newTIRequests(), newTIRequests()
		indexed.index()
		for range 2000 {
			any := []int32{trace.None, 0, 1}
			m := tiMessage{any[random.IntN(3)], random.Int32N(2), any[random.IntN(3)]}
			if random.IntN(2) == 0 || fast.open == 0 {
				if a, b := fast.add(m), indexed.add(m); a != b {
					t.Fatalf("seed %d: request %d, want %d", seed, a, b)
				}
				continue
			}
			m.from, m.tag = max(m.from, 0), max(m.tag, 0)
			i, wild := fast.find(m, 0)
			j, alsoWild := indexed.find(m, 0)
			if i != j || wild != alsoWild {
				t.Fatalf("seed %d: finds %d %v, want %d %v", seed, i, wild, j, alsoWild)
			}
			if i == tiNoRequest {
				i, _ = fast.find(fast.all[fast.oldest].message, -1)
				j = i
			}
			if fast.take(i) != indexed.take(j) {
				t.Fatalf("seed %d: takes another request", seed)
			}
			if indexed.open == 0 {
				indexed.index()
			}
		}
	}
}

func FuzzFastIsNaive(f *testing.F) {
	f.Add("0 init\n1 init\n0 isend 1 7 9 1\n1 irecv 0 7 9 1\n0 wait 0 1 7\n1 wait 0 1 7\n0 compute 1.5\n0 finalize\n1 finalize\n")
	f.Fuzz(func(t *testing.T, text string) { checkFast(t, text+fastOverhang, format.Options{}) })
}
