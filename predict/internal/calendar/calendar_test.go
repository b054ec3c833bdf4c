package calendar

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"spoor/traces/unit"
)

// naive knows of every picosecond whether it is taken.
type naive map[unit.Picos]bool

func (n naive) free(from, to unit.Picos) bool {
	for t := from; t < to; t++ {
		if n[t] {
			return false
		}
	}
	return true
}

func (n naive) fit(at, long unit.Picos) unit.Picos {
	for !n.free(at, at+long) {
		at++
	}
	return at
}

// before is where the time that is free up to t begins, if that is not before settled.
func (n naive) before(t, settled unit.Picos) unit.Picos {
	for t > settled && !n[t-1] {
		t--
	}
	return t
}

// checkNaive compares a calendar with its definition, by requests out of the order of time, of which none comes before
// what is settled. Each byte of data is a choice.
func checkNaive(t *testing.T, data []byte) {
	fast, all := Calendar{}, naive{}
	var settled, busy, end unit.Picos
	for i := 0; i+2 < len(data); i += 3 {
		settled += unit.Picos(data[i] % 4)
		at, long := settled+unit.Picos(data[i+1]%32), 1+unit.Picos(data[i+2]%6)
		if got, want := min(at, max(settled, fast.EndBefore(at))), all.before(at, settled); got != want {
			t.Fatalf("request %d: free before %d from %d, want %d", i/3, at, got, want)
		}
		from := all.fit(at, long)
		if got := fast.Fit(at, long); got != from {
			t.Fatalf("request %d at %d for %d: fits at %d, want %d", i/3, at, long, got, from)
		}
		if data[i+2]/6%4 == 0 {
			continue // only asked
		}
		fast.Reserve(Span{from, from + long}, settled)
		for ; long > 0; long, from = long-1, from+1 {
			all[from] = true
			busy++
			end = max(end, from+1)
		}
		checkSpans(t, &fast)
	}
	if fast.Busy != busy || fast.End != end {
		t.Fatalf("busy for %d until %d, want %d until %d", fast.Busy, fast.End, busy, end)
	}
}

// checkSpans holds a calendar to spans in order and apart.
func checkSpans(t *testing.T, c *Calendar) {
	for i, s := range c.spans {
		if s.From >= s.To || i > 0 && c.spans[i-1].To >= s.From {
			t.Fatalf("spans %v", c.spans)
		}
	}
}

func randomData(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 9))
	data := make([]byte, 600)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

func TestCalendarIsNaive(t *testing.T) {
	for seed := range uint64(300) {
		checkNaive(t, randomData(seed))
	}
}

func FuzzCalendarIsNaive(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(randomData(seed))
	}
	f.Fuzz(checkNaive)
}

// TestNothing: an empty span fits at the ends of others, and takes nothing.
func TestNothing(t *testing.T) {
	c := Calendar{}
	c.Reserve(Span{10, 20}, 0)
	c.Reserve(Span{5, 5}, 0)
	for _, x := range []struct{ at, want unit.Picos }{{0, 0}, {10, 10}, {11, 20}, {20, 20}} {
		t.Run(fmt.Sprint(x.at), func(t *testing.T) {
			if got := c.Fit(x.at, 0); got != x.want {
				t.Errorf("nothing fits at %d from %d on, want %d", got, x.at, x.want)
			}
		})
	}
	if c.Busy != 10 || len(c.spans) != 1 {
		t.Errorf("busy for %d, spans %v", c.Busy, c.spans)
	}
}

// TestForgets: what is settled needs no memory.
func TestForgets(t *testing.T) {
	c := Calendar{}
	for at := unit.Picos(0); at < 1e6; at += 10 {
		c.Reserve(Span{at, at + 5}, at-200)
	}
	if cap(c.spans) > 64 {
		t.Errorf("room for %d spans of 20", cap(c.spans))
	}
}

func Example() {
	var link Calendar
	link.Reserve(Span{From: 100, To: 200}, 0)
	link.Reserve(Span{From: 240, To: 300}, 0)
	fmt.Println(link.Fit(50, 50), link.Fit(150, 40), link.Fit(150, 41), link.Busy)
	// Output: 50ps 200ps 300ps 160ps
}
