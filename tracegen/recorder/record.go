package recorder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"

	"spoor/traces/unit"
)

// Options selects what is recorded of which program.
type Options struct {
	Args     []string                     // the program and its arguments
	Refs     bool                         // loads and stores
	Fetches  bool                         // and instructions, as they are fetched
	From, To string                       // the functions with which recording begins and ends; "" are main and the end
	Sample   Sample                       // which references are recorded
	Locks    LockOrder                    // which mutexes keep the recorded order
	Symbols  bool                         // the names of places, if the sink is a Namer
	Children func(Process) (Trace, error) // makes the trace of a process that the program starts; nil if they are not recorded
	Go       bool                         // the program was built by goprogram
	Procs    int                          // of Go: processors on which goroutines run; 0 if each is one
	Dir      string                       // where the program runs; "" is here
	In       io.Reader
	Out, Err io.Writer
	Progress func(references int)
}

// Recording is what was recorded.
type Recording struct {
	Procs        int
	Instructions unit.Instructions
	References   uint64
	Events       uint64
	Status       int      // of the program; 128 and its number if a signal ended it
	Notes        []string // what is not recorded
}

// Recorder is what a program needs to be recorded.
type Recorder struct {
	opt     Options
	program *program
	qemu    qemu
	plugin  string
	preload string  // "" if the program cannot load it
	ranked  *Ranked // of a program with MPI, or nil
	region  string  // options of the plugin: where recording begins and ends
	whole   bool    // recording begins with the first instruction
}

// Prepare finds the program and QEMU, and compiles the plugin.
func Prepare(ctx context.Context, opt Options) (*Recorder, error) {
	r := &Recorder{opt: opt}
	if runtime.GOOS != "linux" {
		return nil, errors.New("programs are recorded by QEMU's user mode, which only Linux has")
	}
	var err error
	if r.program, err = openProgram(opt.Args[0]); err != nil {
		return nil, err
	}
	if r.qemu, err = findQEMU(ctx, r.program.machine); err != nil {
		return nil, err
	}
	if r.plugin, err = compile(ctx, "plugin.c", []string{"cc", "gcc", "clang"}, fmt.Sprintf("-DAPI=%d", r.qemu.api)); err != nil {
		return nil, err
	}
	if r.program.interp && !opt.Go {
		names := compilers[r.program.machine]
		if natives[runtime.GOARCH] == r.program.machine {
			names = []string{"cc", "gcc", "clang"}
		}
		var flags []string
		if opt.Symbols {
			flags = []string{"-DHEAPS"}
		}
		if r.preload, err = compile(ctx, "preload.c", names, flags...); err != nil {
			return nil, err
		}
	}
	if r.opt.Sample.NoStacks && r.preload == "" {
		return nil, fmt.Errorf("%s is linked statically, so its stacks are not known; leave out --stacks=false", r.program.path)
	}
	return r, r.findRegion()
}

// Process is the program.
func (r *Recorder) Process() Process {
	return Process{Args: append([]string{r.program.path}, r.opt.Args[1:]...), SHA256: r.program.sha256}
}

// findRegion finds where recording begins: at the function of the user, or at main. The preloaded library marks main. In other
// programs its symbol is needed; a program without it is recorded from its first instruction on.
func (r *Recorder) findRegion() error {
	from := r.opt.From
	if r.opt.Go {
		from = cmp.Or(from, "main.main")
	}
	switch {
	case from != "":
		at, err := r.program.offset(from)
		if err != nil {
			return err
		}
		r.region = fmt.Sprintf(",from=%#x", at)
	case r.preload != "":
		r.region = ",from=0"
	case r.program.offsets["main"] != 0 || r.program.offsets["main.main"] != 0: // of C, or of Go
		r.region = fmt.Sprintf(",from=%#x", cmp.Or(r.program.offsets["main"], r.program.offsets["main.main"]))
	default:
		r.whole = true
	}
	if r.opt.To == "" {
		return nil
	}
	at, err := r.program.offset(r.opt.To)
	r.region += fmt.Sprintf(",to=%#x", at)
	return err
}

// Record runs the program, and writes its trace to the sink. It returns an error if the trace is not sound, but not if the
// program fails.
func (r *Recorder) Record(ctx context.Context, sink Sink) (*Recording, error) {
	pipe, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer pipe.Close()
	defer to.Close()
	buffers, err := sharedMemory()
	if err != nil {
		return nil, err
	}
	defer buffers.Close()
	family, err := newFamily(r)
	if err != nil {
		return nil, err
	}
	defer family.close()
	cmd := r.command(to, buffers, family.registry)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", r.qemu.path, err)
	}
	to.Close()
	defer forward(cmd.Process)()
	family.start(cmd.Process.Pid)
	s := newStream(sink, r.opt)
	if r.opt.Go {
		s.goes = newGoroutines(r.opt.Procs)
	}
	err = r.follow(s, cmd, pipe, buffers)
	if e := family.wait(ctx); err == nil {
		err = e
	}
	if err != nil {
		return nil, err
	}
	return r.finish(s, cmd.ProcessState)
}

