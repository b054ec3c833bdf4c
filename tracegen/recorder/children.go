package recorder

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
)

// Process is the program, or a process that it started.
type Process struct {
	Number int      // from 1 on, in the order in which they start; 0 is the program
	Args   []string // the path of what it executes, and its arguments
	SHA256 string   // of the file, in hexadecimal
}

// Trace is what a process is recorded to.
type Trace interface {
	Sink
	Keep(*Recording) error // the process has ended
	Drop()                 // there is nothing to keep
}

// family follows the processes that a program starts. Each says on a socket where its blocks are.
type family struct {
	opt      Options
	first    Process
	registry *os.File // the end that the processes have; nil if they are not recorded
	conn     *net.UnixConn
	ended    chan struct{} // all processes have

	live  sync.WaitGroup
	mutex sync.Mutex
	last  int             // number of the latest process
	procs map[int]*member // by number of the host
	err   error           // the first
}

// cutNote is the note of a process whose end the plugin has not seen.
const cutNote = "the process was killed, or executed another program"

// member is a process while it runs.
type member struct {
	Process
	forked       bool // it executes the program of its parent
	pipe, memory *os.File
	in           *bufio.Reader // of the pipe
	next         *member       // the program that a forked process executes; it has its number
	executed     chan struct{} // closed when next is there
}

// maxEnrolment is the longest message of the socket: what it is, and the arguments.
const (
	enrolmentBytes = 12
	maxEnrolment   = 1 << 13
	forkedProcess  = 1 // kind of the message, as in children.h
)

func newFamily(r *Recorder) (*family, error) {
	f := &family{opt: r.opt, first: r.Process(), ended: make(chan struct{}), procs: map[int]*member{}}
	if r.opt.Children == nil {
		close(f.ended)
		return f, nil
	}
	ends, err := socketPair()
	if err != nil {
		return nil, err
	}
	f.registry = ends[1]
	conn, err := net.FileConn(ends[0])
	ends[0].Close()
	if err != nil {
		return nil, fmt.Errorf("making a socket: %w", err)
	}
	f.conn = conn.(*net.UnixConn)
	return f, nil
}

func (f *family) close() {
	if f.registry != nil {
		f.registry.Close()
		f.conn.Close()
	}
}

// start follows the processes of a program that has the socket now.
func (f *family) start(program int) {
	if f.registry == nil {
		return
	}
	f.registry.Close()
	f.procs[program] = &member{Process: f.first} // its pipe is not here
	go func() {
		defer close(f.ended)
		message, rights := make([]byte, maxEnrolment), make([]byte, 64)
		for {
			n, have, _, _, err := f.conn.ReadMsgUnix(message, rights)
			if err != nil || n < enrolmentBytes {
				return
			}
			ends := descriptors(rights[:have])
			if ends[0] == nil || ends[1] == nil {
				continue // no descriptors were free
			}
			f.enrol(message[:n], ends[0], ends[1])
		}
	}()
}

// enrol begins to record a process.
func (f *family) enrol(message []byte, pipe, memory *os.File) {
	le := binary.LittleEndian
	kind, number, parent := le.Uint32(message), int(le.Uint32(message[4:])), int(le.Uint32(message[8:]))
	m := &member{pipe: pipe, memory: memory, in: bufio.NewReader(pipe), forked: kind == forkedProcess, executed: make(chan struct{})}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	before := f.procs[number]
	if m.forked {
		m.Process = f.first
		if p := f.procs[parent]; p != nil {
			m.Process = p.Process
		}
	} else {
		m.executes(message[enrolmentBytes:])
	}
	if !m.forked && before != nil && before.forked && before.next == nil {
		before.next, m.Number = m, before.Number
		f.procs[number] = m
		close(before.executed)
		return
	}
	f.last++
	m.Number = f.last
	f.procs[number] = m
	f.live.Go(func() { f.record(m) })
}

// executes sets the program of a process. Its arguments end with a zero byte each.
func (m *member) executes(args []byte) {
	m.Args = strings.Split(strings.TrimSuffix(string(args), "\x00"), "\x00")
	if f, err := os.Open(m.Args[0]); err == nil {
		m.SHA256, _ = digest(f) // it may be gone
		f.Close()
	}
}

// record records a process up to its end, and the program that a forked process executes instead of it.
func (f *family) record(m *member) {
	s, t, err := f.follow(m)
	if err == nil && m.forked && !s.ends.known { // the program that it executes may say only now where its blocks are
		select {
		case <-m.executed:
		case <-f.ended:
		}
	}
	f.mutex.Lock()
	next := m.next
	f.mutex.Unlock()
	if next != nil && err == nil {
		if _, e := next.in.Peek(1); e == nil {
			t.Drop()
			f.record(next)
			return
		}
		next.pipe.Close()
		next.memory.Close()
	}
	if err == nil {
		err = f.keep(s, t)
	}
	if err != nil {
		f.mutex.Lock()
		f.err = errors.Join(f.err, err)
		f.mutex.Unlock()
	}
}

// follow reads what a process does.
func (f *family) follow(m *member) (*stream, Trace, error) {
	defer m.pipe.Close()
	defer m.memory.Close()
	t, err := f.opt.Children(m.Process)
	if err != nil {
		return nil, nil, err
	}
	s := newStream(t, f.opt)
	s.forked = m.forked
	if err = s.read(m.in); err == nil || errors.Is(err, os.ErrClosed) {
		err = s.rest(m.memory)
	}
	if err != nil {
		t.Drop()
	}
	return s, t, err
}

// keep completes the trace of a process, unless it did nothing.
func (f *family) keep(s *stream, t Trace) error {
	defer t.Drop()
	procs, err := s.finish()
	if err != nil || procs == 0 {
		return err
	}
	rec := &Recording{Procs: procs}
	s.count(rec)
	if !s.ends.known {
		rec.Notes = append(rec.Notes, cutNote)
	}
	rec.Notes = append(append(rec.Notes, f.opt.Sample.notes(s.ends)...), s.calls.notes()...)
	if s.forked && s.names.places != nil {
		rec.Notes = append(rec.Notes, "blocks of the heap and stacks that the process had when it was forked have no names")
	}
	unnamed, err := s.names.finish(s.pcs)
	if err != nil {
		return err
	}
	rec.Notes = append(rec.Notes, unnamed...)
	return t.Keep(rec)
}

// wait waits until all processes have ended. If the recording is interrupted, it does not wait for those that go on.
func (f *family) wait(ctx context.Context) error {
	select {
	case <-f.ended:
	case <-ctx.Done():
		f.close()
		<-f.ended
		f.mutex.Lock()
		for _, m := range f.procs {
			_ = m.pipe.Close() // ends its reading
		}
		f.mutex.Unlock()
	}
	f.live.Wait()
	return f.err
}
