package transport

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/internal/host"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// mpiSource is the program of both sides, which is built where it runs.
//
//go:embed mpi/mpi.c
var mpiSource []byte

var mpi = Transport{Name: "mpi", What: "MPI between two pinned processes, if mpicc and mpirun are installed", open: openMPI, absent: mpiAbsent}

// mpiAbsent returns an error that names the missing tool.
func mpiAbsent() error {
	for _, tool := range []string{"mpicc", "mpirun"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is not installed; it is part of Open MPI (Debian: openmpi-bin, libopenmpi-dev)", tool)
		}
	}
	return nil
}

// mpiBench is two processes that mpirun starts. One of them is the measuring side. It receives its commands as
// lines.
type mpiBench struct {
	*host.Local
	dir, program string
	cmd          *exec.Cmd
	orders       *os.File
	answers      *os.File
	lines        *bufio.Reader
	errs         strings.Builder
	switches     int64
	broken       error
}

// building bounds the time of the compiler.
const building = 60 * time.Second

// openMPI builds the program.
func openMPI() (Bench, func() error, error) {
	if err := mpiAbsent(); err != nil {
		return nil, nil, err
	}
	local, err := host.OpenAlone()
	if err != nil {
		return nil, nil, err
	}
	b := &mpiBench{Local: local}
	if local.Peer < 0 {
		return nil, nil, errors.Join(errors.New("two processors are needed, one for each side; this process may use only one"), b.close())
	}
	if err := b.build(); err != nil {
		return nil, nil, errors.Join(err, b.close())
	}
	return b, b.close, nil
}

func (b *mpiBench) build() (err error) {
	if b.dir, err = os.MkdirTemp("", "spoor-calibrate-*"); err != nil {
		return err
	}
	source := filepath.Join(b.dir, "mpi.c")
	b.program = filepath.Join(b.dir, "mpi")
	if err := os.WriteFile(source, mpiSource, 0o600); err != nil {
		return err
	}
	compile := exec.Command("mpicc", "-O2", "-o", b.program, source)
	compile.WaitDelay = time.Second
	timer := time.AfterFunc(building, func() { _ = compile.Process.Kill() })
	defer timer.Stop()
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("building the program of both sides with mpicc: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// close ends everything and removes all files.
func (b *mpiBench) close() error {
	err := b.Rest()
	if b.dir != "" {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	return errors.Join(err, b.Local.Close())
}

// Rest ends both sides by closing the pipe of commands.
func (b *mpiBench) Rest() error {
	if b.cmd == nil {
		return nil
	}
	err := errors.Join(b.orders.Close(), b.answers.SetReadDeadline(time.Now().Add(silence)))
	if _, e := b.lines.ReadString(0); os.IsTimeout(e) {
		err = errors.Join(err, errSilent, syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL))
	}
	if e := b.cmd.Wait(); e != nil && b.broken == nil {
		err = errors.Join(err, b.failed(e))
	}
	b.cmd = nil
	return errors.Join(err, b.answers.Close())
}

// failed returns an error with the output of mpirun.
func (b *mpiBench) failed(err error) error {
	return fmt.Errorf("mpirun: %w: %s", err, strings.Join(strings.Fields(b.errs.String()), " "))
}

// allowed has settings of Open MPI. It may start two processes on fewer slots, must not bind them, and may run as
// root, which containers need. Other implementations ignore these variables.
var allowed = []string{"OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_hwloc_base_binding_policy=none", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe",
	"PRTE_MCA_hwloc_default_binding_policy=none", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_mpi_yield_when_idle=0"}

// Launch starts both sides again.
func (b *mpiBench) Launch(int) error {
	if err := errors.Join(b.broken, b.Rest()); err != nil {
		return err
	}
	in, orders, err := os.Pipe()
	if err != nil {
		return err
	}
	answers, out, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close(), orders.Close())
	}
	b.errs.Reset()
	cmd := exec.Command("mpirun", "-n", "2", b.program, strconv.Itoa(b.CPU), strconv.Itoa(b.Peer))
	cmd.Env = append(os.Environ(), allowed...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = in, out, &b.errs, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	err = cmd.Start()
	if err = errors.Join(err, in.Close(), out.Close()); err != nil {
		return errors.Join(err, orders.Close(), answers.Close())
	}
	b.cmd, b.orders, b.answers, b.lines = cmd, orders, answers, bufio.NewReader(answers)
	if line, err := b.line(); err != nil || line != "ready" {
		b.broken = fmt.Errorf("starting both sides: %w", errors.Join(err, b.Rest()))
	}
	return b.broken
}

// line reads the next line of the measuring side.
func (b *mpiBench) line() (string, error) {
	if err := b.answers.SetReadDeadline(time.Now().Add(silence)); err != nil {
		return "", err
	}
	text, err := b.lines.ReadString('\n')
	switch {
	case os.IsTimeout(err):
		return "", errSilent
	case err != nil:
		return "", errors.New("the measuring side has ended")
	}
	return strings.TrimSpace(text), nil
}

// order returns the time of a command.
func (b *mpiBench) order(task byte, p packing.Point, repeat int64) (t unit.Seconds, err error) {
	if b.broken != nil {
		return 0, b.broken
	}
	if _, err = fmt.Fprintf(b.orders, "%c %d %d %d %g\n", task, max(p.Count, 1), repeat, p.Bytes, float64(p.Delay)); err == nil {
		var line string
		if line, err = b.line(); err == nil {
			var switches int64
			_, err = fmt.Sscanf(line, "%g %d", &t, &switches)
			b.switches += switches
		}
	}
	if err != nil {
		b.broken = fmt.Errorf("the measuring side has failed: %w", err)
	}
	return t, b.broken
}

// Sentinel is taken between both sides; 0 if they have ended, which trials report.
func (b *mpiBench) Sentinel() unit.Seconds {
	t, _ := b.order('s', packing.Point{}, 1)
	return t
}

// Switches returns the context switches of both sides during commands.
func (b *mpiBench) Switches() int64 { return b.switches }

// Pause returns the mean of some pauses.
func (b *mpiBench) Pause(d unit.Seconds) unit.Seconds {
	t, err := b.order('p', packing.Point{Delay: d}, pauses)
	if err != nil {
		return d
	}
	return max(t, d)
}

// letters are the first letters of the commands of experiments. The others are ping-pongs and bursts, with and
// without delays.
var letters = map[packing.Experiment]byte{timing.Exchange: 'x', timing.Receive: 'l', timing.Held: 'h', timing.PingPong: 'm', timing.Burst: 'm', timing.Delayed: 'm'}

// Trial repeats a point for about trialTime.
func (b *mpiBench) Trial(p packing.Point) (host.Trial, error) {
	task, is := letters[p.Experiment]
	if !is {
		return nil, errors.New("marshalling cannot be measured over MPI; choose another transport")
	}
	if p.Bytes > largestSize {
		return nil, fmt.Errorf("messages of %v are larger than %v", p.Bytes, unit.Bytes(largestSize))
	}
	once := unit.Seconds(1)
	for range 3 {
		t, err := b.order(task, p, 1)
		if err != nil {
			return nil, err
		}
		once = min(once, t)
	}
	repeat := repeats(once)
	return func() unit.Seconds {
		t, _ := b.order(task, p, repeat) // the error is stored, and returned at the next point
		return t
	}, nil
}
