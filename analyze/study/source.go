package study

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"spoor/analyze/internal/kind"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/symbols"
	"spoor/traces/trace"
)

// CheckRefs returns an error if the references of a trace are missing although its events count them. Otherwise
// the analyses would report an empty program. It ignores read errors, which the analysis reports.
func CheckRefs(src *store.Trace, path string) error {
	if kind.HasRefs(src) {
		return nil
	}
	for b, err := range src.Events() {
		if err != nil {
			return nil
		}
		if n := len(b.Rows); n > 0 && b.Rows[n-1].Refs > 0 {
			return fmt.Errorf("reading %s: processor %d: event %v comes after %d references, but the trace has none; its %s file is missing",
				path, b.Proc, b.Rows[n-1].Kind, b.Rows[n-1].Refs, store.RefsSuffix)
		}
	}
	return nil
}

// nameMemory gives the analyses the names of memory that a recording has in a file of its own, if one uses them.
func (s *Settings) nameMemory(env *stage.Env, src *store.Trace, path string) error {
	if !slices.ContainsFunc(s.chosen(), func(k *kind.Kind) bool { return k.NamesMemory }) {
		return nil
	}
	f, err := symbols.Open(path, src)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, symbols.ErrOther):
		env.Note("%v", err)
		return nil
	case err != nil:
		return err
	}
	regions, err := f.Regions()
	src.AddRegions(regions...)
	return err
}

// noteSource notes what makes results of the trace doubtful. Messages are complete in a sample.
func (s *Settings) noteSource(env *stage.Env, path string, h trace.Header) {
	refs := slices.ContainsFunc(s.chosen(), func(k *kind.Kind) bool { return k.Subject != kind.Messages })
	for _, warning := range h.Warnings(refs) {
		env.Note("%s: %s", path, warning)
	}
}

// passesMessages reports whether the trace passes messages, or returns nil if no chosen analysis writes that. It reads
// events up to the first message.
func (s *Settings) passesMessages(src *store.Trace) (*bool, error) {
	passes := false
	if !slices.ContainsFunc(s.chosen(), func(k *kind.Kind) bool { return k.AsksMessages }) {
		return nil, nil
	}
	for b, err := range src.Events() {
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(b.Rows, func(e trace.Event) bool { return e.Kind.PassesMessages() }) {
			passes = true
			break
		}
	}
	return &passes, nil
}
