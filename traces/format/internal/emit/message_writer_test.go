package emit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// TestNextIsEmit compares events that are built in place with those that are copied. Every second time, the last event is an error.
func TestNextIsEmit(t *testing.T) {
	files := input.NewFiles(context.Background(), []string{"x"}, nil, nil)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		var got, want recorder
		in, out := NewTextMessageWriter(files, format.Options{}, &got), NewTextMessageWriter(files, format.Options{}, &want)
		if seed%4 < 2 {
			in.InTurn()
		}
		for p := range trace.Proc(3) {
			placed, copied := in.RankWriter(p), out.RankWriter(p)
			for i := range random.IntN(2 * RankBatch) {
				e := trace.NewEvent([]trace.Kind{trace.Send, trace.Recv, trace.Compute}[random.IntN(3)])
				e.Peer, e.Tag, e.Bytes, e.Needs = random.Int32N(3), 1, 8, []int64{int64(i)}
				bothEmit(t, placed, copied, e, trace.Pos{At: int64(i)}, false)
			}
			if placed.End() != nil || copied.Flush() != nil {
				t.Fatal("the sink has no errors")
			}
			if wrong := trace.NewEvent(trace.Wait); seed%2 == 1 && p == 2 {
				wrong.Request = 5
				bothEmit(t, placed, copied, wrong, trace.Pos{At: 7}, true)
			}
		}
		if len(want.events) == 0 || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %d events, want %d", seed, len(got.events), len(want.events))
		}
	}
}

// bothEmit appends e in place and as a copy, which must give the same error, or none.
func bothEmit(t *testing.T, placed, copied *RankWriter, e trace.Event, at trace.Pos, fails bool) {
	t.Helper()
	next, err := placed.Next(e.Kind)
	if err != nil {
		t.Fatal(err)
	}
	*next = e
	err = placed.Done(at)
	if _, want := copied.Emit(&e, at); fmt.Sprint(err) != fmt.Sprint(want) || (err != nil) != fails {
		t.Fatalf("got %v, want %v", err, want)
	}
}
