package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/traces/format"
	"spoor/traces/format/registry"
	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func importCommand(env *stage.Env) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:  "import FILE... -o PREFIX",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			cmd.Flags().Visit(func(flag *pflag.Flag) { f.given = append(f.given, flag.Name) })
			return f.run(cmd.Context(), env, args)
		},
	}
	stage.Describe(cmd, helpTexts, "import")
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "`PREFIX` of the files to write (required)")
	flags.BoolVar(&f.archive, "archive", false, "write references in the archive profile: several times smaller, but slower")
	flags.StringVar(&f.from, "from", "", "`FORMAT` of the input (default: recognised by content)")
	settingsFlag(flags, &f.set)
	flags.StringVar(&f.program, "program", "", "`NAME` of the traced program, if the input has none")
	flags.StringVar(&f.modify, "modify", "split", "`HOW` to import a modify: split (load, then store), load or store")
	flags.StringVar(&f.ifetch, "ifetch", "keep", "`WHAT` to do with instruction fetches: keep or drop; they always count as instructions")
	flags.IntVar(&f.defaultSize, "default-size", 0, "size of references without a size, in `BYTES` (default: 4 in din, else 1)")
	flags.BoolVar(&f.opts.PC, "pc", false, "store the address of the instruction with each reference, if the format has it")
	flags.StringVar(&f.unmatched, "unmatched", "error", "`WHAT` to do with a message without a partner: error or note")
	flags.StringVar(&f.atomics, "lackey-atomics", "keep", "`WHAT` to do with a load directly before a modify of the same bytes: keep, or collapse into it")
	flags.StringVar(&f.summary, "lackey-summary", "check", "`WHAT` to do with a summary whose instruction count differs from the trace: check (error) or ignore")
	flags.StringVar(&f.columns, "columns", "", "csv: `NAMES` of the columns in order, - for a column to ignore")
	flags.IntVar(&f.addrBase, "addr-base", 10, "csv, pinatrace: `BASE` of addresses without 0x: 10 or 16")
	flags.StringVar(&f.csvTime, "csv-time", "instructions", "csv: `UNIT` of the time column: instructions, exact (neither shifted nor limited), or rows to ignore it")
	f.describe(cmd)
	return cmd
}

// run imports all files into one trace.
func (f *importFlags) run(ctx context.Context, env *stage.Env, args []string) error {
	paths, err := f.expand(env, args)
	if err != nil {
		return err
	}
	progress := env.Progress("importing", totalSize(paths), stage.Bytes)
	defer progress.Done()
	files := format.NewFiles(ctx, paths, env.In, progress.Add)
	defer files.Close()
	im, err := f.choose(files, 0)
	if err != nil {
		return err
	}
	layout := format.LayoutOf(im, f.opts)
	head := trace.Header{WorkUnit: layout.Work, HasPC: layout.PC, HasTime: layout.Time, Tool: walk.Tool}
	create := store.Create
	if f.archive {
		create = store.CreateArchive
	}
	w, err := create(f.output, head)
	if err != nil {
		return err
	}
	defer w.Abort()
	if joint, ok := im.(format.MultiFileImporter); ok {
		err = f.joint(files, joint, &head, w)
	} else {
		err = f.each(files, im, &head, w)
	}
	if err != nil {
		return usageOf(err)
	}
	f.inputs = files.SHA256s()
	f.finish(&head)
	hasRefs := w.HasRefs()
	if err := w.Close(head); err != nil {
		return err
	}
	progress.Done()
	for _, n := range append(f.notes, f.idle(layout, hasRefs)...) {
		env.Note("%s", n)
	}
	if _, joint := im.(format.MultiFileImporter); !joint && files.Len() > 1 {
		env.Note("the %d files are assumed to share one address space; for processes, import each file alone, then join them with traces merge --separate", files.Len())
	}
	return nil
}

// expand replaces each folder by the files of the trace in it.
func (f *importFlags) expand(env *stage.Env, args []string) (paths []string, err error) {
	for _, path := range args {
		path = env.Input(path)
		if registry.IsSchedule(path) {
			f.notes = append(f.notes, path+": omitted: it is a schedule of drmemtrace, without references")
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			paths = append(paths, path)
			continue
		}
		these, joint, err := registry.ExpandFolder(path, f.importer)
		if err != nil {
			return nil, err
		}
		f.importer = joint
		paths = append(paths, these...)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: it is a schedule of drmemtrace, without references; import its folder, or the files *.trace.* next to it", args[0])
	}
	return paths, nil
}

