package study

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/internal/slicing"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// part is the result of a run with --procs or --shard that merge reads: the table shards, DIR/shards.arrow. Its metadata are
// those of all tables, the header of the trace and the settings. A row is the state of one analysis for one
// processor, as JSON. Long states are split into several rows.
type part struct {
	dir     string
	procs   []trace.Proc  // nil: all, and nothing is kept
	slice   slicing.Slice // of their streams
	facts   []trace.Arg
	proc    []int32
	shard   []string
	counted []string
	states  map[stateKey]string // of a part that was read
}

// stateKey identifies a shard.
type stateKey struct {
	proc  trace.Proc
	shard string
}

const (
	partTable    = "shards"
	headerFact   = "header"   // of the trace, as JSON
	traceFact    = "name"     // of the trace
	settingFact  = "setting." // before the name of a flag
	messagesFact = "messages" // whether the trace passes messages, if known
	selectedFact = "selected"
	shardFact    = "shard" // the slice
	allFact      = "all"   // of --run all, which skips what does not apply
	// rowLength is the maximum number of bytes in a row.
	rowLength = 1 << 20
)

func newPart(r *kind.Request, s *Settings) *part {
	header, _ := json.Marshal(r.Header) // texts and numbers
	p := &part{procs: r.Procs, facts: slices.Clone(r.Meta)}
	p.facts = append(p.facts, trace.Arg{Key: traceFact, Value: r.Name}, trace.Arg{Key: headerFact, Value: string(header)})
	if s.all {
		p.facts = append(p.facts, trace.Arg{Key: allFact, Value: "true"})
	}
	s.Flags.VisitAll(func(f *pflag.Flag) {
		p.facts = append(p.facts, trace.Arg{Key: s.settingName(f), Value: setting(f)})
	})
	if r.Messages != nil {
		p.facts = append(p.facts, trace.Arg{Key: messagesFact, Value: strconv.FormatBool(*r.Messages)})
	}
	return p
}

// settingName returns the key of a flag's value. Files use the first name that the flag ever had.
func (s *Settings) settingName(f *pflag.Flag) string {
	for before, now := range s.Renamed {
		if now == f.Name {
			return settingFact + before
		}
	}
	return settingFact + f.Name
}

// setting returns the value of a flag as text, or the items of a list as JSON.
func setting(f *pflag.Flag) string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		text, _ := json.Marshal(list.GetSlice())
		return string(text)
	}
	return f.Value.String()
}

// set sets a flag to a value that setting returned.
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

// keep adds a shard. A shard that cannot be merged is omitted; merge then reports it.
func (p *part) keep(name string, proc trace.Proc, s analysis.MergeableShard) error {
	if s == nil {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("saving %s of processor %d: %w", name, proc, err)
	}
	for row := range slices.Chunk(text, rowLength) {
		p.proc, p.shard, p.counted = append(p.proc, int32(proc)), append(p.shard, name), append(p.counted, string(row))
	}
	return nil
}

// result returns the table.
func (p *part) result() analysis.Result {
	return analysis.Result{Tables: []*store.Table{{Name: partTable, Meta: p.facts, Columns: []store.Column{
		{Name: "proc", Data: p.proc}, {Name: "shard", Data: p.shard}, {Name: "counted", Data: p.counted}}}}}
}

// dropPart removes the part of an earlier run with --procs from dir, which now holds the results for all processors.
func dropPart(dir string) error {
	if err := os.Remove(partFile(dir)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// fact returns the value of a key in the metadata, or "".
func (p *part) fact(key string) string { return (&store.Table{Meta: p.facts}).Fact(key) }

// readPart reads the facts of DIR/shards.arrow.
func readPart(dir string) (*part, error) {
	t, err := store.ReadHead(partFile(dir))
	if err != nil {
		return nil, fmt.Errorf("%w; merge needs results of runs with --procs or --shard", err)
	}
	p := &part{dir: dir, facts: t.Meta}
	if text := p.fact(shardFact); text != "" {
		if p.slice, err = slicing.Parse(text); err != nil {
			return nil, fmt.Errorf("reading %s: %w", partFile(dir), err)
		}
	}
	return p, nil
}

func partFile(dir string) string { return filepath.Join(dir, partTable+".arrow") }

// load reads the states of a part.
func (p *part) load() error {
	path := partFile(p.dir)
	t, err := store.ReadTable(path)
	if err != nil {
		return err
	}
	procs, err1 := store.Data[int32](t, "proc")
	shards, err2 := store.Data[string](t, "shard")
	counted, err3 := store.Data[string](t, "counted")
	if err := cmp.Or(err1, err2, err3); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	p.states = map[stateKey]string{}
	for i, name := range shards {
		p.states[stateKey{trace.Proc(procs[i]), name}] += counted[i]
	}
	return nil
}

// state returns the state of a shard, once.
func (p *part) state(name string, proc trace.Proc) (string, error) {
	if p.states == nil {
		if err := p.load(); err != nil {
			return "", err
		}
	}
	key := stateKey{proc, name}
	text, ok := p.states[key]
	if !ok {
		return "", fmt.Errorf("%s has no state of %s for processor %d", p.dir, name, proc)
	}
	delete(p.states, key) // the states of many parts take much memory
	return text, nil
}

// read restores the state of a shard.
func (p *part) read(name string, proc trace.Proc, s analysis.MergeableShard) error {
	text, err := p.state(name, proc)
	if err != nil {
		return err
	}
	if s == nil {
		return fmt.Errorf("%s has no state of %s for processor %d", p.dir, name, proc)
	}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return fmt.Errorf("%s: reading %s of processor %d: %w", p.dir, name, proc, err)
	}
	return nil
}
