package weigh

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Binary charges the instructions of the functions of packages in the linked binary
// at path, which was built from exploded sources, to their lines.
func Binary(path string, packages ...Source) (Lines, error) {
	o, err := openObject(path)
	if err != nil {
		return nil, err
	}
	defer o.elf.Close()
	lib := newLibrary(packages)
	functions, err := o.functions(lib.wanted)
	if err != nil {
		return nil, err
	}
	l := &ledger{copies: map[*region][]*account{}, starts: map[uint64]*region{}, calls: newCallGraph()}
	for _, f := range functions {
		code := o.decode(f)
		g, s := o.graph(f, code), newScopes(lib, code, f.root)
		if len(g.blocks) > 0 && len(s.list) > 0 {
			m := match(g, s)
			l.enter(f, m, m.solve())
		}
	}
	l.correct()
	return l.lines(), nil
}

// A ledger collects what the copies of each function cost.
type ledger struct {
	functions []*region // as met
	copies    map[*region][]*account
	starts    map[uint64]*region // functions by the address of their machine code
	calls     *callGraph
	visits    []visit
}

// An account is what one copy of a function costs: charges by region and line.
type account struct {
	scope   *scope
	low     uint64  // address of the machine code that it is or is part of
	often   float64 // how often it is entered for each call of that code, as a guess
	charges map[*region]map[int]float64
	present map[*region]bool // regions that have instructions in it
}

// A visit is where a copy is inlined, or where machine code is called: how often, in
// counts of the caller's regions.
type visit struct {
	fn     *region
	callee uint64 // address, if it is not inlined
	count  []share
}

type share struct {
	to     *account
	region *region
	factor float64
}

func (a *account) charge(r *region, line int, n float64) {
	if line == 0 {
		return
	}
	c := a.charges[r]
	if c == nil {
		c = map[int]float64{}
		a.charges[r] = c
	}
	c[line] += n
}

// enter charges the code of f to accounts, one of each copy.
func (l *ledger) enter(f *function, m *matcher, flow *flow) {
	accounts := map[*scope]*account{}
	for _, s := range m.scopes.list {
		a := &account{scope: s, low: f.low, often: 1, charges: map[*region]map[int]float64{}, present: map[*region]bool{}}
		if s.parent == nil {
			l.starts[f.low] = s.fn
		}
		accounts[s] = a
		if l.copies[s.fn] == nil {
			l.functions = append(l.functions, s.fn)
		}
		l.copies[s.fn] = append(l.copies[s.fn], a)
	}
	for _, b := range m.g.blocks {
		l.block(f, b, m, flow, accounts)
	}
	for _, s := range m.scopes.list {
		l.inline(s, m, flow, accounts)
	}
}

// block charges each instruction of b as often as b is executed.
func (l *ledger) block(f *function, b *block, m *matcher, flow *flow, accounts map[*scope]*account) {
	for i, x := range b.code {
		n := 1.0
		switch x.op {
		case call:
			l.calls.add(f.low, x.target, b.guess())
			l.visits = append(l.visits, visit{callee: x.target, count: shares(b.count, flow, accounts)})
		case repeat:
			n += float64(b.loaded(i, x.register))
		}
		c, at := m.scopes.at(x)
		if c != nil {
			accounts[c].present[c.file.regions.within(at, nil)] = true
		}
		for _, t := range b.count {
			to := flow.counters[t.counter]
			line := to.region.line
			if c == to.scope && t.factor == 1 && c.file.regions.owns(at, to.region) {
				line = at
			}
			accounts[to.scope].charge(to.region, line, t.factor*n)
		}
	}
}

// inline notes where s was inlined.
func (l *ledger) inline(s *scope, m *matcher, flow *flow, accounts map[*scope]*account) {
	if !s.called() {
		return
	}
	count, b := m.entered(s, flow)
	if b != nil {
		accounts[s].often = b.guess()
	}
	l.visits = append(l.visits, visit{fn: s.fn, count: shares(count, flow, accounts)})
}

func shares(count form, flow *flow, accounts map[*scope]*account) (all []share) {
	for _, t := range count {
		to := flow.counters[t.counter]
		all = append(all, share{accounts[to.scope], to.region, t.factor})
	}
	return all
}