// follow reads what the plugin sends until the program has ended.
func (r *Recorder) follow(s *stream, cmd *exec.Cmd, pipe, buffers *os.File) error {
	err := s.read(pipe)
	if err != nil {
		_ = cmd.Process.Kill() // the trace cannot be written
	}
	waited := cmd.Wait()
	if err == nil {
		err = s.rest(buffers)
	}
	var exit *exec.ExitError
	if err == nil && waited != nil && !errors.As(waited, &exit) {
		err = fmt.Errorf("running %s: %w", r.qemu.path, waited)
	}
	return err
}

// command is QEMU with the program.
func (r *Recorder) command(pipe, buffers, registry *os.File) *exec.Cmd {
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	files := inherited()
	plugin := fmt.Sprintf("%s,pipe=%d,buffers=%d,refs=%d,fetches=%d,marked=%d,go=%d,symbols=%d,hidden=%#x", r.plugin, 3+len(files), 4+len(files),
		number(r.opt.Refs), number(r.opt.Fetches), number(r.preload != ""), number(r.opt.Go), number(r.opt.Symbols), pathDigest(r.preload))
	plugin += r.region + r.opt.Sample.option()
	if registry != nil {
		plugin += fmt.Sprintf(",children=%d,preload=%s", 5+len(files), r.preload)
	}
	args := []string{"-plugin", plugin, "-0", r.opt.Args[0]}
	if r.preload != "" {
		args = append(args, "-E", "LD_PRELOAD="+r.ranked.preloads(r.preload), "-E", "LD_BIND_NOW=1", "-E", "OMP_WAIT_POLICY=passive")
	}
	if r.opt.Procs > 0 {
		args = append(args, "-E", fmt.Sprintf("GOMAXPROCS=%d", r.opt.Procs))
	}
	cmd := exec.Command(r.qemu.path, append(append(args, r.program.path), r.opt.Args[1:]...)...)
	cmd.Dir = r.opt.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.opt.In, r.opt.Out, r.opt.Err
	cmd.ExtraFiles = append(files, pipe, buffers)
	if registry != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, registry)
	}
	cmd.Env = r.ranked.environment()
	return cmd
}

// notes says what of the program is not recorded: by the user's choice, and if it is linked statically.
func (r *Recorder) notes(s *stream) (notes []string) {
	notes = r.opt.Sample.notes(s.ends)
	if r.opt.To != "" && s.ends.known && !s.ends.after {
		notes = append(notes, fmt.Sprintf("the program did not call %s, so recording ended with it", r.opt.To))
	}
	if s.outside > 0 && (r.opt.From != "" || r.opt.To != "") {
		notes = append(notes, fmt.Sprintf("%d events lie before or after the part that is recorded; no work lies between them", s.outside))
	}
	if s.goes != nil {
		notes = append(notes, fmt.Sprintf("%d instructions of Go's scheduler, garbage collector and calls that wait are not recorded", s.goes.left))
	} else if r.preload == "" {
		notes = append(notes, "the program is linked statically, so its locks, barriers and other events are not recorded")
		if r.opt.Symbols {
			notes = append(notes, "the program is linked statically, so blocks of its heap and stacks have no names")
		}
	}
	if r.whole {
		notes = append(notes, "the program has no symbol main, so it is recorded from its first instruction on")
	}
	if p := s.names.places; p != nil && r.preload != "" && !p.Mapped(realPath(r.preload)) {
		notes = append(notes, "the program does not load the library that follows its heap, so blocks of the heap and stacks have no names")
	}
	if r.ranked == nil && r.program.mpi(context.Background()) != nil {
		notes = append(notes, "the calls of MPI are not recorded: its library runs as a part of the program")
	}
	return notes
}

// finish completes the trace, and says what is missing.
func (r *Recorder) finish(s *stream, state *os.ProcessState) (*Recording, error) {
	procs, err := s.finish()
	if err != nil {
		return nil, err
	}
	rec := &Recording{Procs: procs}
	var note string
	if rec.Status, note = ended(state); note != "" {
		rec.Notes = append(rec.Notes, note)
	} else if !s.ends.known {
		rec.Notes = append(rec.Notes, cutNote)
	}
	s.count(rec)
	if s.children > 0 {
		rec.Notes = append(rec.Notes, fmt.Sprintf("%d processes that the program started are not recorded", s.children))
	}
	rec.Notes = append(rec.Notes, s.calls.notes()...)
	rec.Notes = append(rec.Notes, r.notes(s)...)
	unnamed, err := s.names.finish(s.pcs)
	if err != nil {
		return nil, err
	}
	rec.Notes = append(rec.Notes, unnamed...)
	if rec.Instructions == 0 {
		return nil, fmt.Errorf("%s ended with status %d and never called %s, with which recording begins%s", r.opt.Args[0], rec.Status,
			cmp.Or(r.opt.From, "main"), r.program.foreign())
	}
	return rec, nil
}
