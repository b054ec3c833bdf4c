package study

import (
	"encoding/json"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/trace"
)

// long is a shard whose JSON is longer than rows of a part.
type long struct{ text string }

func (*long) Add(*analysis.Chunk) error         { return nil }
func (*long) End() error                        { return nil }
func (l *long) MarshalJSON() ([]byte, error)    { return json.Marshal(l.text) }
func (l *long) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &l.text) }

func TestLongShardsAreKept(t *testing.T) {
	dir := t.TempDir()
	p := newPart(&kind.Request{}, NewSettings())
	var want [2]*long
	for i, n := range []int{3*rowLength + 5, rowLength - 2} {
		want[i] = &long{strings.Repeat("0123456789", n/10+1)[:n]}
		if err := p.keep("x/0", trace.Proc(i), want[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := Save(dir, []analysis.Result{p.result()}); err != nil {
		t.Fatal(err)
	}
	kept, err := readPart(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, shard := range want {
		var got long
		if err := kept.read("x/0", trace.Proc(i), &got); err != nil || got != *shard {
			t.Errorf("of %d bytes %d are read (%v)", len(shard.text), len(got.text), err)
		}
	}
}
