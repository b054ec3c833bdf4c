package recorder

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"spoor/traces/trace"
)

// child keeps the trace of a process.
type child struct {
	*kept
	Process
	rec *Recording
}

func (c *child) Keep(rec *Recording) error { c.rec = rec; return nil }
func (c *child) Drop()                     {}

// TestChildren records processes: each has its own trace. A process that executes another program has the trace of that.
func TestChildren(t *testing.T) {
	program := built(t, "children.c")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("script", []byte("#!"+program+" -x\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", cache(t))
	var (
		out   bytes.Buffer
		mutex sync.Mutex
		all   []*child
	)
	r, err := Prepare(context.Background(), Options{Args: []string{program}, Refs: true, Sample: Sample{Most: 1e6}, Out: &out, Err: os.Stderr, Progress: func(int) {},
		Children: func(p Process) (Trace, error) {
			mutex.Lock()
			defer mutex.Unlock()
			all = append(all, &child{kept: &kept{map[trace.Proc]*trace.Refs{}, map[trace.Proc][]trace.Event{}}, Process: p})
			return all[len(all)-1], nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	first := &kept{map[trace.Proc]*trace.Refs{}, map[trace.Proc][]trace.Event{}}
	rec, err := r.Record(context.Background(), first)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, first, rec)
	var have []string
	for _, c := range all {
		if c.rec == nil {
			continue
		}
		sound(t, c.kept, c.rec)
		if len(c.rec.Notes) == 0 || !strings.Contains(c.rec.Notes[len(c.rec.Notes)-1], "all references were recorded") {
			t.Errorf("process %d: notes %q", c.Number, c.rec.Notes)
		}
		filled := stores(c.refs[0])
		if c.rec.Procs == 2 {
			filled += stores(c.refs[1])
		}
		have = append(have, fmt.Sprintln(c.Number, c.rec.Procs, filled, filepath.Base(c.Args[0]), c.Args[1:]))
	}
	slices.Sort(have)
	want := []string{"1 2 1000 program []\n", "2 1 1000 program [done]\n", "3 1 1000 program [-x ./script done]\n", "4 1 1000 program []\n"}
	if !slices.Equal(have, want) || out.String() != "done\ndone\n" || rec.Procs != 2 {
		t.Errorf("processes %q, want %q; output %q, %d processors", have, want, out.String(), rec.Procs)
	}
}
