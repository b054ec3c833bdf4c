package simgridti

import "spoor/traces/trace"

// nonblocking records the request of a collective, which is written as a blocking one.
func (x *tiExporter) nonblocking(e *trace.Event) {
	if e.Request != trace.None {
		x.whole[e.Request] = true
		x.lost.nonblocking++
	}
}

// collective writes a collective of all ranks.
func (x *tiExporter) collective(e *trace.Event) {
	x.nonblocking(e)
	switch e.Kind {
	case trace.Bcast:
		line := tiAppend(x.start("bcast"), e.Bytes)
		x.put(tiAppend(tiAppend(line, tiRootOf(e)), tiByteType))
	case trace.Reduce:
		line := x.flop(tiAppend(x.start("reduce"), e.Bytes), e.Work)
		x.put(tiAppend(tiAppend(line, tiRootOf(e)), tiByteType))
	case trace.AllReduce, trace.Scan:
		x.put(tiAppend(x.flop(tiAppend(x.start(e.Kind.String()), e.Bytes), e.Work), tiByteType))
	default:
		if all := x.uneven[x.blocks]; all != nil {
			x.lost.uneven++
			x.vector(e, all)
		} else {
			x.even(e)
		}
		x.blocks++
	}
}

func tiRootOf(e *trace.Event) int32 { return max(e.Peer, tiRoot) }

// even writes a collective with blocks of equal size.
func (x *tiExporter) even(e *trace.Event) {
	size := e.Bytes
	if e.Kind == trace.AllToAll {
		size /= int64(x.procs)
	}
	line := tiAppend(tiAppend(x.start(e.Kind.String()), size), size)
	if e.Kind == trace.Gather || e.Kind == trace.Scatter {
		line = tiAppend(line, tiRootOf(e))
	}
	x.put(tiAppend(tiAppend(line, tiByteType), tiByteType))
}

// vector writes a collective in which rank i has a block of all[i] bytes.
func (x *tiExporter) vector(e *trace.Event, all []int64) {
	line := append(x.start(e.Kind.String()), 'v')
	switch e.Kind {
	case trace.Gather, trace.AllGather:
		line = tiAppendAll(tiAppend(line, e.Bytes), all)
	case trace.Scatter:
		line = tiAppend(tiAppendAll(line, all), e.Bytes)
	case trace.AllToAll:
		line = x.exchange(line, e.Bytes, all)
	}
	if e.Kind == trace.Gather || e.Kind == trace.Scatter {
		line = tiAppend(line, tiRootOf(e))
	}
	x.put(tiAppend(tiAppend(line, tiByteType), tiByteType))
}

// exchange appends the sizes that this rank sends to and receives from each rank. Rank
// i sends all[i] bytes, in parts that are as equal as possible.
func (x *tiExporter) exchange(line []byte, own int64, all []int64) []byte {
	procs := int64(x.procs)
	line = tiAppend(line, own)
	for to := range procs {
		line = tiAppend(line, tiShare(own, to, procs))
	}
	received := int64(0)
	for _, bytes := range all {
		received += tiShare(bytes, int64(x.rank), procs)
	}
	line = tiAppend(line, received)
	for _, bytes := range all {
		line = tiAppend(line, tiShare(bytes, int64(x.rank), procs))
	}
	return line
}

// tiShare returns part i of n of a total.
func tiShare(total, i, n int64) int64 {
	part := total / n
	if i < total%n {
		part++
	}
	return part
}

func tiAppendAll(line []byte, all []int64) []byte {
	for _, n := range all {
		line = tiAppend(line, n)
	}
	return line
}
