package transport

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/internal/host"
	"spoor/calibrate/internal/marshalling"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// mpiBench is two processes that mpirun starts. One of them is the measuring side. It receives its commands as
// lines.
type mpiBench struct {
	*host.Local
	kit          kit
	dir, program string
	cmd          *exec.Cmd
	orders       *os.File
	answers      *os.File
	lines        *bufio.Reader
	errs         strings.Builder
	switches     int64
	broken       error
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
	return fmt.Errorf("%s: %w: %s", b.kit.runner(), err, strings.Join(strings.Fields(b.errs.String()), " "))
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
	sides := slices.Concat(b.kit.run, []string{b.program, strconv.Itoa(b.CPU), strconv.Itoa(b.Peer)})
	cmd := exec.Command(sides[0], sides[1:]...)
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
	count, l := max(p.Count, 1), marshalling.LayoutOf(&p)
	if p.Experiment == packing.Array {
		count = 1 + marshalling.Index(&p)
	}
	if _, err = fmt.Fprintf(b.orders, "%c %d %d %d %g %d %d %d %d\n", task, count, repeat, p.Bytes, float64(p.Delay), l.Base, l.Rows, l.Cols, l.Stride); err == nil {
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

// letters are the first letters of the commands of experiments. m is ping-pongs and bursts, with and without delays.
var letters = map[packing.Experiment]byte{packing.Transfer: 't', packing.Scan: 'c', packing.Array: 'a',
	timing.Exchange: 'x', timing.Receive: 'l', timing.Held: 'h', timing.PingPong: 'm', timing.Burst: 'm', timing.Delayed: 'm'}

// Trial repeats a point for about trialTime.
func (b *mpiBench) Trial(p packing.Point) (host.Trial, error) {
	task, is := letters[p.Experiment]
	if !is {
		return nil, fmt.Errorf("experiment %s cannot be measured over MPI; choose another transport", p.Experiment)
	}
	if p.Rows > 0 {
		if err := marshalling.Check(&p); err != nil {
			return nil, err
		}
		if _, err := marshalling.StatementOf(&p); err != nil && p.Experiment == packing.Array {
			return nil, err
		}
	} else if p.Bytes > largestSize {
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
