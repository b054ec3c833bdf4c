package paraver

import (
	"bytes"
	"strings"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// The types of Paraver's events of MPI.
const (
	prvPoint      = 50000001
	prvCollective = 50000002
	prvOther      = 50000003
	prvRMA        = 50000004
	prvIO         = 50000005
	prvSent       = 50100001 // bytes of a collective
	prvReceived   = 50100002
	prvRoot       = 50100003 // 1 on the root
	prvOfComm     = 50100004
)

// prvClass is how a call communicates.
type prvClass uint8

const (
	prvNothing prvClass = iota
	prvSend
	prvIsend
	prvRecv
	prvIrecv
	prvSendrecv
	prvStart // of persistent requests, to send or to receive
	prvWait
	prvWaitall
	prvTest
	prvProbe
	prvIprobe
	prvGlobal // a collective
	prvBare   // not a call: a message outside calls
)

// prvCallKind is the kind of event that an MPI call becomes.
type prvCallKind struct {
	class prvClass
	kind  trace.Kind // of a collective
	how   prvException
}

// prvException gives the exceptions of a collective.
type prvException uint8

const (
	prvPlain         prvException = iota
	prvPerMember                  // its size is for each member
	prvReduceScatter              // it becomes a reduce and a scatter
	prvExscan
	prvNonblocking // it is imported as the blocking one
)

// prvKinds maps the calls that communicate, by their name in lower case without "mpi_".
var prvKinds = map[string]prvCallKind{
	"send": {class: prvSend}, "bsend": {class: prvSend}, "ssend": {class: prvSend}, "rsend": {class: prvSend},
	"isend": {class: prvIsend}, "ibsend": {class: prvIsend}, "issend": {class: prvIsend}, "irsend": {class: prvIsend},
	"recv": {class: prvRecv}, "irecv": {class: prvIrecv},
	"sendrecv": {class: prvSendrecv}, "sendrecv_replace": {class: prvSendrecv},
	"start": {class: prvStart}, "startall": {class: prvStart},
	"wait": {class: prvWait}, "waitany": {class: prvWait}, "waitsome": {class: prvWait}, "waitall": {class: prvWaitall},
	"test": {class: prvTest}, "testall": {class: prvTest}, "testany": {class: prvTest}, "testsome": {class: prvTest},
	"probe": {class: prvProbe}, "iprobe": {class: prvIprobe},
	"bcast": global(trace.Bcast), "barrier": global(trace.Barrier), "reduce": global(trace.Reduce), "allreduce": global(trace.AllReduce),
	"alltoall": {prvGlobal, trace.AllToAll, prvPerMember}, "alltoallv": global(trace.AllToAll), "alltoallw": global(trace.AllToAll),
	"gather": global(trace.Gather), "gatherv": global(trace.Gather), "scatter": global(trace.Scatter), "scatterv": global(trace.Scatter),
	"allgather": global(trace.AllGather), "allgatherv": global(trace.AllGather), "scan": global(trace.Scan),
	"exscan":         {prvGlobal, trace.Scan, prvExscan},
	"reduce_scatter": {prvGlobal, trace.Reduce, prvReduceScatter}, "reduce_scatter_block": {prvGlobal, trace.Reduce, prvReduceScatter},
	"ibcast": later(trace.Bcast), "ibarrier": later(trace.Barrier), "ireduce": later(trace.Reduce), "iallreduce": later(trace.AllReduce),
	"ialltoallv": later(trace.AllToAll), "igather": later(trace.Gather), "iscatter": later(trace.Scatter),
	"iallgather": later(trace.AllGather), "iscan": later(trace.Scan),
}

func global(k trace.Kind) prvCallKind { return prvCallKind{class: prvGlobal, kind: k} }
func later(k trace.Kind) prvCallKind  { return prvCallKind{prvGlobal, k, prvNonblocking} }

// prvValues are Extrae's and Dimemas's event values of MPI calls, for traces without
// labels.
var prvValues = map[int64]string{1: "send", 2: "recv", 3: "isend", 4: "irecv", 5: "wait", 6: "waitall", 7: "bcast", 8: "barrier",
	9: "reduce", 10: "allreduce", 11: "alltoall", 12: "alltoallv", 13: "gather", 14: "gatherv", 15: "scatter", 16: "scatterv",
	17: "allgather", 18: "allgatherv", 30: "scan", 31: "init", 32: "finalize", 33: "bsend", 34: "ssend", 35: "rsend", 36: "ibsend",
	37: "issend", 38: "irsend", 39: "test", 41: "sendrecv", 42: "sendrecv_replace", 59: "waitany", 60: "waitsome", 61: "probe",
	62: "iprobe", 80: "reduce_scatter", 123: "start", 124: "startall", 125: "testall", 126: "testany", 128: "testsome",
	154: "ireduce", 155: "iallreduce", 156: "ibarrier", 157: "ibcast", 159: "ialltoallv", 160: "iallgather", 162: "igather",
	164: "iscatter", 167: "iscan", 168: "reduce_scatter_block", 170: "alltoallw"}

// prvCallID is an MPI call as the trace encodes it.
type prvCallID struct{ typ, value int64 }

// prvCalls maps the type and value of events to calls.
type prvCalls struct {
	input.Text
	labels map[prvCallID]string // of the .pcf
	kinds  map[prvCallID]prvCallKind
	latest [1 << 6]struct { // of kinds, by the last bits of the value
		id   prvCallID
		kind prvCallKind
	}
	named int // calls named by labels
}

// isCall reports whether events of a type enter and leave MPI calls.
func isCall(typ int64) bool { return typ >= prvPoint && typ <= prvIO }

// read reads the labels of MPI calls from a .pcf. Its blocks have EVENT_TYPE lines,
// whose types share the values of the following VALUES lines.
func (c *prvCalls) read(in *input.Input) error {
	c.labels = map[prvCallID]string{}
	var types []int64
	section := ""
	return c.Lines(in, func(line []byte, _ bool) error {
		words := strings.Fields(string(line))
		switch {
		case len(words) == 0:
		case words[0] == "EVENT_TYPE":
			types, section = types[:0], words[0]
		case words[0] == "VALUES" || words[0][0] > '9' || words[0][0] < '-':
			section = words[0]
		case section == "EVENT_TYPE" && len(words) > 1:
			if typ, problem := input.ParseDecimal([]byte(words[1])); problem == "" && isCall(int64(typ)) {
				types = append(types, int64(typ))
			}
		case section == "VALUES" && len(words) > 1:
			v, problem := input.ParseDecimal([]byte(words[0]))
			for _, typ := range types {
				if problem == "" && v > 0 {
					c.labels[prvCallID{typ, int64(v)}] = words[1]
				}
			}
		}
		return nil
	})
}

// name returns the name of a call, in lower case, or "".
func (c *prvCalls) name(id prvCallID) string {
	if label := c.labels[id]; label != "" {
		name := strings.ToLower(label)
		name, _, _ = strings.Cut(name, "(")
		return strings.TrimPrefix(strings.TrimPrefix(name, "p"), "mpi_")
	}
	return prvValues[id.value]
}

// kind returns what a call becomes.
func (c *prvCalls) kind(id prvCallID) prvCallKind {
	l := &c.latest[id.value&int64(len(c.latest)-1)]
	if l.id == id {
		return l.kind
	}
	k, ok := c.kinds[id]
	if !ok {
		k = prvKinds[c.name(id)]
		if c.labels[id] != "" {
			c.named++
		}
		c.kinds[id] = k
	}
	l.id, l.kind = id, k
	return k
}

// prvNumbers appends the numbers of a line to buf; problem says why one is invalid.
func prvNumbers(buf []int64, line []byte) (_ []int64, field int, problem string) {
	for i := 0; ; i++ { // after a colon
		n, end := input.LongDecimalRun(line, i)
		v := int64(n)
		if end == i || end < len(line) && line[end] != ':' {
			if end = i + bytes.IndexByte(line[i:], ':'); end < i {
				end = len(line)
			}
			if v, problem = prvNumber(line[i:end]); problem != "" {
				return buf, len(buf) + 1, problem
			}
		}
		buf = append(buf, v)
		if i = end; i == len(line) {
			return buf, 0, ""
		}
	}
}

// prvNumber reads a number that may be negative.
func prvNumber(b []byte) (v int64, problem string) {
	digits := b
	if len(b) > 0 && b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) > 0 && len(digits) < 19 {
		for _, c := range digits {
			if c -= '0'; c > 9 {
				return 0, "not a decimal number"
			}
			v = v*10 + int64(c)
		}
	} else {
		u, problem := input.ParseDecimal(digits)
		if problem == "" && u > 1<<63-1 {
			problem = "a number over 64 bits"
		}
		if problem != "" {
			return 0, problem
		}
		v = int64(u)
	}
	if len(digits) < len(b) {
		v = -v
	}
	return v, ""
}
