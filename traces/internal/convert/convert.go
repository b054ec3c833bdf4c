// Package convert reads foreign files as one trace: it finds their formats, imports them one after the other, and makes the header.
// The packages of formats only parse.
package convert

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	registry "spoor/traces/format"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Options are what the user chose.
type Options struct {
	Output   string          // prefix of the files to write
	Archive  bool            // in the archive profile
	From     string          // name of the format, or ""
	Importer format.Importer // of that format, or nil
	Program  string          // name of the program, or ""
	Modify   string          // how a modify is imported
	Format   format.Options
}

// Result tells what was imported.
type Result struct {
	format.Layout
	Formats string // names, with commas between them
	HasRefs bool
	Files   int
	Apart   bool     // each file is a processor
	Notes   []string // on what was guessed, tolerated or dropped
}

// conversion is the state of an import.
type conversion struct {
	Options
	formats               string
	notes, used, programs []string // used are notes of the trace
}

// Run imports the files at paths, or standard input for "-", into one trace.
func Run(ctx context.Context, env *stage.Env, paths []string, o Options) (*Result, error) {
	c := &conversion{Options: o, formats: o.From}
	paths, err := c.expand(env, paths)
	if err != nil {
		return nil, err
	}
	progress := env.Progress("importing", totalSize(paths), stage.Bytes)
	defer progress.Done()
	files := input.NewFiles(ctx, paths, env.In, progress.Add)
	defer files.Close()
	im, err := c.choose(files, 0)
	if err != nil {
		return nil, err
	}
	joint, isJoint := im.(format.MultiFileImporter)
	r := &Result{Layout: format.LayoutOf(im, o.Format), Files: files.Len(), Apart: !isJoint}
	head := trace.Header{WorkUnit: r.Work, HasPC: r.PC, HasTime: r.Time, Tool: walk.Tool}
	create := store.Create
	if o.Archive {
		create = store.CreateArchive
	}
	w, err := create(o.Output, head)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	if isJoint {
		err = c.joint(files, joint, &head, w)
	} else {
		err = c.each(files, im, &head, w)
	}
	if err != nil {
		return nil, Usage(err)
	}
	head.Inputs = files.SHA256s()
	c.finish(&head)
	r.HasRefs, r.Formats, r.Notes = w.HasRefs(), c.formats, c.notes
	return r, w.Close(head)
}

// expand replaces each folder by the files of the trace in it.
func (c *conversion) expand(env *stage.Env, args []string) (paths []string, err error) {
	for _, path := range args {
		path = env.Input(path)
		if registry.IsSchedule(path) {
			c.notes = append(c.notes, path+": omitted: it is a schedule of drmemtrace, without references")
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			paths = append(paths, path)
			continue
		}
		these, joint, err := registry.ExpandFolder(path, c.Importer)
		if err != nil {
			return nil, err
		}
		c.Importer = joint
		paths = append(paths, these...)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: it is a schedule of drmemtrace, without references; import its folder, or the files *.trace.* next to it", args[0])
	}
	return paths, nil
}

// joint imports several files that are one trace.
func (c *conversion) joint(files *input.Files, im format.MultiFileImporter, head *trace.Header, w *store.Writer) error {
	r, err := im.ImportFiles(files, c.Format, w)
	if err != nil {
		return err
	}
	name := files.Path(0)
	if n := files.Len(); n > 1 {
		name = fmt.Sprintf("%s and %d more", name, n-1)
	}
	c.collect(name, "", im, r)
	head.Procs, head.Rule = r.Procs, r.Rule
	return nil
}

// each imports files that are one processor each.
func (c *conversion) each(files *input.Files, first format.Importer, head *trace.Header, w *store.Writer) error {
	for i := range files.Len() {
		im := first
		if i > 0 {
			var err error
			if im, err = c.choose(files, i); err != nil {
				return err
			}
		}
		in, err := files.Open(i)
		if err != nil {
			return err
		}
		switch {
		case im.Info().Threaded && files.Len() > 1:
			return fmt.Errorf("%s: %s names its threads itself and must be the only file; import each file alone, then join them with traces merge",
				in.Name, im.Info().Name)
		case format.LayoutOf(im, c.Format) != format.LayoutOf(first, c.Format):
			return fmt.Errorf("%s: %s has other columns than %s; import each file alone, then join them with traces merge",
				in.Name, im.Info().Name, first.Info().Name)
		}
		c.Format.FirstProc = trace.Proc(head.Procs)
		r, err := im.Import(in, c.Format, w)
		if err != nil {
			return err
		}
		in.Close()
		prefix := ""
		if files.Len() > 1 {
			prefix = fmt.Sprintf("processor %d: ", i)
		}
		c.collect(in.Name, prefix, im, r)
		head.Procs += r.Procs
		head.Rule = r.Rule
	}
	return nil
}

// choose finds the importer of one file.
func (c *conversion) choose(files *input.Files, i int) (format.Importer, error) {
	im := c.Importer
	if im == nil {
		in, err := files.Open(i)
		if err != nil {
			return nil, err
		}
		var note string
		if im, note, err = registry.Detect(in); err != nil {
			return nil, err
		}
		if note != "" {
			c.notes = append(c.notes, note)
			c.used = append(c.used, "the format is a guess from the content")
		}
	}
	if err := format.CheckReading(im, c.Format.Set); err != nil {
		return nil, stage.Usage("--set: %w", err)
	}
	return im, nil
}

// collect stores the program and notes of an input. Notes in the trace name inputs by
// number, because a path is no property of the trace.
func (c *conversion) collect(name, prefix string, im format.Importer, r format.Result) {
	c.programs = append(c.programs, r.Program)
	for _, n := range r.Notes {
		c.notes = append(c.notes, name+": "+n)
		c.used = append(c.used, prefix+n)
	}
	for _, n := range r.Facts {
		c.used = append(c.used, prefix+n)
	}
	if prefix != "" && r.Program != "" {
		c.used = append(c.used, prefix+r.Program)
	}
	if !slices.Contains(strings.Split(c.formats, ", "), im.Info().Name) {
		c.formats = strings.TrimPrefix(c.formats+", "+im.Info().Name, ", ")
	}
}

// finish completes the header.
func (c *conversion) finish(head *trace.Header) {
	head.Format = c.formats
	head.Program = c.Program
	for _, p := range c.programs {
		if head.Program == "" {
			head.Program = p
		}
	}
	if head.Program == "" {
		head.Program = head.Format + " trace"
	}
	if c.Format.Modify != format.ModifySplit {
		c.used = append(c.used, "of a modify only the "+c.Modify+" is kept")
	}
	if c.Format.DropIfetch {
		c.used = append(c.used, "instruction fetches are left out")
	}
	head.Notes = c.used
}

// totalSize returns the size of all files, or -1 if one is not a regular file.
func totalSize(files []string) (total int64) {
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return -1
		}
		total += info.Size()
	}
	return total
}

// Usage turns a bad value of a setting, which only the format can detect, into a usage
// error.
func Usage(err error) error {
	if bad := new(format.SettingError); errors.As(err, &bad) {
		return stage.Usage("%w", bad)
	}
	return err
}
