package cache

import "spoor/traces/trace"

// feed converts references into uses of lines at the levels that processors access directly. It
// serves either the caches or the TLBs of one description.
type feed struct {
	ports   []port
	of      [][ops]int32 // by processor, or for all: the port of each operation; none if it is omitted
	coupled bool         // levels take lines from each other, so hits cannot be predicted across ports
	stages  []*batch     // for the first levels and, if levels are simulated one after the other, for those below
	latest  int32        // port of the latest use
	shared  bool         // line numbers are shared with other analyses of the order
}

const none = -1

// port is a first level.
type port struct {
	level  *level
	shift  uint
	last   key // the latest use, if its line is certainly present afterwards and no other level needs the next use; else empty
	forget key // resets last after a store: all bits set, or 0
}

// keyOf returns the key of a use.
func keyOf(line uint64, o op) key { return line<<1 | key(o&stores) }

// after returns the value of last after a use.
func (p *port) after(k key) key { return k | p.forget&-(k&1) }

// add simulates references. In the interleaved order, of holds the processor of each reference;
// else it is nil.
func (f *feed) add(refs *trace.Refs, of []trace.Proc) {
	if len(f.of) == 1 {
		of = nil
	}
	for at := 0; at < len(refs.Addr); at++ {
		if len(f.stages[0].keys) >= batchUses {
			f.flush()
		}
		if len(f.ports) == 1 && of == nil {
			at = f.gatherOne(refs, at)
		} else {
			at = f.gather(refs, of, at)
		}
		if at == len(refs.Addr) {
			return
		}
		o := opOf(refs.Op[at])
		number := f.portOf(of, at)[o]
		p := &f.ports[number]
		addr := refs.Addr[at]
		first, last := addr>>(p.shift&63), (addr+uint64(refs.Size[at])-1)>>(p.shift&63)
		p.level.Uses[o] += last - first + 1
		f.cross(number, keyOf(first, o), last, o)
		if o == stores && p.forget != 0 {
			f.stages[0].addStore(addr, uint64(refs.Size[at]), p.shift)
		}
	}
}

// portOf returns the ports of the processor of a reference.
func (f *feed) portOf(of []trace.Proc, at int) *[ops]int32 {
	if of == nil {
		return &f.of[0]
	}
	return &f.of[of[at]]
}

// gatherOne is gather for a single port, whose state stays in registers.
func (f *feed) gatherOne(refs *trace.Refs, at int) int {
	b := f.stages[0]
	n := len(b.keys)
	if n == 0 {
		return f.gather(refs, nil, at)
	}
	keys, info := b.keys[:batchUses], b.info[:batchUses]
	addrs := refs.Addr
	sizes, kinds := refs.Size[:len(addrs)], refs.Op[:len(addrs)]
	p, mine := &f.ports[0], f.of[0]
	shift, recent, forget := p.shift&63, p.last, p.forget // in registers
	var used [ops]uint64
	for ; at < len(addrs); at++ {
		o := opOf(kinds[at])
		if o >= ops || mine[o] == none {
			continue
		}
		addr := addrs[at]
		first, last := addr>>shift, (addr+uint64(sizes[at])-1)>>shift
		k := keyOf(first, o)
		if first != last {
			break
		}
		if k != recent && k|1 != recent {
			if n >= len(keys) || k&forget&1 != 0 {
				break
			}
			recent = k | forget&-(k&1)
			keys[n], info[n] = k, uint32(n)<<infoShift|uint32(o)
			n++
		}
		used[o]++
	}
	for o := range ops {
		p.level.Uses[o] += used[o]
	}
	p.last = recent
	b.keys, b.info = keys[:n], info[:n]
	return at
}

// gather adds the uses of references from index at on. It stops at a reference that crosses lines,
// has another port than the latest use, is a store that may be passed on, or does not fit. It
// returns the index of that reference.
func (f *feed) gather(refs *trace.Refs, of []trace.Proc, at int) int {
	b := f.stages[0]
	n := len(b.keys)
	keys, info := b.keys[:batchUses], b.info[:batchUses]
	addrs := refs.Addr
	sizes, kinds := refs.Size[:len(addrs)], refs.Op[:len(addrs)]
	ports, latest := f.ports, f.latest
	if n == 0 {
		latest = none // there is no run yet
	}
	mine := &f.of[0]
	for ; at < len(addrs); at++ {
		o := opOf(kinds[at])
		if o >= ops {
			continue
		}
		if of != nil {
			mine = &f.of[of[at]]
		}
		number := mine[o]
		if number == none {
			continue
		}
		p := &ports[number]
		addr := addrs[at]
		first, last := addr>>(p.shift&63), (addr+uint64(sizes[at])-1)>>(p.shift&63)
		k := keyOf(first, o)
		if first != last {
			break
		}
		if k == p.last || k|1 == p.last { // a hit that changes nothing
			p.level.Uses[o]++
			continue
		}
		if number != latest || n >= batchUses || k&p.forget&1 != 0 {
			break
		}
		p.level.Uses[o]++
		p.last = p.after(k)
		keys[n], info[n] = k, uint32(n)<<infoShift|uint32(o)
		n++
	}
	b.keys, b.info = keys[:n], info[:n]
	return at
}

// cross adds the uses of a reference to one or several lines.
func (f *feed) cross(number int32, k key, last uint64, o op) {
	if len(f.stages[0].keys) >= batchUses {
		f.flush()
	}
	b, p := f.stages[0], &f.ports[number]
	if number != f.latest || len(b.keys) == 0 {
		f.turn(number)
	}
	first := uint32(len(b.keys))
	b.crossed = b.crossed || k>>1 != last
	for {
		p.last = p.after(k)
		b.keys, b.info = append(b.keys, k), append(b.info, first<<infoShift|uint32(o))
		if k>>1 == last {
			return
		}
		k += 2
	}
}

// turn begins a run of uses of a port.
func (f *feed) turn(number int32) {
	if f.coupled && number != f.latest {
		f.ports[f.latest].last = empty
	}
	f.latest = number
	f.stages[0].turn(f.ports[number].level)
}

// flush simulates the batch.
func (f *feed) flush() {
	first := f.stages[0]
	n := uint64(len(first.keys))
	for i, b := range f.stages {
		var below *batch
		if i+1 < len(f.stages) {
			below = f.stages[i+1]
		}
		b.simulate(below)
		b.base += n
	}
}
