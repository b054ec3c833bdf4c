package study

import (
	"context"
	"errors"
	"io"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// lengthy is an analysis whose results take for ever. It is interrupted when it begins to make them.
type lengthy struct{ interrupt func() }

func (lengthy) Name() string              { return "lengthy" }
func (lengthy) Effects() analysis.Effects { return analysis.Effects{} }

func (lengthy) NewShard(trace.Header, trace.Proc) analysis.Shard { return nil }
func (l lengthy) Merge([]analysis.Shard) (analysis.Result, error) {
	l.interrupt()
	select {}
}

// Who is interrupted while results are made from what was read does not wait for them.
func TestInterruptedMerge(t *testing.T) {
	t.Chdir(t.TempDir())
	h := trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}
	w, err := store.Create("x", h)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
	src, err := store.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Settings: NewSettings()}
	_, err = o.measure(ctx, &stage.Env{Out: io.Discard, Err: io.Discard}, src, newPart(&kind.Request{Header: src.Header()}, o.Settings), []analysis.Analysis{lengthy{cancel}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
