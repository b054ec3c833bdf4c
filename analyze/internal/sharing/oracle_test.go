package sharing

import (
	"slices"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// use is what the oracle remembers of a use, a prefetch or a flush of a line. It remembers all of them, and
// finds everything by searching them.
type use struct {
	proc    int32
	phase   uint32
	line    uint64
	first   uint64 // address
	w0, w1  uint64 // words, numbered from address 0
	isStore bool
	moves   trace.Op // prefetch, flush, or 0: a use
}

func (u use) isUse() bool       { return u.moves == 0 }
func (u use) isFlush() bool     { return u.moves == trace.Flush }
func (u use) has(w uint64) bool { return u.isUse() && u.w0 <= w && w <= u.w1 }

// oracle is the definitions in the package comment, as they are written there.
type oracle struct {
	list                 []trace.Region
	names                []array
	lineShift, wordShift uint
	uses                 []use

	counts map[[2]int32]counts // by region and processor
	flows  map[[2]int32]flow   // by sender and receiver
	runs   runs
	kinds  map[kindKey]kindCounts
	phases map[[2]int32]phaseCounts // by processor and phase
}

func newOracle(src trace.Source, line, word unit.Bytes, r *regions) (*oracle, error) {
	o := &oracle{list: src.Header().Regions, names: r.names, lineShift: line.Shift(), wordShift: min(word, line).Shift(),
		counts: map[[2]int32]counts{}, flows: map[[2]int32]flow{}, kinds: map[kindKey]kindCounts{}, phases: map[[2]int32]phaseCounts{}}
	phase := make([]uint32, src.Header().Procs)
	for p, err := range analysis.Interleave(src) {
		if err != nil {
			return nil, err
		}
		if p.Event != nil && p.Event.Kind == trace.Barrier {
			phase[p.Proc]++
		}
		for i, addr := range p.Refs.Addr {
			op := p.Refs.Op[i]
			if op == trace.Ifetch {
				continue
			}
			moves := trace.Op(0)
			if op.Moves() {
				moves = op
			}
			last := addr + uint64(p.Refs.Size[i]) - 1
			for l := addr >> line.Shift(); l <= last>>line.Shift(); l++ {
				from, to := max(addr, l<<line.Shift()), min(last, l<<line.Shift()+uint64(line)-1)
				o.uses = append(o.uses, use{int32(p.RefProcs[i]), phase[p.RefProcs[i]], l, from, from >> o.wordShift, to >> o.wordShift, op == trace.Store, moves})
				if l == 1<<(64-line.Shift())-1 {
					break
				}
			}
		}
	}
	for i, u := range o.uses {
		switch {
		case u.isUse():
			o.use(i)
		case !u.isFlush() && !o.holds(u.proc, u.line, i):
			o.fetch(i)
			o.count(u, o.region(u.first), func(c *counts, _ *phaseCounts) { c.fills++ })
		}
	}
	o.lines()
	return o, nil
}

// region is where an address lies, as newRegions says it.
func (o *oracle) region(addr uint64) int32 {
	best := -1
	for i, g := range o.list {
		if addr < g.Base || addr-g.Base >= g.Bytes {
			continue
		}
		if best < 0 || g.Base > o.list[best].Base || g.Base == o.list[best].Base && g.Bytes <= o.list[best].Bytes {
			best = i
		}
	}
	if best < 0 {
		return outside
	}
	return int32(1 + slices.Index(o.names[1:], array{o.list[best].Name, o.list[best].Owner}))
}

// holds is whether p has a copy before use i: nobody else has stored the line since p's last use or prefetch,
// and nobody has flushed it.
func (o *oracle) holds(p int32, line uint64, i int) bool {
	for i--; i >= 0; i-- {
		if u := o.uses[i]; u.line == line && (u.proc == p || u.isStore || u.isFlush()) {
			return u.proc == p && !u.isFlush()
		}
	}
	return false
}

// owns is whether p has stored the line before use i and nobody else has used or prefetched it since, and nobody
// has flushed it.
func (o *oracle) owns(p int32, line uint64, i int) bool {
	for i--; i >= 0; i-- {
		if u := o.uses[i]; u.line == line && (u.proc != p || u.isStore || u.isFlush()) {
			return u.proc == p && !u.isFlush()
		}
	}
	return false
}

// lastStore is the last use before i that stores what is asked for, or -1.
func (o *oracle) lastStore(i int, of func(use) bool) int {
	for i--; i >= 0 && !(o.uses[i].isStore && of(o.uses[i])); i-- {
	}
	return i
}

func (o *oracle) procOf(i int) int32 {
	if i < 0 {
		return -1
	}
	return o.uses[i].proc
}

func (o *oracle) count(u use, region int32, change func(*counts, *phaseCounts)) {
	c, at := o.counts[[2]int32{region, u.proc}], [2]int32{u.proc, int32(u.phase)}
	phase := o.phases[at]
	change(&c, &phase)
	o.counts[[2]int32{region, u.proc}], o.phases[at] = c, phase
}

func (o *oracle) use(i int) {
	u := o.uses[i]
	sameLine := func(v use) bool { return v.line == u.line }
	isShared := slices.ContainsFunc(o.uses, func(v use) bool { return v.isUse() && sameLine(v) && v.proc != u.proc })
	o.count(u, o.region(u.first), func(c *counts, phase *phaseCounts) {
		c.usage.add(u.isStore)
		phase.uses++
		if isShared {
			c.sharedUses++
		}
	})
	for w := u.w0; ; w++ {
		o.word(i, w)
		if w == u.w1 {
			break
		}
	}
	hit := o.holds(u.proc, u.line, i)
	if !hit {
		o.fetch(i)
		class := o.class(i)
		o.count(u, o.region(u.first), func(c *counts, phase *phaseCounts) {
			*map[string]*uint64{"pure": &c.pure, "cold true": &c.coldTrue, "cold false": &c.coldFalse, "true": &c.trues, "false": &c.falses, "flushed": &c.flushed}[class]++
			*map[string]*uint64{"pure": &phase.cold, "cold true": &phase.cold, "cold false": &phase.cold, "true": &phase.trues, "false": &phase.falses, "flushed": &phase.flushed}[class]++
		})
	}
	if u.isStore && hit && !o.owns(u.proc, u.line, i) {
		removed := o.removed(i)
		o.count(u, o.region(u.first), func(c *counts, phase *phaseCounts) {
			if len(removed) > 0 {
				c.upgrades++
				phase.upgrades++
			} else {
				c.silent++
			}
		})
	}
}

// fetch is what moves the line of use i: the cache of the processor that stored it last, or memory.
func (o *oracle) fetch(i int) {
	u, from := o.uses[i], int32(-1)
	for k := i - 1; k >= 0; k-- {
		if v := o.uses[k]; v.line == u.line && (v.isStore || v.isFlush()) {
			if v.isStore {
				from = v.proc
			}
			break
		}
	}
	f := o.flows[[2]int32{from, u.proc}]
	f.lines++
	o.flows[[2]int32{from, u.proc}] = f
}

// removed is whose copies a store removes.
func (o *oracle) removed(i int) (procs []int32) {
	for _, v := range o.uses[:i] {
		if p := v.proc; p != o.uses[i].proc && !slices.Contains(procs, p) && o.holds(p, o.uses[i].line, i) {
			procs = append(procs, p)
		}
	}
	return procs
}

// word is the access of one word.
func (o *oracle) word(i int, w uint64) {
	u := o.uses[i]
	isShared := slices.ContainsFunc(o.uses, func(v use) bool { return v.has(w) && v.proc != u.proc })
	o.count(u, o.region(w<<o.wordShift), func(c *counts, _ *phaseCounts) {
		c.words++
		if isShared {
			c.sharedWords++
		}
	})
	stored := o.lastStore(i, func(v use) bool { return v.has(w) })
	from := o.procOf(stored)
	known := slices.ContainsFunc(o.uses[stored+1:i], func(v use) bool { return v.has(w) && v.proc == u.proc })
	if !u.isStore && from != u.proc && !known {
		f := o.flows[[2]int32{from, u.proc}]
		f.words++
		o.flows[[2]int32{from, u.proc}] = f
	}
}

// life is the end of the copy that comes at i.
func (o *oracle) life(i int) int {
	for e := i + 1; e < len(o.uses); e++ {
		if v := o.uses[e]; v.line == o.uses[i].line && (v.isStore && v.proc != o.uses[i].proc || v.isFlush()) {
			return e
		}
	}
	return len(o.uses)
}

// communicates is whether, while the copy that comes at i lives, its processor accesses a word that another
// one has stored after use since.
func (o *oracle) communicates(i, since int) bool {
	for k := i; k < o.life(i); k++ {
		u := o.uses[k]
		if !u.isUse() || u.line != o.uses[i].line || u.proc != o.uses[i].proc {
			continue
		}
		for _, v := range o.uses[since+1 : k] {
			if v.isStore && v.proc != u.proc && v.line == u.line && v.w0 <= u.w1 && u.w0 <= v.w1 {
				return true
			}
		}
	}
	return false
}

// flushed is whether a flush ended the last copy of the processor that misses at i.
func (o *oracle) flushed(i int) bool {
	u := o.uses[i]
	for k := i - 1; k >= 0; k-- {
		if v := o.uses[k]; v.line == u.line && v.proc == u.proc && !v.isFlush() {
			e := o.life(k)
			return e < len(o.uses) && o.uses[e].isFlush()
		}
	}
	return false
}

// class is that of the miss at i: [dubois1993].
func (o *oracle) class(i int) string {
	u := o.uses[i]
	essential := -1 // the last one
	for k := range i {
		if v := o.uses[k]; v.line != u.line || v.proc != u.proc || v.isFlush() || o.holds(u.proc, u.line, k) {
			continue
		}
		if essential < 0 || o.flushed(k) || o.communicates(k, essential) {
			essential = k
		}
	}
	switch {
	case o.flushed(i):
		return "flushed"
	case essential >= 0 && o.communicates(i, essential):
		return "true"
	case essential >= 0:
		return "false"
	case o.lastStore(i, func(v use) bool { return v.line == u.line }) < 0:
		return "pure"
	case o.communicates(i, -1):
		return "cold true"
	}
	return "cold false"
}

// lines looks at each line as a whole.
func (o *oracle) lines() {
	byLine := map[uint64][]int{}
	for i, u := range o.uses {
		if u.isUse() {
			byLine[u.line] = append(byLine[u.line], i)
		}
	}
	for _, at := range byLine {
		users, writers := map[int32]bool{}, map[int32]bool{}
		sum := kindCounts{lines: 1, uses: uint64(len(at))}
		var pattern sharedLine
		for _, i := range at {
			u := o.uses[i]
			users[u.proc] = true
			if u.isStore {
				writers[u.proc] = true
				o.pattern(i, &pattern)
			}
			if !o.holds(u.proc, u.line, i) {
				switch o.class(i) {
				case "true":
					sum.trues++
				case "false":
					sum.falses++
				}
			}
		}
		if len(users) > 1 {
			o.lineRuns(at, users)
		}
		key := kindKey{o.lineRegion(at[0]), naiveKind(len(users), len(writers), &pattern), int32(len(users)), int32(len(writers))}
		k := o.kinds[key]
		o.kinds[key] = kindCounts{k.lines + 1, k.uses + sum.uses, k.trues + sum.trues, k.falses + sum.falses}
	}
}

// naiveKind is the kind of a line, by what the stores that remove copies are.
func naiveKind(users, writers int, l *sharedLine) pattern {
	removing := l.sameWriter + l.fromOther + l.otherStores
	switch {
	case users < 2:
		return private
	case writers < 1:
		return readOnly
	case removing < 1:
		return initialised
	case 2*l.sameWriter > removing:
		return producerConsumer
	case 2*l.fromOther > removing:
		return migratory
	}
	return readWrite
}

// lineRegion is the first named array of the line of use i.
func (o *oracle) lineRegion(i int) int32 {
	base := o.uses[i].line << o.lineShift
	for offset := range uint64(1) << o.lineShift {
		if r := o.region(base + offset); r != outside {
			return r
		}
	}
	return outside
}

func (o *oracle) pattern(i int, l *sharedLine) {
	u := o.uses[i]
	removed := o.removed(i)
	if len(removed) == 0 {
		return
	}
	o.runs[invalidatedRun].add(uint64(len(removed)))
	switch last := o.procOf(o.lastStore(i, func(v use) bool { return v.line == u.line })); {
	case last == u.proc:
		l.sameWriter++
	case slices.Equal(removed, []int32{last}):
		l.fromOther++
	default:
		l.otherStores++
	}
}

// lineRuns finds the runs of a line with several users.
func (o *oracle) lineRuns(at []int, users map[int32]bool) {
	var run uint64
	by := int32(-1)
	loads := map[int32]uint64{}
	for _, i := range at {
		u := o.uses[i]
		if u.proc != by {
			o.runs[writeRun].add(run)
			run, by = 0, u.proc
		}
		if !u.isStore {
			loads[u.proc]++
			continue
		}
		run++
		for p := range users {
			if p != u.proc {
				o.runs[readRun].add(loads[p])
				loads[p] = 0
			}
		}
	}
	o.runs[writeRun].add(run)
	for _, n := range loads {
		o.runs[readRun].add(n)
	}
}
