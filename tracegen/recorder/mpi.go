package recorder

import (
	"context"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// library is a library of MPI that can be recorded.
type library struct {
	soname    string
	name      string
	compilers []string // that are tried, in order
	install   string   // the package with a compiler
}

// libraries are those that are recorded. Others with the interface of MPICH have its names.
var libraries = []library{
	{"libmpi.so.40", "Open MPI", []string{"mpicc.openmpi", "mpicc"}, "libopenmpi-dev"},
	{"libmpich.so.12", "MPICH", []string{"mpicc.mpich", "mpicc"}, "libmpich-dev"},
	{"libmpi.so.12", "an MPI with the interface of MPICH", []string{"mpicc"}, "libmpich-dev"},
}

// mpi returns the library of MPI that a program needs itself or by another library, or nil.
func (p *program) mpi(ctx context.Context) *library {
	f, err := elf.Open(p.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	needed, _ := f.ImportedLibraries() // none of a program that is linked statically
	if known := knownLibrary(needed); known != nil {
		return known
	}
	return knownLibrary(loaded(ctx, f, p))
}

func knownLibrary(names []string) *library {
	for i := range libraries {
		if slices.Contains(names, libraries[i].soname) {
			return &libraries[i]
		}
	}
	return nil
}

// loaded lists the libraries that glibc's dynamic linker would load with the program. The linker does not run the program.
func loaded(ctx context.Context, f *elf.File, p *program) (names []string) {
	i := slices.IndexFunc(f.Progs, func(s *elf.Prog) bool { return s.Type == elf.PT_INTERP })
	if i < 0 || p.machine != natives[runtime.GOARCH] {
		return nil
	}
	linker, err := io.ReadAll(f.Progs[i].Open())
	path := strings.TrimRight(string(linker), "\x00")
	if err != nil || !strings.HasPrefix(filepath.Base(path), "ld-linux") {
		return nil
	}
	said, _ := exec.CommandContext(ctx, path, "--list", p.path).Output()
	for line := range strings.Lines(string(said)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		names = append(names, name)
	}
	return names
}

// shim compiles the recorder of MPI calls for a library, and returns its path.
func (l *library) shim(ctx context.Context) (string, error) {
	found := slices.ContainsFunc(l.compilers, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if !found {
		return "", fmt.Errorf("the program uses %s (%s), whose compiler (%s) is not there; it compiles the recorder of MPI calls; install it: apt-get install %s",
			l.name, l.soname, strings.Join(l.compilers, ", "), l.install)
	}
	path, err := compile(ctx, "mpi.c", l.compilers, "-w")
	if err != nil {
		return "", err
	}
	f, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading the recorder of MPI calls: %w", err)
	}
	defer f.Close()
	needed, _ := f.ImportedLibraries()
	if !slices.Contains(needed, l.soname) {
		other := "no library of MPI that is known"
		if known := knownLibrary(needed); known != nil {
			other = known.soname
		}
		return "", fmt.Errorf("the program uses %s (%s), but %s compiles for %s; put the mpicc of the program's MPI first in PATH, or install it: apt-get install %s",
			l.name, l.soname, l.compiler(), other, l.install)
	}
	return path, nil
}

// compiler is the first compiler that is there.
func (l *library) compiler() string {
	for _, name := range l.compilers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// shimHelp begins the source of --print-shim.
const shimHelp = `/* Records the MPI calls of a program on a machine without tracegen. The program needs no change.
 *
 *   mpicc -O2 -shared -fPIC -o spoor_mpi.so spoor_mpi.c -ldl
 *   export SPOOR_MPI=$PWD/spoor-mpi                                  a folder that all hosts share
 *   mpirun -np 4 -x SPOOR_MPI -x LD_PRELOAD=$PWD/spoor_mpi.so ./app  (Open MPI)
 *   mpirun -np 4 -genv LD_PRELOAD $PWD/spoor_mpi.so ./app            (MPICH)
 *   srun -n 4 --export=ALL,LD_PRELOAD=$PWD/spoor_mpi.so ./app        (Slurm)
 *
 * Each rank leaves a file in the folder. Read them where Spoor is installed: traces import spoor-mpi -o app
 */
`

// PrintShim writes the source of the recorder of MPI calls as one file.
func PrintShim(w io.Writer) error {
	text, err := sources.ReadFile("c/mpi.c")
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(shimHelp)
	for line := range strings.Lines(string(text)) {
		part, isPart := strings.CutPrefix(strings.TrimSpace(line), `#include "`)
		if !isPart {
			b.WriteString(line)
			continue
		}
		included, err := sources.ReadFile("c/" + strings.TrimSuffix(part, `"`))
		if err != nil {
			return err
		}
		b.Write(included)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// environment is this process's, with libraries preloaded before those that it names.
func environment(preload []string, more ...string) []string {
	var env []string
	for _, v := range os.Environ() {
		if before, is := strings.CutPrefix(v, "LD_PRELOAD="); is {
			preload = append(preload, before)
			continue
		}
		env = append(env, v)
	}
	return append(append(env, "LD_PRELOAD="+strings.Join(preload, ":")), more...)
}