// entered returns how often the copy s is entered: as often as the first block with
// instructions of it that are executed once a call, or else as its call's line.
func (m *matcher) entered(s *scope, flow *flow) (form, *block) {
	for _, b := range m.g.blocks {
		for _, x := range b.code {
			if c, line := m.scopes.at(x); c == s && c.file.regions.within(line, nil) == s.fn {
				return b.count, b
			}
		}
	}
	if i := slices.Index(flow.counters, s.parent.find(s.site, spot{})); i >= 0 {
		return form{{i, 1}}, nil
	}
	return nil, nil
}

// correct makes the callers of functions pay for what their copies cost more, or
// less, at their entry than the function's own lines say: callers of inlined copies
// have paid for these, and are given back what the function's counter adds; callers of
// functions that count nothing pay for the call of their machine code.
func (l *ledger) correct() {
	for i := range l.visits {
		if v := &l.visits[i]; v.fn == nil {
			v.fn = l.starts[v.callee]
		}
	}
	done := map[*region]bool{}
	for _, fn := range l.functions {
		l.correctCallers(fn, done)
	}
}

// correctCallers corrects the callers of fn, after fn itself as a caller.
func (l *ledger) correctCallers(fn *region, done map[*region]bool) {
	if done[fn] {
		return
	}
	done[fn] = true
	for _, v := range l.visits {
		if v.fn != nil && slices.ContainsFunc(v.count, func(s share) bool { return s.region == fn }) {
			l.correctCallers(v.fn, done)
		}
	}
	own, charges := 0.0, l.average(fn, fn)
	for _, line := range slices.Sorted(maps.Keys(charges)) {
		own += charges[line]
	}
	if !fn.inlined {
		own = -own
	}
	for _, v := range l.visits {
		if v.fn != fn || fn.inlined != (v.callee != 0) {
			continue
		}
		for _, s := range v.count {
			s.to.charge(s.region, s.region.line, own*s.factor)
		}
	}
}

// average returns the charges of region r of function fn, averaged over the copies
// that have it, by how often each is called.
func (l *ledger) average(fn, r *region) map[int]float64 {
	sum, calls := map[int]float64{}, 0.0
	for _, pass := range []func(*account) float64{l.called, func(*account) float64 { return 1 }} {
		for _, a := range l.copies[fn] {
			often := pass(a)
			if often == 0 || !a.present[r] && len(a.charges[r]) == 0 || r == fn && a.scope.called() {
				continue
			}
			calls += often
			for line, n := range a.charges[r] {
				sum[line] += n * often
			}
		}
		if calls > 0 {
			break
		}
	}
	for line := range sum {
		sum[line] /= calls
	}
	return sum
}

// called is a guess of how often a copy is called. Machine code that nobody calls
// directly, and that is not a method which the compiler made for interfaces, is not,
// as far as can be seen.
func (l *ledger) called(a *account) float64 {
	if !a.scope.called() && a.scope.in.parent == nil && len(l.calls.callers[a.low]) == 0 {
		return 0
	}
	return l.calls.guess(a.low) * a.often
}

// lines averages the copies and rounds. What rounding leaves of a region goes to the
// next one of the same loop, which is executed about as often.
func (l *ledger) lines() Lines {
	out := Lines{}
	for _, fn := range l.functions {
		if fn.inlined {
			continue
		}
		file := l.copies[fn][0].scope.file.name
		if out[file] == nil {
			out[file] = map[int]int{}
		}
		left := map[*region]float64{} // by loop
		for _, r := range l.regions(fn) {
			left[r.loop] = round(out[file], r.line, l.average(fn, r), left[r.loop])
		}
	}
	return out
}

// regions returns the regions of fn that are charged something, by line.
func (l *ledger) regions(fn *region) (all []*region) {
	for _, a := range l.copies[fn] {
		for r := range a.charges {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	slices.SortFunc(all, func(a, b *region) int { return cmp.Compare(a.line, b.line) })
	return all
}

// round adds the charges of a region to lines, so that their sum is right but for
// less than one instruction: that and what was left before is left after.
func round(to map[int]int, line int, charges map[int]float64, left float64) float64 {
	total, given := left, 0
	for _, at := range slices.Sorted(maps.Keys(charges)) {
		n := int(math.Round(charges[at]))
		total += charges[at]
		given += n
		to[at] += n
	}
	whole := math.Round(total)
	to[line] += int(whole) - given
	return total - whole
}
