// Package counts analyzes traces for models, and keeps the results beside the traces.
//
// The results for trace PREFIX are in the folder PREFIX.counts. It has a folder for each list of flags of analyze.
// The name of that folder has digests of the trace, and of the flags and the version of Spoor. So another trace of the
// same name is analyzed again.
//
// A folder is complete when it has a record, which is written last. Processes that analyze the same trace at the
// same time write equal files.
package counts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"spoor/analyze/study"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Trace is a trace with the analyses that are kept beside it.
type Trace struct {
	Path     string // as given
	Procs    int
	HasRefs  bool
	Messages bool // the program passes messages
	Waits    bool // processors wait at locks or for each other, besides barriers

	digest    string
	root      string // folder of all results
	temporary string // folder of results that cannot be kept; "": none
	env       *stage.Env
	noted     map[string]bool // notes that were printed
}

// folderSuffix follows the prefix of a trace in the name of the folder of its results.
const folderSuffix = ".counts"

// Open reads what a trace contains. The caller calls Close when it no longer needs the results.
func Open(env *stage.Env, path string) (*Trace, error) {
	src, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	prefix := strings.TrimSuffix(strings.TrimSuffix(path, store.RefsSuffix), store.EventsSuffix)
	t := &Trace{Path: path, Procs: src.Header().Procs, digest: src.SHA256(), root: prefix + folderSuffix, env: env, noted: map[string]bool{}}
	for p := range trace.Proc(t.Procs) {
		t.HasRefs = t.HasRefs || src.Totals(p).Refs > 0
	}
	for b, err := range src.Events() {
		if err != nil {
			return nil, err
		}
		for i := range b.Rows {
			t.add(b.Rows[i].Kind)
		}
	}
	return t, nil
}

// add notes what a kind of event says of the program.
func (t *Trace) add(k trace.Kind) {
	switch {
	case k.PassesMessages():
		t.Messages = true
	case k == trace.Lock || k == trace.WaitFlag || k == trace.Join:
		t.Waits = true
	}
}

// Close removes results that could not be kept.
func (t *Trace) Close() error {
	if t.temporary == "" {
		return nil
	}
	return os.RemoveAll(t.temporary)
}

// Analyze returns the folder with the results of analyze with these flags. It analyzes the trace if they are not
// there yet.
func (t *Trace) Analyze(ctx context.Context, flags ...string) (dir string, err error) {
	name := t.nameOf(flags)
	for _, root := range []string{t.root, t.temporary} {
		dir = filepath.Join(root, name)
		if r := readRecord(dir); r != nil && root != "" {
			t.repeat(r.notes)
			return dir, nil
		}
	}
	dir = filepath.Join(t.root, name)
	t.noteOthers()
	t.env.Note("analyzing %s: analyze %s -o %s %s", t.Path, strings.Join(flags, " "), dir, t.Path)
	if err := study.CheckOutput(dir); err != nil {
		if err := t.useTemporary(err); err != nil {
			return "", err
		}
		dir = filepath.Join(t.temporary, name)
	}
	notes, err := t.env.Notes(func() error { return t.keep(ctx, dir, flags) })
	if err != nil {
		return "", fmt.Errorf("analyzing %s: %w", t.Path, err)
	}
	for _, n := range notes {
		t.noted[n] = true
	}
	return dir, t.finish(dir, flags, notes)
}

// Find returns the flags of complete results that suit, if there are any.
func (t *Trace) Find(suit func(flags []string) bool) (flags []string, found bool) {
	for _, root := range []string{t.root, t.temporary} {
		folders, _ := os.ReadDir(root)
		for _, f := range folders {
			r := readRecord(filepath.Join(root, f.Name()))
			if r != nil && f.Name() == t.nameOf(r.flags) && suit(r.flags) {
				return r.flags, true
			}
		}
	}
	return nil, false
}

// useTemporary makes a temporary folder for results, which cannot be kept for a reason.
func (t *Trace) useTemporary(reason error) (err error) {
	if t.temporary != "" {
		return nil
	}
	if t.temporary, err = os.MkdirTemp("", "spoor-counts-"); err != nil {
		return errors.Join(reason, err)
	}
	t.env.Note("%v; the results of the analysis are not kept, and the next run analyzes the trace again", reason)
	return nil
}

// keep analyzes the trace. If another process is writing the same results, it waits for its turn.
func (t *Trace) keep(ctx context.Context, dir string, flags []string) error {
	const pause, most = 50 * time.Millisecond, 200
	err := study.Keep(ctx, t.env, t.Path, dir, flags)
	for range most {
		if !errors.Is(err, store.ErrBusy) || ctx.Err() != nil {
			break
		}
		time.Sleep(pause)
		if readRecord(dir) != nil {
			return nil
		}
		err = study.Keep(ctx, t.env, t.Path, dir, flags)
	}
	return err
}

// finish writes the record of complete results, unless the trace has changed in the meantime.
func (t *Trace) finish(dir string, flags, notes []string) error {
	src, err := store.Open(t.Path)
	if err != nil {
		return err
	}
	defer src.Close()
	if src.SHA256() != t.digest {
		return errors.Join(fmt.Errorf("analyzing %s: the trace has changed in the meantime; start again", t.Path), os.RemoveAll(dir))
	}
	err = (&record{flags, notes}).write(dir)
	if errors.Is(err, store.ErrBusy) {
		return nil // another process is writing the same record
	}
	return err
}

// repeat prints the notes of an earlier analysis, each once.
func (t *Trace) repeat(notes []string) {
	for _, n := range notes {
		if !t.noted[n] {
			t.env.Note("%s: %s", t.Path, strings.TrimPrefix(n, t.Path+": "))
		}
		t.noted[n] = true
	}
}

// build returns the revision that the program was built from, or "" if that is unknown. Another revision may count
// something else.
func build() (revision string) {
	info, known := debug.ReadBuildInfo()
	if !known {
		return ""
	}
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "vcs.") && s.Key != "vcs.time" {
			revision += s.Value
		}
	}
	return revision
}

// digits is the number of digits of a digest in the name of a folder.
const digits = 12

// nameOf returns the name of the folder for these flags, such as "reuse-locality-0123456789ab-0123456789ab". The
// first digest is that of the trace. The second one is of the flags and of this program.
func (t *Trace) nameOf(flags []string) string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{study.Tool, build(), t.digest}, flags...), "\x00")))
	run := "results"
	for _, f := range flags {
		if names, is := strings.CutPrefix(f, "--run="); is {
			run = strings.ReplaceAll(names, ",", "-")
		}
	}
	return fmt.Sprintf("%s-%.*s-%.*s", run, digits, t.digest, digits, hex.EncodeToString(sum[:]))
}

// noteOthers notes results that are of another trace.
func (t *Trace) noteOthers() {
	found, _ := os.ReadDir(t.root)
	for _, f := range found {
		parts := strings.Split(f.Name(), "-")
		if n := len(parts); n < 3 || parts[n-2] == t.digest[:digits] || t.noted[t.root] {
			continue
		}
		t.env.Note("%s has results of another trace, which had this name before; delete %s to free its space", t.root, filepath.Join(t.root, f.Name()))
		t.noted[t.root] = true
	}
}
