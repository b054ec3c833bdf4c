package recorder

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// program is an executable file that can be recorded.
type program struct {
	path    string // absolute
	machine string // as QEMU calls it: "x86_64"
	interp  bool   // a dynamic linker loads it, and so libraries can be preloaded
	offsets map[string]uint64
	code    uint64 // virtual address of the first executable segment
	sha256  string
}

// machines are the instruction sets that are recorded, by the names of QEMU's programs.
var machines = map[elf.Machine]string{elf.EM_X86_64: "x86_64", elf.EM_AARCH64: "aarch64"}

// natives are the instruction sets of this machine, by Go's names of them.
var natives = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// openProgram finds a program as a shell does, and reads what the recorder needs to know of it.
func openProgram(name string) (*program, error) {
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("finding the program %s: %w", name, cause(err))
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the program: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
		return nil, fmt.Errorf("%s has the rights of its owner or group (setuid or setgid), which QEMU does not give it; record a copy without them", path)
	}
	head := make([]byte, 128)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the program: %w", err)
	}
	if line, ok := bytes.CutPrefix(head[:n], []byte("#!")); ok {
		interpreter, _, _ := strings.Cut(string(line), "\n")
		return nil, fmt.Errorf("%s is a script; record its interpreter: tracegen run ... -- %s %s", path, strings.TrimSpace(interpreter), name)
	}
	p, err := readELF(path, f)
	if err != nil {
		return nil, err
	}
	p.sha256, err = digest(f)
	return p, err
}

// digest returns the SHA-256 of a program's file, in hexadecimal.
func digest(f io.ReaderAt) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, math.MaxInt64)); err != nil {
		return "", fmt.Errorf("reading the program: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// cause is the error without the name that exec repeats.
func cause(err error) error {
	var named *exec.Error
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

func readELF(path string, f *os.File) (*program, error) {
	file, err := elf.NewFile(f)
	if err != nil {
		return nil, fmt.Errorf("%s is not a program in the ELF format of Linux", path)
	}
	machine, ok := machines[file.Machine]
	switch {
	case file.Class != elf.ELFCLASS64:
		return nil, fmt.Errorf("%s is a 32-bit program; only 64-bit programs are recorded: build it without -m32", path)
	case !ok:
		return nil, fmt.Errorf("%s is a program for %v; programs for x86-64 and arm64 are recorded", path, file.Machine)
	case file.Type != elf.ET_EXEC && file.Type != elf.ET_DYN:
		return nil, fmt.Errorf("%s is an ELF file, but not a program: its type is %v", path, file.Type)
	}
	p := &program{path: path, machine: machine, offsets: map[string]uint64{}}
	first := slices.IndexFunc(file.Progs, func(s *elf.Prog) bool { return s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 })
	if first < 0 {
		return nil, fmt.Errorf("%s has no code to execute", path)
	}
	p.code = file.Progs[first].Vaddr
	p.interp = slices.ContainsFunc(file.Progs, func(s *elf.Prog) bool { return s.Type == elf.PT_INTERP })
	for _, list := range []func() ([]elf.Symbol, error){file.Symbols, file.DynamicSymbols} {
		all, _ := list() // a stripped program has none
		for _, s := range all {
			if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Value >= p.code && s.Section != elf.SHN_UNDEF {
				p.offsets[s.Name] = s.Value - p.code
			}
		}
	}
	return p, nil
}

// offset returns how far a function is from the start of the code.
func (p *program) offset(function string) (uint64, error) {
	if at, ok := p.offsets[function]; ok && at == 0 {
		return 0, fmt.Errorf("%s begins the code of %s, and recording cannot begin there; name a function that it calls", function, p.path)
	} else if ok {
		return at, nil
	}
	if len(p.offsets) == 0 {
		return 0, fmt.Errorf("%s has no names of functions (it is stripped), so %s cannot be found; keep its symbols", p.path, function)
	}
	return 0, fmt.Errorf("%s has no function %s; 'nm %s' lists those it has", p.path, function, p.path)
}

// foreign says where the libraries of a program for another processor are searched, or "".
func (p *program) foreign() string {
	if natives[runtime.GOARCH] == p.machine || !p.interp {
		return ""
	}
	return fmt.Sprintf("; it needs libraries for another processor: set QEMU_LD_PREFIX=/usr/%s-linux-gnu, or to where they are", p.machine)
}

// pathDigest is a number for the path of a file, by which the plugin knows where the file is mapped. No path has 0.
func pathDigest(path string) uint64 {
	if path == "" {
		return 0
	}
	h := fnv.New64a()
	io.WriteString(h, realPath(path))
	return h.Sum64()
}

// realPath is a path as the kernel names the file.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
