package trace

// Kind is the kind of an event.
type Kind uint8

// The kinds of events. The zero Kind is not legal.
const (
	Compute Kind = 1 + iota
	Send
	Recv
	Isend
	Irecv
	Wait
	Test
	Probe
	Iprobe
	Clock
	Barrier
	Lock
	Unlock
	Signal
	WaitFlag
	Bcast
	Reduce
	AllReduce
	Scan
	Gather
	AllGather
	Scatter
	AllToAll
	Fork
	Join
	Marker
	endKind
)

var kindNames = [...]string{Compute: "compute", Send: "send", Recv: "recv", Isend: "isend", Irecv: "irecv",
	Wait: "wait", Test: "test", Probe: "probe", Iprobe: "iprobe", Clock: "clock", Barrier: "barrier",
	Lock: "lock", Unlock: "unlock", Signal: "signal", WaitFlag: "waitflag", Bcast: "bcast", Reduce: "reduce",
	AllReduce: "allreduce", Scan: "scan", Gather: "gather", AllGather: "allgather", Scatter: "scatter",
	AllToAll: "alltoall", Fork: "fork", Join: "join", Marker: "marker"}

// Kinds lists the legal kinds in order.
var Kinds = func() (all []Kind) {
	for k := Compute; k < endKind; k++ {
		all = append(all, k)
	}
	return all
}()

// Valid reports whether k is one of Kinds.
func (k Kind) Valid() bool { return k-1 < endKind-1 }

// String returns the name that files and commands use.
func (k Kind) String() string { return name(kindNames[:], int(k)) }

// Synchronizes reports whether events of kind k order the accesses of processors that
// share memory: accesses before the event are visible to all accesses after it.
func (k Kind) Synchronizes() bool {
	switch k {
	case Barrier, Lock, Unlock, Signal, WaitFlag, Fork, Join:
		return true
	}
	return false
}

// PassesMessages reports whether only programs that pass messages have events of kind k. Barriers do not count,
// because they may be those of a shared memory.
func (k Kind) PassesMessages() bool {
	switch k {
	case Send, Recv, Isend, Irecv, Wait, Probe, Bcast, Reduce, AllReduce, Scan, Gather, AllGather, Scatter, AllToAll:
		return true
	}
	return false
}

// None means that an event has no peer, tag, group or request, or accepts any.
const None int32 = -1

// TaskQueues is the first number of the locks and flags of task queues. The order in which processors
// acquire such a lock determines which processor gets which task. Other locks and flags have lower numbers.
const TaskQueues = 1 << 30

// Event is one row of Events.
type Event struct {
	Instr   uint32 // instructions since this processor's previous event
	Refs    uint64 // references of this processor that precede it
	Kind    Kind
	Peer    int32 // rank, or number of the lock, barrier or flag
	Tag     int32
	Group   int32 // communicator
	Request int32
	Bytes   int64 // payload
	Addr    int64 // layout of the buffer: Count blocks of Block bytes, Stride bytes apart, from Addr; of Lock and WaitFlag: the word waited for, or 0
	Count   int64
	Block   int64
	Stride  int64
	Work    int64   // of a Compute: amount in the header's WorkUnit
	Time    int64   // recorded start in ps, if Header.HasTime is set
	Needs   []int64 // rows of this processor that must finish before; nil means the previous row
}

// NewEvent returns an event of kind k with no peer, tag, group or request.
func NewEvent(k Kind) Event {
	return Event{Kind: k, Peer: None, Tag: None, Group: None, Request: None}
}

// Collective reports whether e is an operation of a whole group. A barrier with a Peer
// is not: it is an object in shared memory, and any processors may use it.
func (e *Event) Collective() bool {
	switch e.Kind {
	case Barrier:
		return e.Peer < 0
	case Bcast, Reduce, AllReduce, Scan, Gather, AllGather, Scatter, AllToAll:
		return true
	}
	return false
}

// Events is a batch of events of one processor. There are far fewer events than
// references, so they are rows instead of columns. The producer owns the batch: it
// is valid until the next iteration or call.
type Events struct {
	Proc Proc
	Rows []Event
}

// Len returns the number of events.
func (e *Events) Len() int { return len(e.Rows) }
