package main

import "spoor/traces/trace"

// drawEnd draws what processors do at the end of a round.
func (g *program) drawEnd() func(g *program, p, round int) {
	if g.messages {
		bytes := int64(g.between(8, 128<<10))
		all := []func(bytes int64) func(*program, int, int){shift, exchange, collective(trace.AllReduce), collective(trace.AllToAll), collective(trace.Bcast), master}
		return all[g.IntN(len(all))](bytes)
	}
	switch g.IntN(4) {
	case 0:
		return locks(1+g.IntN(32), 1+g.IntN(12), g.base())
	case 1:
		return chain
	case 2:
		return func(g *program, p, _ int) { g.processors[p].add(trace.Barrier, func(*trace.Event) {}) }
	}
	return func(*program, int, int) {}
}

// base is where words of locks are: behind all shared arrays.
func (g *program) base() uint64 {
	last := g.shared[len(g.shared)-1]
	return last.base + last.words*8 + 8192
}

// locks lets a processor take some locks, one after the other. Each protects a line of data.
func locks(number, touches int, base uint64) func(g *program, p, round int) {
	return func(g *program, p, _ int) {
		q := g.processors[p]
		for range 1 + g.IntN(4) {
			lock := g.IntN(number)
			word := base + 128*uint64(lock)
			q.add(trace.Lock, func(e *trace.Event) { e.Peer, e.Addr = int32(lock), int64(word) })
			for k := range touches {
				op := trace.Load
				if k%2 == 1 {
					op = trace.Store
				}
				q.touch(uint32(1+g.IntN(8)), word+64+8*uint64(k%8), op)
			}
			q.add(trace.Unlock, func(e *trace.Event) { e.Peer = int32(lock) })
			q.touch(uint32(1+g.IntN(200)), g.own[p].base, trace.Load)
		}
	}
}

// chain lets a processor wait for the one before it, and go on to tell the one behind it.
func chain(g *program, p, _ int) {
	q := g.processors[p]
	if p > 0 {
		q.add(trace.WaitFlag, func(e *trace.Event) { e.Peer, e.Tag = int32(p-1), g.processors[p-1].told })
	}
	if p+1 < len(g.processors) {
		q.told++
		q.add(trace.Signal, func(e *trace.Event) { e.Peer = int32(p) })
	}
}

// swap receives a message from one rank while it sends one to another.
func (g *program) swap(p, from, to int, bytes int64) {
	q := g.processors[p]
	message := func(kind trace.Kind, peer int, addr uint64) {
		q.add(kind, func(e *trace.Event) {
			e.Peer, e.Tag, e.Bytes = int32(peer), 0, bytes
			e.Addr, e.Count, e.Block, e.Stride = int64(addr), 1, bytes, bytes
			if kind == trace.Irecv {
				e.Request = 0
			}
		})
	}
	message(trace.Irecv, from, g.own[p].base+1<<30)
	message(trace.Send, to, g.own[p].base)
	q.add(trace.Wait, func(e *trace.Event) { e.Request = 0 })
}

// shift passes messages round a ring.
func shift(bytes int64) func(g *program, p, round int) {
	return func(g *program, p, _ int) {
		n := len(g.processors)
		g.swap(p, (p+n-1)%n, (p+1)%n, bytes)
	}
}

// exchange lets pairs of ranks swap messages. The distance between partners depends on the round.
func exchange(bytes int64) func(g *program, p, round int) {
	return func(g *program, p, round int) {
		if partner := p ^ 1<<(round%4); partner < len(g.processors) {
			g.swap(p, partner, partner, bytes)
		}
	}
}

// collective is an operation of all ranks, from or to rank 0 if it has a root.
func collective(kind trace.Kind) func(bytes int64) func(g *program, p, round int) {
	return func(bytes int64) func(g *program, p, round int) {
		return func(g *program, p, _ int) {
			g.processors[p].add(kind, func(e *trace.Event) {
				e.Bytes = bytes
				if kind == trace.Bcast {
					e.Peer = 0
				}
			})
		}
	}
}

// master lets rank 0 take a message from each other rank, in any order, and answer with a short one.
func master(bytes int64) func(g *program, p, round int) {
	return func(g *program, p, _ int) {
		q := g.processors[p]
		send := func(to int, n int64) {
			q.add(trace.Send, func(e *trace.Event) { e.Peer, e.Tag, e.Bytes = int32(to), 1, n })
		}
		receive := func(from int, n int64) {
			q.add(trace.Recv, func(e *trace.Event) { e.Peer, e.Tag, e.Bytes = int32(from), 1, n })
		}
		if p > 0 {
			send(0, bytes)
			receive(0, 8)
			return
		}
		for w := 1; w < len(g.processors); w++ {
			receive(w, bytes)
		}
		for w := 1; w < len(g.processors); w++ {
			send(w, 8)
		}
	}
}
