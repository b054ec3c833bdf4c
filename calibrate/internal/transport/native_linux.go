package transport

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"spoor/calibrate/internal/host"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// native measures between two processors of this host.
type native struct {
	*host.Local
	transport Transport
	block     *block
	memory    []byte
	file      *os.File // of the shared memory, for the other process
	conn      conn
	end       func() error // ends the other side; nil if there is none
	desk      *desk
	broken    error // error of a trial
}

// Open prepares two processors for a transport. The function that it returns ends the other side.
func Open(t Transport) (Bench, func() error, error) {
	if t.open != nil {
		return t.open()
	}
	local, err := host.OpenAlone()
	if err != nil {
		return nil, nil, err
	}
	b := &native{Local: local, transport: t, desk: newDesk()}
	if local.Peer < 0 {
		return nil, nil, errors.Join(errors.New("two processors are needed, one for each side; this process may use only one"), b.Close())
	}
	if err := b.share(); err != nil {
		return nil, nil, errors.Join(err, b.Close())
	}
	return b, b.Close, nil
}

// share maps the block in an anonymous file.
func (b *native) share() (err error) {
	dir := "/dev/shm"
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = ""
	}
	if b.file, err = os.CreateTemp(dir, "spoor-calibrate-*"); err != nil {
		return err
	}
	if err := errors.Join(os.Remove(b.file.Name()), b.file.Truncate(int64(blockBytes))); err != nil {
		return err
	}
	b.memory, b.block, err = mapBlock(b.file.Fd())
	return err
}

func mapBlock(fd uintptr) ([]byte, *block, error) {
	m, err := syscall.Mmap(int(fd), 0, blockBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_POPULATE)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping shared memory: %w", err)
	}
	return m, (*block)(unsafe.Pointer(&m[0])), nil
}

// Close releases everything.
func (b *native) Close() error {
	err := errors.Join(b.Rest(), b.desk.clear())
	if b.memory != nil {
		err = errors.Join(err, syscall.Munmap(b.memory))
	}
	if b.file != nil {
		err = errors.Join(err, b.file.Close())
	}
	return errors.Join(err, b.Local.Close())
}

// Rest ends the other side.
func (b *native) Rest() error {
	if b.end == nil {
		return nil
	}
	err := b.block.tell(taskEnd, packing.Point{}, 0)
	err = errors.Join(err, b.end())
	b.end = nil
	return err
}

// Launch starts the other side again.
func (b *native) Launch(int) error {
	if b.broken != nil {
		return b.broken
	}
	if err := b.Rest(); err != nil {
		return err
	}
	clear(b.memory)
	fresh := newDesk()
	if b.desk.laid() { // before the old one is released, so that the pages differ
		if err := fresh.lay(); err != nil {
			return err
		}
	}
	err := b.desk.clear()
	if b.desk = fresh; err != nil {
		return err
	}
	if b.conn, b.end, err = b.transport.start(b); err != nil {
		return err
	}
	return until(func() bool { return b.block.ready.Load() == 1 })
}

// Sentinel is answered by the other side while it waits for commands.
func (b *native) Sentinel() unit.Seconds { return b.RoundTrips(&b.block.ping, &b.block.pong) }

// Times of a trial: long compared with reading the clock.
const (
	trialTime  = unit.Seconds(20e-6)
	mostRepeat = 256
	// wholeTime is the longest time of a trial, with waiting that is not timed. Hardly any longer trial is
	// undisturbed.
	wholeTime = unit.Seconds(1e-3)
)

// Trial repeats a point for about trialTime, or wholeTime with waiting.
func (b *native) Trial(p packing.Point) (host.Trial, error) {
	if b.broken != nil {
		return nil, b.broken
	}
	if p.Rows > 0 {
		if err := b.desk.lay(); err != nil {
			return nil, err
		}
	}
	once, whole := unit.Seconds(1), unit.Seconds(1)
	for range 3 {
		begin := b.Now()
		t, err := run(b.block, b.conn, b.desk, b, p, 1)
		if err != nil {
			return nil, err
		}
		once, whole = min(once, t), min(whole, b.Now()-begin)
	}
	repeat := max(1, min(repeats(once), int64(wholeTime/whole)))
	return func() unit.Seconds {
		if b.broken != nil {
			return 0
		}
		t, err := run(b.block, b.conn, b.desk, b, p, repeat)
		if err != nil {
			b.broken = err
			return 0
		}
		return t
	}, nil
}

// repeats returns the number of repetitions of an operation that takes so long.
func repeats(once unit.Seconds) int64 {
	if once <= 0 {
		return mostRepeat
	}
	return max(1, min(int64(trialTime/once), mostRepeat))
}

const pauses = 200

// Pause returns the least of some pauses, in ticks of the clock.
func (b *native) Pause(d unit.Seconds) unit.Seconds {
	least := unit.Seconds(1)
	for range pauses / 20 {
		least = min(least, b.Time(func() {
			for range 20 {
				pause(time.Duration(float64(d) * 1e9))
			}
		})/20)
	}
	return max(least, d)
}

// thread starts the other side as a pinned thread of this process.
func thread(b *native, c conn) (func() error, error) {
	ready, gone := make(chan error), make(chan error, 1)
	go func() {
		err := host.Pin(b.Peer) // never unpinned: the thread ends with the goroutine
		ready <- err
		if err == nil {
			err = serve(b.block, c)
		}
		gone <- err
	}()
	return func() error { return <-gone }, <-ready
}

// environment is the variable that makes a process the other side. Its value has the transport and the processor.
const environment = "SPOOR_CALIBRATE_TRANSPORT"

// process starts the other side as a process, with the block and, if not nil, a socket.
func process(b *native, socket *os.File) (func() error, error) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s,%d", environment, b.transport.Name, b.Peer), "GODEBUG=asyncpreemptoff=1")
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = []*os.File{b.file}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if socket != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, socket)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the other side: %w", err)
	}
	return cmd.Wait, nil
}

// File descriptors of the other process.
const (
	blockFile  = 3
	socketFile = 4
)

// Other performs the other side's part if this process was started for it, and reports whether it was. Every
// program that measures calls it first.
func Other() (is bool, err error) {
	name, cpu, found := strings.Cut(os.Getenv(environment), ",")
	if !found {
		return false, nil
	}
	n, err := strconv.Atoi(cpu)
	if err != nil {
		return true, fmt.Errorf("%s: %w", environment, err)
	}
	if err := host.Pin(n); err != nil {
		return true, err
	}
	_, b, err := mapBlock(blockFile)
	if err != nil {
		return true, err
	}
	if name == shared.Name {
		return true, serve(b, b.ringEnd(false))
	}
	return true, serve(b, socketConn(socketFile))
}
