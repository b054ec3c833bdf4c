package trace

// Kind says what an event is.
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

// String is the name that files and commands use.
func (k Kind) String() string { return name(kindNames[:], int(k)) }

// Synchronizes reports whether processors of a shared memory order what they do by such events: what comes
// before has happened for all who come after.
func (k Kind) Synchronizes() bool {
	switch k {
	case Barrier, Lock, Unlock, Signal, WaitFlag, Fork, Join:
		return true
	}
	return false
}

// None stands for no or any peer, tag, group or request.
const None int32 = -1

// TaskQueues is the first number of the locks and flags of task queues: who gets which task depends on
// the order in which processors come to the lock. Other locks and flags have lower numbers.
const TaskQueues = 1 << 30

// Event is one row of Events.
type Event struct {
	Instr   uint32 // instructions since this processor's previous event
	Refs    uint64 // references of this processor that precede it
	Kind    Kind
	Peer    int32 // rank, or lock, barrier or flag object
	Tag     int32
	Group   int32 // communicator
	Request int32
	Bytes   int64 // payload
	Addr    int64 // layout of the buffer: Count blocks of Block bytes, Stride apart, from Addr
	Count   int64
	Block   int64
	Stride  int64
	Work    int64   // of a Compute: amount in the header's WorkUnit
	Time    int64   // recorded start in ps; meaningful where Header.HasTime
	Needs   []int64 // rows of this processor that must have finished; nil means the previous row
}

// NewEvent is an event of kind k with no peer, tag, group or request.
func NewEvent(k Kind) Event {
	return Event{Kind: k, Peer: None, Tag: None, Group: None, Request: None}
}

// Collective reports whether e is an operation of a whole group. A barrier with a Peer
// is not: it is an object in shared memory, where any processors may meet.
func (e *Event) Collective() bool {
	switch e.Kind {
	case Barrier:
		return e.Peer < 0
	case Bcast, Reduce, AllReduce, Scan, Gather, AllGather, Scatter, AllToAll:
		return true
	}
	return false
}

// Events is a batch of events of one processor. Events are few beside
// references, so they are rows. The producer owns it: it is valid until the next
// iteration or call.
type Events struct {
	Proc Proc
	Rows []Event
}

// Len is the number of events.
func (e *Events) Len() int { return len(e.Rows) }
