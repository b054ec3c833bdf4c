package quanta

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/traces/store"
	"spoor/traces/unit"
)

// By hand: quanta of 10 ns. Processor 0 waits from 4 to 12 ns and ends at 25; processor 1 executes all the time, to 20; processor 2
// waits at once, for no time and to 20 ns, where it goes on, and ends at 25.
func TestTimelineByHand(t *testing.T) {
	tl := &Timeline{Clock: 1e9, Length: 10, Ends: []unit.Picos{25000, 20000, 25000}, Waits: [][]Wait{{{4000, 12000}}, nil, {{0, 0}, {0, 20000}}}}
	res, err := tl.Result()
	if err != nil {
		t.Fatal(err)
	}
	times, err := store.Data[float64](res.Tables[0], "time")
	if err != nil {
		t.Fatal(err)
	}
	active, _ := store.Data[int32](res.Tables[0], "active")
	if want := []int32{1, 1, 0, 1, 1, 1, 1, 0, 1}; !slices.Equal(active, want) {
		t.Errorf("active: %v, want %v", active, want)
	}
	want := []float64{4, 10, 0, 8, 10, 0, 5, 0, 5}
	if len(times) != len(want) {
		t.Fatalf("%v, want %v", times, want)
	}
	for i := range want {
		if math.Abs(times[i]-want[i]) > 1e-9 {
			t.Errorf("%v, want %v", times, want)
		}
	}
}

// With any waits, the time in a quantum is the number of its picoseconds in which the processor neither waits
// nor has ended. The processor is active if there are any, or if it resumes without time: at the end, or to
// wait again.
func TestTimelineIsNaive(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		const length = 7
		tl := &Timeline{Clock: 1e12, Length: length}
		var busy [][]bool
		last := 0
		for range 1 + r.IntN(4) {
			var waits []Wait
			var at unit.Picos
			executes := []bool{}
			for range r.IntN(6) {
				run, wait := unit.Picos(r.IntN(12)), unit.Picos(r.IntN(12))
				for range run {
					executes = append(executes, true)
				}
				for range wait {
					executes = append(executes, false)
				}
				waits = append(waits, Wait{at + run, at + run + wait})
				at += run + wait
			}
			executes = append(executes, true) // somebody takes some time
			tl.Waits, tl.Ends, busy = append(tl.Waits, waits), append(tl.Ends, at+1), append(busy, executes)
			last = max(last, len(executes))
		}
		res, err := tl.Result()
		if err != nil {
			t.Fatal(err)
		}
		times, err := store.Data[float64](res.Tables[0], "time")
		if err != nil {
			t.Fatal(err)
		}
		active, _ := store.Data[int32](res.Tables[0], "active")
		for q := 0; q*length < last; q++ {
			for p := range busy {
				n := 0
				for i := q * length; i < min((q+1)*length, len(busy[p])); i++ {
					if busy[p][i] {
						n++
					}
				}
				if got := times[q*len(busy)+p]; math.Abs(got-float64(n)) > 1e-9 {
					t.Fatalf("seed %d: processor %d in quantum %d executes %v, want %d", seed, p, q, got, n)
				}
				end := unit.Picos(q+1) * length
				goesOn := slices.ContainsFunc(tl.Waits[p], func(w Wait) bool { return w.From < w.To && w.To > end-length && w.To <= end })
				if got := active[q*len(busy)+p] == 1; got != (n > 0 || goesOn) {
					t.Fatalf("seed %d: that processor %d is active in quantum %d is %t", seed, p, q, got)
				}
			}
		}
	}
}

func TestTimelineRefuses(t *testing.T) {
	for want, tl := range map[string]*Timeline{
		"take no time":      {Clock: 1e9, Length: 10, Ends: []unit.Picos{0, 0}, Waits: make([][]Wait, 2)},
		"is outside 1ps to": {Clock: 1e3, Length: 1e6, Ends: []unit.Picos{5}, Waits: make([][]Wait, 1)},
	} {
		if _, err := tl.Result(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
