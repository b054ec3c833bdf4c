package analysis

import (
	"fmt"
	"iter"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Interleave yields the interleaved order of all processors of src. It merges them by instructions
// executed; the lower processor number wins a tie. The position of a reference or event is where
// its instructions end.
//
// Synchronization:
//   - Barrier: a processor waits until all processors of the trace have arrived at the same barrier (the same Peer and Group). Then their barrier events come, by processor. All processors continue from the time of the last arrival.
//   - Lock: a processor holds a lock from its Lock event to its Unlock event. Processors that want it meanwhile receive it in order of arrival; the lower processor number wins a tie. Their Lock events come at the time of the Unlock.
//   - No other event makes a processor wait.
//
// A chunk of references extends to the next event unless it is too long. The chunks of a lone
// processor are those of its program order. A separate chunk says that a processor has to wait or
// that its program has ended. Memory holds one batch of each stream per processor.
//
// If a barrier or lock can never be passed, the error names the waiting processors and where they
// wait.
func Interleave(src trace.Source) iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		m := newMerger(src, trace.DataOps, yield)
		defer m.stop()
		if err := m.run(); err != nil && !m.stopped {
			yield(nil, err)
		}
	}
}

// object identifies a barrier or lock.
type object struct{ group, id int32 }

func objectOf(e *trace.Event) object { return object{e.Group, e.Peer} }

// lock is the holder of a lock and the processors that wait for it, in order of arrival.
type lock struct {
	held  bool
	owner trace.Proc
	queue []trace.Proc
}

// place is where a processor waits.
type place struct {
	kind trace.Kind // zero: it does not wait
	object
}

type merger struct {
	src      trace.Source
	yield    func(*Chunk, error) bool
	stopped  bool // the consumer wants no more chunks
	streams  []*stream
	waits    []place // by processor
	granted  []bool  // by processor: its next event is a Lock that it has been granted
	ready    queue
	barriers map[object]int // number of processors that have arrived
	members  map[int32]int  // of groups; nil until a barrier has one
	locks    map[object]*lock
	space             // memory of merged references
	from     int      // references before it in space have been yielded
	merged   int      // references in space
	bytes    int      // that the merged large references touch, see mostBytes
	rows     int      // maximum length of a chunk
	moves    trace.Op // of the merged references, see Chunk.Moves
	first    uint32   // Instr of the chunk's first reference in program order
	whole    bool     // chunks are those of the only processor's program order
	time     uint64   // when the last merged reference ends
	chunk    Chunk
	useCache useCache                   // of the chunk
	programs map[trace.Proc]*dispatcher // feed the program orders too
}

// space holds columns of full length.
type space struct {
	of   []trace.Proc
	refs trace.Refs
}

func newSpace(rows int, hasPC bool) space {
	s := space{of: make([]trace.Proc, rows), refs: trace.Refs{Proc: trace.Interleaved, Instr: make([]uint32, rows),
		Addr: make([]uint64, rows), Size: make([]uint16, rows), Op: make([]trace.Op, rows)}}
	if hasPC {
		s.refs.PC = make([]uint64, rows)
	}
	return s
}

// use continues in other memory. No merged references may be pending.
func (m *merger) use(s space) { m.space, m.from, m.merged = s, 0, 0 }

// mergeRows and pipelineRows are the maximum length of a chunk of several processors' interleaved
// order. On one core all shards process a chunk in turn. mergeRows is large enough that a shard's
// state returns to the second-level cache once for many uses, and small enough that the chunk stays
// there too. In a pipeline a shard processes many chunks in turn; a chunk of pipelineRows stays in
// the first-level cache.
const (
	mergeRows    = 1 << 13
	pipelineRows = 1 << 10
)

func newMerger(src trace.Source, refs trace.OpSet, yield func(*Chunk, error) bool) *merger {
	n := max(0, src.Header().Procs)
	return &merger{src: src, yield: yield, rows: mergeRows, whole: n == 1, waits: make([]place, n), granted: make([]bool, n),
		useCache: useCache{numbers: newNumbers(n, refs)},
		barriers: map[object]int{}, locks: map[object]*lock{}, space: newSpace(mergeRows, src.Header().HasPC)}
}

func (m *merger) stop() {
	for _, s := range m.streams {
		s.stop()
	}
}

func (m *merger) run() error {
	for p := range m.waits {
		s, err := newStream(m.src, trace.Proc(p), m.useCache.numbers.refs, m.programs[trace.Proc(p)])
		m.streams = append(m.streams, s)
		if err != nil {
			return err
		}
		if err := m.enqueue(s); err != nil {
			return err
		}
		if s.ended() {
			m.idle(s, 0)
		}
	}
	for len(m.ready) > 0 && !m.stopped {
		if err := m.step(); err != nil {
			return err
		}
	}
	m.flush()
	return m.stuck()
}

