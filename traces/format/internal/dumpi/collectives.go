package dumpi

import (
	"slices"

	"spoor/traces/trace"
)

// collective begins the event of a collective. alone reports whether the rank has no
// partner in it.
func (r *dumpiRank) collective(k trace.Kind, c *dumpiCall) (e trace.Event, comm *dumpiComm, alone bool) {
	e, comm = r.event(k, c), r.comm(c, "comm")
	e.Group = comm.group
	if comm.self {
		r.d.notes.alone++
	}
	return e, comm, comm.self
}

// rooted is collective for one with a root.
func (r *dumpiRank) rooted(k trace.Kind, c *dumpiCall) (e trace.Event, comm *dumpiComm, alone bool) {
	e, comm, alone = r.collective(k, c)
	e.Peer = r.peer(c, "root", c.int("root"), comm)
	return e, comm, alone
}

func (r *dumpiRank) barrier(c *dumpiCall) error {
	e, _, alone := r.collective(trace.Barrier, c)
	if alone {
		return c.err
	}
	return r.emitCall(e, c)
}

// dumpiVector returns the handler of a collective over a vector of count elements.
func dumpiVector(k trace.Kind, withRoot bool) dumpiHandler {
	return func(r *dumpiRank, c *dumpiCall) error {
		begin := r.collective
		if withRoot {
			begin = r.rooted
		}
		e, _, alone := begin(k, c)
		e.Bytes = r.mustBytes(c, "count", "datatype")
		if alone {
			return c.err
		}
		return r.emitCall(e, c)
	}
}

func (r *dumpiRank) exscan(c *dumpiCall) error {
	r.d.notes.exscans++
	return dumpiVector(trace.Scan, false)(r, c)
}

// gather counts the rank's own block. In place, the root counts a block that it
// receives from another rank.
func (r *dumpiRank) gather(c *dumpiCall) error {
	e, _, alone := r.rooted(trace.Gather, c)
	if c.int("sendtype") <= 1 && c.arg("recvcount") != nil {
		e.Bytes = r.mustBytes(c, "recvcount", "recvtype")
	} else {
		e.Bytes = r.mustBytes(c, "sendcount", "sendtype")
	}
	if alone {
		return c.err
	}
	return r.emitCall(e, c)
}

// scatter counts the block that the rank receives.
func (r *dumpiRank) scatter(c *dumpiCall) error {
	e, _, alone := r.rooted(trace.Scatter, c)
	if c.int("recvtype") <= 1 && c.arg("sendcount") != nil {
		e.Bytes = r.mustBytes(c, "sendcount", "sendtype")
	} else {
		e.Bytes = r.mustBytes(c, "recvcount", "recvtype")
	}
	if alone {
		return c.err
	}
	return r.emitCall(e, c)
}

// allgather counts the rank's own block.
func (r *dumpiRank) allgather(c *dumpiCall) error {
	e, _, alone := r.collective(trace.AllGather, c)
	e.Bytes = r.mustBytes(c, "sendcount", "sendtype")
	if alone {
		return c.err
	}
	return r.emitCall(e, c)
}

func (r *dumpiRank) alltoall(c *dumpiCall) error {
	e, comm, alone := r.collective(trace.AllToAll, c)
	e.Bytes = r.product(c, c.must("sendcount"), r.mustBytes(c, "sendcount", "sendtype"), int64(comm.size(r)))
	if alone {
		return c.err
	}
	return r.emitCall(e, c)
}

func (r *dumpiRank) alltoallv(c *dumpiCall) error {
	e, _, alone := r.collective(trace.AllToAll, c)
	if n := r.sum(c, "sendcounts"); n > 0 {
		size, ok := r.types.size(c.int("sendtype"))
		if !ok {
			r.unknownType(c, "sendtype")
		}
		e.Bytes = r.product(c, c.arg("sendcounts"), n, size)
	}
	if alone {
		return c.err
	}
	return r.emitCall(e, c)
}

// alltoallw has a datatype for each partner.
func (r *dumpiRank) alltoallw(c *dumpiCall) error {
	e, _, alone := r.collective(trace.AllToAll, c)
	r.sum(c, "sendcounts") // checks them
	r.ints[1] = c.ints("sendtypes", r.ints[1])
	for i, n := range r.ints[0] {
		if n == 0 || i >= len(r.ints[1]) {
			continue
		}
		size, ok := r.types.size(r.ints[1][i])
		if !ok {
			c.bad(c.arg("sendtypes"), "a user-defined datatype: its size is not in the trace", "make the text with dumpi2ascii -a")
		}
		if e.Bytes += r.product(c, c.arg("sendcounts"), n, size); e.Bytes < 0 {
			c.bad(c.arg("sendcounts"), "over 2^63 bytes", "")
		}
	}
	if alone {
		return c.err
	}
	return r.emitCall(e, c)
}

// reduceScatter emits a reduction of the whole vector to rank 0, and a scatter of the
// blocks.
func (r *dumpiRank) reduceScatter(c *dumpiCall) error {
	e, comm, alone := r.collective(trace.Reduce, c)
	total := r.sum(c, "recvcounts")
	size, ok := r.types.size(c.int("datatype"))
	if !ok && total > 0 {
		r.unknownType(c, "datatype")
	}
	e.Peer = r.peer(c, "recvcounts", 0, comm)
	e.Bytes = r.product(c, c.arg("recvcounts"), total, size)
	mine := slices.Index(comm.ranks, r.rank)
	if comm.ranks == nil {
		mine = int(r.rank)
	}
	if alone || c.err != nil {
		return c.err
	}
	if mine < 0 || mine >= len(r.ints[0]) {
		c.bad(c.arg("recvcounts"), "no block for this rank", "")
		return c.err
	}
	if err := r.emitCall(e, c); err != nil {
		return err
	}
	r.d.notes.reduceScatters++
	e.Kind, e.Bytes = trace.Scatter, r.ints[0][mine]*size
	return r.emitCall(e, c)
}
