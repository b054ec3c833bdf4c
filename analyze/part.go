package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// part is what a run with --procs keeps for merging: the table shards, DIR/shards.arrow.
// Its facts are those of all tables, the header of the trace and the settings; a row is what an
// analysis has counted of a processor, as JSON, in pieces if it is long.
type part struct {
	dir      string
	procs    []trace.Proc
	facts    []trace.Arg
	proc     []int32
	shard    []string
	counted  []string
	readings map[reading]string // of a part that was read
}

// reading names a shard.
type reading struct {
	proc  trace.Proc
	shard string
}

const (
	partTable    = "shards"
	headerFact   = "header"   // of the trace, as JSON
	traceFact    = "name"     // of the trace
	settingFact  = "setting." // before the name of a flag
	selectedFact = "selected"
	// pieceLength is the most bytes of a row.
	pieceLength = 1 << 20
)

func newPart(r *request, s *settings) *part {
	header, _ := json.Marshal(r.header) // texts and numbers
	p := &part{procs: r.procs, facts: slices.Clone(r.meta)}
	p.facts = append(p.facts, trace.Arg{Key: traceFact, Value: r.name}, trace.Arg{Key: headerFact, Value: string(header)})
	s.flags.VisitAll(func(f *pflag.Flag) {
		p.facts = append(p.facts, trace.Arg{Key: settingFact + f.Name, Value: setting(f)})
	})
	return p
}

// setting is the value of a flag: of a list, its items as JSON.
func setting(f *pflag.Flag) string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		text, _ := json.Marshal(list.GetSlice())
		return string(text)
	}
	return f.Value.String()
}

// set gives a flag the value that setting has.
func set(f *pflag.Flag, text string) error {
	list, ok := f.Value.(pflag.SliceValue)
	if !ok {
		return f.Value.Set(text)
	}
	var items []string
	if err := json.Unmarshal([]byte(text), &items); err != nil {
		return err
	}
	return list.Replace(items)
}

// keep adds a shard. One that cannot be kept is missed when parts are merged.
func (p *part) keep(name string, proc trace.Proc, s analysis.MergeableShard) error {
	if s == nil {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("keeping %s of processor %d: %w", name, proc, err)
	}
	for piece := range slices.Chunk(text, pieceLength) {
		p.proc, p.shard, p.counted = append(p.proc, int32(proc)), append(p.shard, name), append(p.counted, string(piece))
	}
	return nil
}

// result is the table, beside the results of analyses.
func (p *part) result() analysis.Result {
	return analysis.Result{Tables: []*store.Table{{Name: partTable, Meta: p.facts, Columns: []store.Column{
		{Name: "proc", Data: p.proc}, {Name: "shard", Data: p.shard}, {Name: "counted", Data: p.counted}}}}}
}

// dropPart removes what an earlier run over some processors left for merging in dir, where the results of one
// over all are now.
func dropPart(dir string) error {
	if err := os.Remove(filepath.Join(dir, partTable+".arrow")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// fact is one of the facts, or "".
func (p *part) fact(key string) string { return (&store.Table{Meta: p.facts}).Fact(key) }

// readPart reads DIR/shards.arrow.
func readPart(dir string) (*part, error) {
	path := filepath.Join(dir, partTable+".arrow")
	t, err := store.ReadTable(path)
	if err != nil {
		return nil, fmt.Errorf("%w; a part is the output of a run with --procs", err)
	}
	p := &part{dir: dir, facts: t.Meta, readings: map[reading]string{}}
	if p.proc, err = store.Data[int32](t, "proc"); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if p.shard, err = store.Data[string](t, "shard"); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if p.counted, err = store.Data[string](t, "counted"); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	for i, name := range p.shard {
		p.readings[reading{trace.Proc(p.proc[i]), name}] += p.counted[i]
	}
	return p, nil
}

// read gives a shard what was kept of it.
func (p *part) read(name string, proc trace.Proc, s analysis.MergeableShard) error {
	text, ok := p.readings[reading{proc, name}]
	if !ok || s == nil {
		return fmt.Errorf("%s: nothing was kept of %s of processor %d", p.dir, name, proc)
	}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return fmt.Errorf("%s: reading %s of processor %d: %w", p.dir, name, proc, err)
	}
	return nil
}