// step processes the next item of the earliest processor.
func (m *merger) step() error {
	first := m.ready[0]
	s := m.streams[first.Tie]
	if s.at < s.end {
		return m.merge(s, first.Key)
	}
	if m.flush(); m.stopped {
		return nil
	}
	e := s.event()
	switch e.Kind {
	case trace.Barrier:
		return m.arrive(s, e, first.Key)
	case trace.Lock:
		return m.lock(s, e, first.Key)
	case trace.Unlock:
		return m.unlock(s, e, first.Key)
	}
	s.take(first.Key)
	return m.emit(s)
}

// idle yields a chunk that says that a processor stops at the given time.
func (m *merger) idle(s *stream, time uint64) {
	if m.flush(); m.stopped {
		return
	}
	m.chunk = Chunk{Proc: s.proc, Time: unit.Instructions(time), StopsAt: m.waits[s.proc].kind}
	m.stopped = !m.yield(&m.chunk, nil)
}

// emit yields the event of the earliest processor.
func (m *merger) emit(s *stream) error {
	if m.stopped = m.stopped || !m.yield(&s.chunk, nil); m.stopped {
		return nil
	}
	return m.advance(s)
}

// advance replaces the earliest processor's entry in the queue with its next item.
func (m *merger) advance(s *stream) error {
	if err := s.ready(); err != nil {
		return err
	}
	time, ok, err := s.next()
	if ok {
		m.ready.ReplaceFirst(entry(time, s.proc))
	} else if m.ready.Pop(); err == nil {
		m.idle(s, s.clock)
	}
	return err
}

// enqueue adds the next item of a processor that has no entry in the queue.
func (m *merger) enqueue(s *stream) error {
	if time, ok, err := s.next(); err != nil {
		return err
	} else if ok {
		m.ready.Push(entry(time, s.proc))
	}
	return nil
}

func (m *merger) arrive(s *stream, e *trace.Event, now uint64) error {
	at := place{trace.Barrier, objectOf(e)}
	s.take(now)
	m.ready.Pop()
	m.waits[s.proc] = at
	members, err := m.membersOf(at.group)
	if err != nil {
		return err
	}
	if m.idle(s, now); m.stopped {
		return nil
	}
	if m.barriers[at.object]++; m.barriers[at.object] < members {
		return nil
	}
	delete(m.barriers, at.object)
	for p, s := range m.streams {
		if m.waits[p] != at {
			continue
		}
		s.chunk.Time = unit.Instructions(now)
		if m.stopped = m.stopped || !m.yield(&s.chunk, nil); m.stopped {
			return nil
		}
	}
	for p, s := range m.streams {
		if m.waits[p] != at {
			continue
		}
		m.waits[p] = place{}
		s.delay(now - s.clock)
		if err := s.ready(); err != nil {
			return err
		}
		if err := m.enqueue(s); err != nil {
			return err
		}
		if s.ended() {
			m.idle(s, now)
		}
	}
	return nil
}

// membersOf returns the number of processors that meet at barriers of a group.
func (m *merger) membersOf(group int32) (n int, err error) {
	if group < 0 {
		return len(m.streams), nil
	}
	if m.members == nil {
		m.members, err = trace.BarrierMembers(m.src)
	}
	return m.members[group], err
}

func (m *merger) lock(s *stream, e *trace.Event, now uint64) error {
	at := objectOf(e)
	l := m.locks[at]
	if l == nil {
		l = &lock{}
		m.locks[at] = l
	}
	if l.held && !m.granted[s.proc] {
		l.queue = append(l.queue, s.proc)
		m.waits[s.proc] = place{trace.Lock, at}
		m.ready.Pop()
		m.idle(s, now)
		return nil
	}
	l.held, l.owner, m.granted[s.proc] = true, s.proc, false
	s.take(now)
	return m.emit(s)
}

func (m *merger) unlock(s *stream, e *trace.Event, now uint64) error {
	at := objectOf(e)
	l := m.locks[at]
	if l == nil || !l.held || l.owner != s.proc {
		return fmt.Errorf("processor %d: unlock after %d references of %s, which it does not hold", s.proc, e.Refs, place{trace.Lock, at})
	}
	s.take(now)
	if err := m.emit(s); err != nil || m.stopped {
		return err
	}
	if len(l.queue) == 0 {
		delete(m.locks, at)
		return nil
	}
	next := m.streams[l.queue[0]]
	l.queue = l.queue[1:]
	l.owner, m.granted[next.proc], m.waits[next.proc] = next.proc, true, place{}
	arrived, _, err := next.next()
	if err != nil {
		return err
	}
	next.delay(now - arrived)
	return m.enqueue(next)
}
