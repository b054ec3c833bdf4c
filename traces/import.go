package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/traces/format"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// importFlags are the flags of import, before they are checked.
type importFlags struct {
	from, output, program         string
	modify, ifetch, atomics       string
	summary                       string
	columns, csvTime              string
	defaultSize, addrBase         int
	opts                          format.Options
	unmatched                     string
	archive                       bool
	set                           map[string]string
	given                         []string        // names of the flags that were given
	importer                      format.Importer // of --from, or nil
	inputs, notes, used, programs []string
}

func importCommand(env *stage.Env) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE... -o PREFIX",
		Short: "read foreign traces",
		Long:  importLong,
		Example: "  $ traces import data/sample/matmul.log.zst -o matmul\n" +
			"  $ traces export matmul --to din -o - | traces import - --from din --ifetch drop -o loads\n" +
			"  $ traces import data/sample/fork_12543.log.zst data/sample/fork_12544.log.zst -o both\n" +
			"  $ traces import data/sample/ring.goal --set unit=1us -o ring",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			cmd.Flags().Visit(func(flag *pflag.Flag) { f.given = append(f.given, flag.Name) })
			return f.run(cmd.Context(), env, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "prefix of the files to write (required)")
	flags.StringVar(&f.from, "from", "", "format of the input (see traces formats); recognised if not given")
	flags.StringVar(&f.program, "program", "", "name of the traced program, if the input does not say")
	flags.StringVar(&f.modify, "modify", "split", "what becomes of a modify: split (load, then store), load, store")
	flags.StringVar(&f.ifetch, "ifetch", "keep", "keep or drop instruction fetches; they count as instructions either way")
	flags.IntVar(&f.defaultSize, "default-size", 0, "bytes of references without a size (default: 4 in din, else 1)")
	flags.StringVar(&f.atomics, "lackey-atomics", "keep", "a load directly before a modify of the same bytes: keep, or collapse into it")
	flags.StringVar(&f.summary, "lackey-summary", "check", "a summary that counts other instructions than the trace has: check is an error, or ignore")
	flags.BoolVar(&f.opts.PC, "pc", false, "store the address of the instruction with each reference, in formats that have it")
	flags.BoolVar(&f.archive, "archive", false, "write references in the archive profile: several times smaller, and slower to write and read")
	flags.StringVar(&f.unmatched, "unmatched", "error", "a message without a partner: error, or note and accept it")
	flags.StringToStringVar(&f.set, "set", nil, "settings of the format, name=value (see traces formats NAME)")
	flags.StringVar(&f.columns, "columns", "", "csv: names of the columns in order, - for those to ignore")
	flags.IntVar(&f.addrBase, "addr-base", 10, "csv, pinatrace: base of addresses without 0x, 10 or 16")
	flags.StringVar(&f.csvTime, "csv-time", "instructions", "csv: what the time column counts, instructions, or rows to ignore it")
	return cmd
}

// importLong is the help of the command.
const importLong = "Import reads foreign traces and writes PREFIX.refs.arrow and PREFIX.events.arrow, whole or not at all.\n" +
	"FILE may be - for standard input. Compression (gzip, zstd, xz, bzip2, lz4, snappy, zip) and format are\n" +
	"recognised by content; a format without magic is guessed with a note, or given by --from.\n\n" +
	"Several FILEs become one processor each, in their order, or the ranks of one trace in formats with a file\n" +
	"for each (traces formats); a folder stands for the files of such a trace in it. Formats with a thread\n" +
	"column take one FILE.\n" +
	"What was guessed, tolerated or dropped is noted, here and in the trace."

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
	head := trace.Header{WorkUnit: layout.Work, HasPC: layout.PC, HasTime: layout.Time, Tool: tool}
	create := store.Create
	if f.archive {
		create = store.CreateArchive
	}
	w, err := create(f.output, head)
	if err != nil {
		return err
	}
	defer w.Abort()
	if joint, ok := im.(format.Joint); ok {
		err = f.joint(files, joint, &head, w)
	} else {
		err = f.each(files, im, &head, w)
	}
	if err != nil {
		return usageOf(err)
	}
	f.inputs = files.SHA256s()
	f.finish(&head)
	if err := w.Close(head); err != nil {
		return err
	}
	progress.Done()
	for _, n := range append(f.notes, f.idle(layout)...) {
		env.Note("%s", n)
	}
	if _, joint := im.(format.Joint); !joint && files.Len() > 1 {
		env.Note("addresses of the %d files are taken for those of one address space; of processes, import each alone, and join them with traces merge --separate", files.Len())
	}
	return nil
}

// usageOf makes wrong usage of a setting's bad value, which only the format can
// tell.
func usageOf(err error) error {
	if bad := new(format.SettingError); errors.As(err, &bad) {
		return stage.Usage("%w", bad)
	}
	return err
}

// expand replaces folders by the files of the trace in them.
func (f *importFlags) expand(env *stage.Env, args []string) (paths []string, err error) {
	for _, path := range args {
		path = env.Input(path)
		if format.IsSchedule(path) {
			f.notes = append(f.notes, path+": a schedule of drmemtrace, which has no references: left out")
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			paths = append(paths, path)
			continue
		}
		these, joint, err := format.ExpandFolder(path, f.importer)
		if err != nil {
			return nil, err
		}
		f.importer = joint
		paths = append(paths, these...)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: a schedule of drmemtrace, which has no references; import its folder, or the files *.trace.* beside it", args[0])
	}
	return paths, nil
}

// joint imports files that are one trace.
func (f *importFlags) joint(files *format.Files, im format.Joint, head *trace.Header, w *store.Writer) error {
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

// each imports files of which each is one processor.
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
		switch _, threaded := im.(format.Threaded); {
		case threaded && files.Len() > 1:
			return fmt.Errorf("%s: %s names its threads itself, so it cannot be one of several files; import each alone, and merge them with traces merge",
				in.Name, im.Name())
		case format.LayoutOf(im, f.opts) != format.LayoutOf(first, f.opts):
			return fmt.Errorf("%s: %s has other columns than %s; import each alone, and merge them with traces merge",
				in.Name, im.Name(), first.Name())
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
		if im, note, err = format.Detect(in); err != nil {
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

// collect keeps what an input says of itself. Notes in the trace name inputs by
// number: a path is no property of the trace.
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
	if !slices.Contains(strings.Split(f.from, ", "), im.Name()) {
		f.from = strings.TrimPrefix(f.from+", "+im.Name(), ", ")
	}
}

// ownFlags are those that only these formats look at.
var ownFlags = map[string][]string{
	"lackey-atomics": {"lackey"},
	"lackey-summary": {"lackey"},
	"columns":        {"csv"},
	"csv-time":       {"csv"},
	"addr-base":      {"csv", "pinatrace"},
}

// idle says which flags were given and change nothing.
func (f *importFlags) idle(layout format.Layout) (all []string) {
	used := strings.Split(f.from, ", ")
	for _, name := range f.given {
		own, is := ownFlags[name]
		if is && !slices.ContainsFunc(own, func(s string) bool { return slices.Contains(used, s) }) {
			all = append(all, fmt.Sprintf("--%s changes nothing: it is for %s, and this is %s", name, strings.Join(own, " and "), f.from))
		}
	}
	if f.opts.PC && !layout.PC {
		all = append(all, "--pc changes nothing: "+f.from+" does not say which instruction makes a reference")
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

// totalSize is the size of all files, or -1 if one is not a plain file.
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
