// Package describe counts what a trace has, and prints that and the columns of tables. Package trace checks a trace instead.
package describe

import (
	"encoding/json"
	"io"
	"os"
	"strings"

	"spoor/traces/internal/walk"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Info is the output of the command. Programs rely on the names of its fields.
type Info struct {
	Kind  string `json:"kind"`
	Procs int    `json:"procs"`
	amounts
	Source source     `json:"source"`
	Detail []procInfo `json:"procs_detail"`
}

// procInfo has the amounts of one processor.
type procInfo struct {
	Proc trace.Proc `json:"proc"`
	amounts
}

// Gather reads all of t, whose prefix or file is path, one processor after the other.
func Gather(t *walk.Trace, path string) (*Info, error) {
	i := &Info{Procs: t.Header().Procs, Source: sourceOf(t), Detail: []procInfo{}}
	i.begin()
	data, ifetch := newLineSet(), newLineSet()
	for p := range trace.Proc(i.Procs) {
		one := procInfo{Proc: p}
		one.begin()
		mine, fetched := newLineSet(), newLineSet()
		if err := one.gatherRefs(t, p, mine, fetched); err != nil {
			return nil, err
		}
		if err := one.gatherEvents(t, p); err != nil {
			return nil, err
		}
		one.Instr = uint64(t.Totals(p).Instr)
		if t.Header().WorkUnit == trace.WorkInstr {
			one.Instr += uint64(one.Work)
		}
		one.footprint(mine, fetched)
		one.finish()
		data.merge(mine)
		ifetch.merge(fetched)
		i.add(&one.amounts)
		one.Messages.Sizes = nil
		i.Detail = append(i.Detail, one)
	}
	i.footprint(data, ifetch)
	i.finish()
	i.Kind = kindOf(path, i)
	return i, nil
}

// kindOf returns "trace" if path has both files, "refs" or "events" if it has one.
func kindOf(path string, i *Info) string {
	switch {
	case strings.HasSuffix(path, store.RefsSuffix):
		return "refs"
	case strings.HasSuffix(path, store.EventsSuffix):
		return "events"
	}
	_, refs := os.Stat(path + store.RefsSuffix)
	_, events := os.Stat(path + store.EventsSuffix)
	switch {
	case refs == nil && events == nil:
		return "trace"
	case refs == nil, events != nil && len(i.Events.names) == 0:
		return "refs"
	}
	return "events"
}

// JSON writes i for programs.
func (i *Info) JSON(w io.Writer) error {
	out, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(out, '\n'))
	return err
}