// joint imports several files that are one trace.
func (f *importFlags) joint(files *format.Files, im format.MultiFileImporter, head *trace.Header, w *store.Writer) error {
	r, err := im.ImportFiles(files, f.opts, w)
	if err != nil {
		return err
	}
	name := files.Path(0)
	if n := files.Len(); n > 1 {
		name = fmt.Sprintf("%s and %d more", name, n-1)
	}
	f.collect(name, "", im, r)
	head.Procs, head.Rule = r.Procs, r.Rule
	return nil
}

// each imports files that are one processor each.
func (f *importFlags) each(files *format.Files, first format.Importer, head *trace.Header, w *store.Writer) error {
	for i := range files.Len() {
		im := first
		if i > 0 {
			var err error
			if im, err = f.choose(files, i); err != nil {
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
		case format.LayoutOf(im, f.opts) != format.LayoutOf(first, f.opts):
			return fmt.Errorf("%s: %s has other columns than %s; import each file alone, then join them with traces merge",
				in.Name, im.Info().Name, first.Info().Name)
		}
		f.opts.FirstProc = trace.Proc(head.Procs)
		r, err := im.Import(in, f.opts, w)
		if err != nil {
			return err
		}
		in.Close()
		prefix := ""
		if files.Len() > 1 {
			prefix = fmt.Sprintf("processor %d: ", i)
		}
		f.collect(in.Name, prefix, im, r)
		head.Procs += r.Procs
		head.Rule = r.Rule
	}
	return nil
}

// choose finds the importer of one file.
func (f *importFlags) choose(files *format.Files, i int) (format.Importer, error) {
	im := f.importer
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
			f.notes = append(f.notes, note)
			f.used = append(f.used, "the format is a guess from the content")
		}
	}
	if err := format.CheckReading(im, f.opts.Set); err != nil {
		return nil, stage.Usage("--set: %w", err)
	}
	return im, nil
}

// collect stores the program and notes of an input. Notes in the trace name inputs by
// number, because a path is no property of the trace.
func (f *importFlags) collect(name, prefix string, im format.Importer, r format.Result) {
	f.programs = append(f.programs, r.Program)
	for _, n := range r.Notes {
		f.notes = append(f.notes, name+": "+n)
		f.used = append(f.used, prefix+n)
	}
	for _, n := range r.Facts {
		f.used = append(f.used, prefix+n)
	}
	if prefix != "" && r.Program != "" {
		f.used = append(f.used, prefix+r.Program)
	}
	if !slices.Contains(strings.Split(f.from, ", "), im.Info().Name) {
		f.from = strings.TrimPrefix(f.from+", "+im.Info().Name, ", ")
	}
}

// idle returns notes on given flags that have no effect.
func (f *importFlags) idle(layout format.Layout, hasRefs bool) (all []string) {
	used := strings.Split(f.from, ", ")
	for _, name := range f.given {
		if !hasRefs && slices.Contains([]string{"default-size", "ifetch", "modify"}, name) {
			all = append(all, fmt.Sprintf("--%s has no effect: the input has no references", name))
		}
		own, is := formatFlags[name]
		if is && !slices.ContainsFunc(own, func(s string) bool { return slices.Contains(used, s) }) {
			all = append(all, fmt.Sprintf("--%s has no effect: it is for %s, but the input is %s", name, strings.Join(own, " and "), f.from))
		}
	}
	if f.opts.PC && !layout.PC {
		all = append(all, "--pc has no effect: "+f.from+" has no addresses of instructions")
	}
	return all
}

// finish completes the header.
func (f *importFlags) finish(head *trace.Header) {
	head.Format, head.Inputs = f.from, f.inputs
	head.Program = f.program
	for _, p := range f.programs {
		if head.Program == "" {
			head.Program = p
		}
	}
	if head.Program == "" {
		head.Program = head.Format + " trace"
	}
	if f.opts.Modify != format.ModifySplit {
		f.used = append(f.used, "of a modify only the "+f.modify+" is kept")
	}
	if f.opts.DropIfetch {
		f.used = append(f.used, "instruction fetches are left out")
	}
	head.Notes = f.used
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
