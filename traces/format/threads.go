package format

import (
	"fmt"
	"strconv"

	"spoor/traces/trace"
)

const (
	maxThreads = 1 << 20 // processors that a trace can have
	// maxWaiting limits the buffered references in the streams of all threads.
	maxWaiting = 1 << 22
)

// threads holds the streams of an input whose records name their thread. Each thread is
// a processor, in order of appearance.
type threads struct {
	sink    Sink
	first   trace.Proc // number of the first one
	withPC  bool       // references have the pc column
	byID    map[uint64]*thread
	order   []*thread // by processor
	waiting int       // references since the streams were last flushed
}

type thread struct {
	*stream
	id  uint64
	now uint64 // position of its latest reference
}

func newThreads(sink Sink, o Options, withPC bool) threads {
	return threads{sink: sink, first: o.FirstProc, withPC: withPC, byID: map[uint64]*thread{}}
}

// find returns the thread with that number. problem reports one thread too many, for an
// error at the current place.
func (t *threads) find(id uint64) (th *thread, problem string) {
	if th := t.byID[id]; th != nil {
		return th, ""
	}
	if len(t.order) == maxThreads {
		return nil, fmt.Sprintf("more than %d threads", maxThreads)
	}
	th = &thread{stream: newStream(t.sink, t.first+trace.Proc(len(t.order))), id: id}
	th.withPC = t.withPC
	t.byID[id] = th
	t.order = append(t.order, th)
	return th, ""
}

// advance moves th to a position, and limits the buffered references in all streams.
// Call it before each reference. Earlier references can then no longer be removed with
// unref.
func (t *threads) advance(th *thread, now uint64) {
	th.execute(now - th.now)
	th.now = now
	if t.waiting++; t.waiting < maxWaiting {
		return
	}
	for _, th := range t.order {
		th.flush()
		th.refs = trace.Refs{Proc: th.refs.Proc} // frees the memory
	}
	t.waiting = 0
}

func (t *threads) finish() error {
	for _, th := range t.order {
		if err := th.stream.finish(); err != nil {
			return err
		}
	}
	return nil
}

// numbering returns the note about which thread became which processor, or "" if the
// numbers are equal.
func (t *threads) numbering() string {
	var ids []string
	other := false
	for i, th := range t.order {
		other = other || th.id != uint64(i)
		ids = append(ids, strconv.FormatUint(th.id, 10)+" is "+strconv.Itoa(int(t.first)+i))
	}
	if !other {
		return ""
	}
	return "threads are numbered as processors by their first rows: thread " + listed(ids)
}
