package main

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// partialSuffix ends the names of the files that a killed writer leaves.
const partialSuffix = ".partial"

// recoverTrace writes the undamaged batches of the file or files at path to the trace out.
func recoverTrace(path, out string) (*store.Table, error) {
	base, parts, err := damagedParts(path)
	if err != nil {
		return nil, err
	}
	if out == "" {
		out = base + ".recovered"
	}
	var files, lost []string
	var rows, batches []uint64
	saved := uint64(0)
	for _, part := range parts {
		done, err := store.Recover(part.path, out+part.suffix)
		if err != nil {
			return nil, err
		}
		saved += done.Rows
		if done.Lost == "" {
			done.Lost = "nothing"
		}
		files, lost, rows, batches = append(files, out+part.suffix), append(lost, done.Lost), append(rows, done.Rows), append(batches, done.Batches)
	}
	if saved == 0 {
		for _, f := range files {
			os.Remove(f)
		}
		return nil, fmt.Errorf("recovering %s: no complete batch to save: %s", path, lost[0])
	}
	if len(parts) == 2 {
		cut, err := dropLateEvents(out)
		if err != nil {
			return nil, err
		}
		if rows[1] -= cut; cut > 0 {
			lost[1] = fmt.Sprintf("%d events after references that are lost; %s", cut, lost[1])
		}
	}
	return &store.Table{Name: "recovered", Columns: []store.Column{{Name: "file", Data: files}, {Name: "rows", Data: rows},
		{Name: "batches", Data: batches}, {Name: "lost", Data: lost}}}, nil
}

// damagedPart is one file to recover from.
type damagedPart struct{ path, suffix string }

// damagedParts finds the files at path. A path with a suffix names one file, finished or
// not. A prefix names both files; each is the finished one if it exists.
func damagedParts(path string) (base string, parts []damagedPart, err error) {
	for _, suffix := range []string{store.RefsSuffix, store.EventsSuffix} {
		name := strings.TrimSuffix(path, partialSuffix)
		if !strings.HasSuffix(name, suffix) {
			continue
		}
		base = strings.TrimSuffix(name, suffix)
		for _, candidate := range []string{path, path + partialSuffix} {
			if isFile(candidate) {
				return base, []damagedPart{{candidate, suffix}}, nil
			}
		}
		return "", nil, fmt.Errorf("recovering %s: %w", path, fs.ErrNotExist)
	}
	if isFile(path) {
		return "", nil, stage.Usage("%s: the name does not end in %s or %s, so its kind is unknown; rename it", path, store.RefsSuffix, store.EventsSuffix)
	}
	for _, suffix := range []string{store.RefsSuffix, store.EventsSuffix} {
		for _, candidate := range []string{path + suffix, path + suffix + partialSuffix} {
			if isFile(candidate) {
				parts = append(parts, damagedPart{candidate, suffix})
				break
			}
		}
	}
	if len(parts) == 0 {
		return "", nil, fmt.Errorf("recovering %s: neither %s%s nor %s%s exists, with or without %s", path, path, store.RefsSuffix,
			path, store.EventsSuffix, partialSuffix)
	}
	return path, parts, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// dropLateEvents removes the recovered events that come after lost references, and returns
// their number.
func dropLateEvents(prefix string) (cut uint64, err error) {
	refs, err := store.Open(prefix + store.RefsSuffix)
	if err != nil {
		return 0, err
	}
	defer refs.Close()
	events, err := store.Open(prefix + store.EventsSuffix)
	if err != nil {
		return 0, err
	}
	defer events.Close()
	late := func(p trace.Proc, e *trace.Event) bool {
		return int(p) >= refs.Header().Procs && e.Refs > 0 || e.Refs > refs.Totals(p).Refs
	}
	for b, err := range events.Events() {
		if err != nil {
			return 0, err
		}
		for i := range b.Rows {
			if late(b.Proc, &b.Rows[i]) {
				cut++
			}
		}
	}
	if cut == 0 {
		return 0, nil
	}
	return cut, rewrite(prefix, refs, events, late)
}

// rewrite writes both files again, without the late events.
func rewrite(prefix string, refs, events *store.Trace, late func(trace.Proc, *trace.Event) bool) error {
	head := events.Header()
	head.Procs = max(head.Procs, refs.Header().Procs)
	head.HasPC = refs.Header().HasPC
	head.Unrecorded = head.Unrecorded.Max(refs.Header().Unrecorded)
	for _, n := range refs.Header().Notes {
		if !slices.Contains(head.Notes, n) {
			head.Notes = append(head.Notes, n)
		}
	}
	w, err := store.Create(prefix, head)
	if err != nil {
		return err
	}
	defer w.Abort()
	for b, err := range refs.Refs() {
		if err != nil {
			return err
		}
		if err := w.Refs(b); err != nil {
			return err
		}
	}
	for b, err := range events.Events() {
		if err != nil {
			return err
		}
		kept := trace.Events{Proc: b.Proc}
		for i := range b.Rows {
			if !late(b.Proc, &b.Rows[i]) {
				kept.Rows = append(kept.Rows, b.Rows[i])
			}
		}
		if err := w.Events(&kept); err != nil {
			return err
		}
	}
	return w.Close(head)
}
