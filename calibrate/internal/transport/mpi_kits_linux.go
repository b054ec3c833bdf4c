package transport

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spoor/calibrate/internal/host"
)

// mpiSources are the program of both sides, which is built where it runs, and as much of MPI over sockets as it uses.
//
//go:embed mpi/mpi.c mpi/marshal.h mpi/sockets/mpi.h
var mpiSources embed.FS

// kit is a compiler for the program of both sides, and what starts it twice.
type kit struct {
	compiler []string
	run      []string // before the program; empty: it starts the other side itself
	packages string   // of Debian
}

// runner returns the tool that starts both sides.
func (k kit) runner() string {
	if len(k.run) == 0 {
		return "the program of both sides"
	}
	return k.run[0]
}

// absent returns an error that names the missing tool.
func (k kit) absent() error {
	for _, tool := range slices.Concat(k.compiler[:1], k.run[:min(1, len(k.run))]) {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is not installed; it is part of %s", tool, k.packages)
		}
	}
	return nil
}

// inC returns the transport of a kit, whose both sides are a program in C.
func inC(name, what string, k kit, variant bool) Transport {
	return Transport{Name: name, What: what, Variant: variant, absent: k.absent, open: func() (Bench, func() error, error) { return k.open() }}
}

// mpirunOf returns a kit with the tools of an implementation of MPI, whose names end in a suffix.
func mpirunOf(suffix, packages string) kit {
	return kit{[]string{"mpicc" + suffix}, []string{"mpirun" + suffix, "-n", "2"}, packages}
}

var (
	mpi = inC("mpi", "MPI between two pinned processes, if mpicc and mpirun are installed",
		mpirunOf("", "Open MPI (Debian: openmpi-bin, libopenmpi-dev)"), false)
	openMPI = inC("openmpi", "the same by mpicc.openmpi and mpirun.openmpi",
		mpirunOf(".openmpi", "Open MPI (Debian: openmpi-bin, libopenmpi-dev)"), true)
	mpich = inC("mpich", "the same by mpicc.mpich and mpirun.mpich",
		mpirunOf(".mpich", "MPICH (Debian: mpich, libmpich-dev)"), true)
	unixInC = inC("cunix", "the program in C of mpi, over Unix sockets instead", kit{[]string{"cc"}, nil, "a C compiler (Debian: gcc)"}, true)
	tcpInC  = inC("ctcp", "the program in C of mpi, over TCP and the loopback device instead", kit{[]string{"cc", "-DTCP"}, nil, "a C compiler (Debian: gcc)"}, true)
)

// open builds the program.
func (k kit) open() (Bench, func() error, error) {
	if err := k.absent(); err != nil {
		return nil, nil, err
	}
	local, err := host.OpenAlone()
	if err != nil {
		return nil, nil, err
	}
	b := &mpiBench{Local: local, kit: k}
	if local.Peer < 0 {
		return nil, nil, errors.Join(errors.New("two processors are needed, one for each side; this process may use only one"), b.close())
	}
	if err := b.build(); err != nil {
		return nil, nil, errors.Join(err, b.close())
	}
	return b, b.close, nil
}

// building bounds the time of the compiler.
const building = 60 * time.Second

func (b *mpiBench) build() (err error) {
	if b.dir, err = os.MkdirTemp("", "spoor-calibrate-*"); err != nil {
		return err
	}
	for _, name := range []string{"mpi.c", "marshal.h", "sockets/mpi.h"} {
		text, err := mpiSources.ReadFile("mpi/" + name)
		if err != nil {
			return err
		}
		path := filepath.Join(b.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600)); err != nil {
			return err
		}
	}
	b.program = filepath.Join(b.dir, "both")
	arguments := []string{"-O2", "-o", b.program, filepath.Join(b.dir, "mpi.c")}
	if len(b.kit.run) == 0 {
		arguments = append([]string{"-I", filepath.Join(b.dir, "sockets")}, arguments...)
	}
	compile := exec.Command(b.kit.compiler[0], slices.Concat(b.kit.compiler[1:], arguments)...)
	compile.WaitDelay = time.Second
	timer := time.AfterFunc(building, func() { _ = compile.Process.Kill() })
	defer timer.Stop()
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("building the program of both sides with %s: %w: %s", b.kit.compiler[0], err, strings.TrimSpace(string(out)))
	}
	return nil
}
