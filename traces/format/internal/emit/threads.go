package emit

import (
	"fmt"
	"strconv"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

const (
	MaxThreads = 1 << 20 // processors that a trace can have
	// maxWaiting limits the buffered references in the streams of all threads.
	maxWaiting = 1 << 22
	// smallThreads is the number of threads that are found without a map.
	smallThreads = 1 << 8
)

// Threads holds the streams of an input whose records name their thread. Each thread is
// a processor, in order of appearance.
type Threads struct {
	sink    format.Sink
	First   trace.Proc // number of the first one
	withPC  bool       // references have the pc column
	byID    map[uint64]*Thread
	small   [smallThreads]*Thread // those of small numbers, by number
	Order   []*Thread             // by processor
	waiting int                   // references since the streams were last flushed
}

type Thread struct {
	*Stream
	Id  uint64
	Now uint64 // position of its latest reference
}

func NewThreads(sink format.Sink, o format.Options, withPC bool) Threads {
	return Threads{sink: sink, First: o.FirstProc, withPC: withPC, byID: map[uint64]*Thread{}}
}

// Find returns the thread with that number. problem reports one thread too many, for an
// error at the current place.
func (t *Threads) Find(id uint64) (th *Thread, problem string) {
	if id < smallThreads && t.small[id] != nil {
		return t.small[id], ""
	}
	if th := t.byID[id]; th != nil {
		return th, ""
	}
	if len(t.Order) == MaxThreads {
		return nil, fmt.Sprintf("more than %d threads", MaxThreads)
	}
	th = &Thread{Stream: NewStream(t.sink, t.First+trace.Proc(len(t.Order))), Id: id}
	th.WithPC = t.withPC
	t.byID[id] = th
	if id < smallThreads {
		t.small[id] = th
	}
	t.Order = append(t.Order, th)
	return th, ""
}

// Advance moves th to a position, and limits the buffered references in all streams.
// Call it before each reference. Earlier references can then no longer be removed with
// unref.
func (t *Threads) Advance(th *Thread, now uint64) {
	th.Execute(now - th.Now)
	th.Now = now
	if t.waiting++; t.waiting < maxWaiting {
		return
	}
	for _, th := range t.Order {
		th.Flush()
		th.Refs = trace.Refs{Proc: th.Refs.Proc} // frees the memory
	}
	t.waiting = 0
}

func (t *Threads) Finish() error {
	for _, th := range t.Order {
		if err := th.Stream.Finish(); err != nil {
			return err
		}
	}
	return nil
}

// Numbering returns the note about which thread became which processor, or "" if the
// numbers are equal.
func (t *Threads) Numbering() string {
	var ids []string
	other := false
	for i, th := range t.Order {
		other = other || th.Id != uint64(i)
		ids = append(ids, strconv.FormatUint(th.Id, 10)+" is "+strconv.Itoa(int(t.First)+i))
	}
	if !other {
		return ""
	}
	return "threads are numbered as processors by their first rows: thread " + input.Listed(ids)
}
