package weigh

import (
	"slices"
)

// Weights are the instructions of the lines of a program.
type Weights struct {
	Lines      Lines               // instructions of each line, averaged over the instances of generic functions
	Instances  map[string]Lines    // lines of generic functions in one instance, by the key of its type arguments; see shapes.go
	Outside    Lines               // estimate of the instructions of called functions that are not instrumented
	Unmeasured map[string][]string // called functions that add nothing to Outside, by the package that calls them
}

// Binary returns the lines of the weights of Program.
func Binary(path string, packages ...Source) (Lines, error) {
	w, err := Program(path, packages...)
	if err != nil {
		return nil, err
	}
	return w.Lines, nil
}

// Program charges the instructions of the functions of packages to their lines. The linked binary at path was built
// from split sources.
func Program(path string, packages ...Source) (*Weights, error) {
	o, err := openObject(path)
	if err != nil {
		return nil, err
	}
	defer o.elf.Close()
	lib := newSourceIndex(packages)
	functions, err := o.functions(lib.contains)
	if err != nil {
		return nil, err
	}
	l, outside := newCostTable(o, lib), newCostTable(o, lib)
	outside.outside = true
	for _, f := range functions {
		code := o.decode(f)
		g, s := o.graph(f, code), newScopes(lib, code, f.root)
		if len(g.blocks) > 0 && len(s.list) > 0 {
			m := match(g, s)
			flow := m.solve()
			l.addFunction(f, m, flow)
			outside.addFunction(f, m, flow)
		}
	}
	l.correctEntries()
	outside.correctEntries()
	return &Weights{Lines: l.lines(""), Instances: l.instances(), Outside: outside.lines(""), Unmeasured: outside.unmeasuredNames()}, nil
}

func newCostTable(o *object, lib sourceIndex) *costTable {
	return &costTable{copies: map[*region][]*copyCost{}, starts: map[uint64]*region{}, calls: newCallGraph(), object: o, lib: lib, unmeasured: map[string]map[string]bool{}}
}

// A costTable collects the costs of the copies of each function.
type costTable struct {
	functions  []*region // in the order found
	copies     map[*region][]*copyCost
	starts     map[uint64]*region // functions by the address of their machine code
	calls      *callGraph
	entries    []entryCost
	object     *object
	lib        sourceIndex
	outside    bool                       // charges only calls of functions that are not instrumented
	unmeasured map[string]map[string]bool // those without a known cost, by the package that calls them
}

// A copyCost is the cost of one copy of a function: charges by region and line.
type copyCost struct {
	scope     *functionCopy
	key       string  // of the instance of a generic function, or ""
	address   uint64  // of the machine code that contains the copy
	frequency float64 // estimate: entries of the copy in one call of that code
	charges   map[*region]map[int]float64
	present   map[*region]bool // regions with instructions in the copy
}

// An entryCost is a place where a copy is inlined or machine code is called. Its count is a sum of counts of the
// caller's regions.
type entryCost struct {
	fn     *region
	key    string // of the instance, or ""
	callee uint64 // address, if it is not inlined
	count  []costShare
}

type costShare struct {
	to     *copyCost
	region *region
	factor float64
}

func (a *copyCost) charge(r *region, line int, n float64) {
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

// addFunction charges the code of f to one copyCost for each copy.
func (l *costTable) addFunction(f *machineFunction, m *matcher, flow *flowSolver) {
	accounts := map[*functionCopy]*copyCost{}
	for _, s := range m.scopes.list {
		a := &copyCost{scope: s, key: l.object.shapes.key(s.node.name), address: f.low, frequency: 1,
			charges: map[*region]map[int]float64{}, present: map[*region]bool{}}
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
		l.addBlock(f, b, m, flow, accounts)
	}
	for _, s := range m.scopes.list {
		l.addInlined(s, m, flow, accounts)
	}
}

// addBlock charges each instruction of b as often as b is executed.
func (l *costTable) addBlock(f *machineFunction, b *block, m *matcher, flow *flowSolver, accounts map[*functionCopy]*copyCost) {
	for i, x := range b.code {
		n := 1.0
		switch x.op {
		case call:
			l.calls.add(f.low, x.target, b.estimate())
			l.entries = append(l.entries, entryCost{callee: x.target, key: l.object.shapes.key(l.object.symbol(x.target)), count: shares(b.count, flow, accounts)})
		case repeat:
			n += float64(b.loaded(i, x.register))
		}
		if l.outside {
			if n = 0; x.op == call {
				n = l.callCost(f.low, x.target)
			}
		}
		c, at := m.scopes.at(x)
		if c != nil {
			accounts[c].present[c.file.regions.regionAt(at, nil)] = true
		}
		for _, t := range b.count {
			to := flow.counters[t.counter]
			line := to.region.line
			if c == to.scope && t.factor == 1 && c.file.regions.canCharge(at, to.region) {
				line = at
			}
			accounts[to.scope].charge(to.region, line, t.factor*n)
		}
	}
}

// addInlined records where s was inlined.
func (l *costTable) addInlined(s *functionCopy, m *matcher, flow *flowSolver, accounts map[*functionCopy]*copyCost) {
	if !s.isInlined() {
		return
	}
	count, b := m.entered(s, flow)
	if b != nil {
		accounts[s].frequency = b.estimate()
	}
	l.entries = append(l.entries, entryCost{fn: s.fn, key: accounts[s].key, count: shares(count, flow, accounts)})
}

func shares(count countSum, flow *flowSolver, accounts map[*functionCopy]*copyCost) (all []costShare) {
	for _, t := range count {
		to := flow.counters[t.counter]
		all = append(all, costShare{accounts[to.scope], to.region, t.factor})
	}
	return all
}

// entered returns how often the copy s is entered. That is the count of the first block with instructions that s
// executes once a call. If there is none, it is the count of the line of the call.
func (m *matcher) entered(s *functionCopy, flow *flowSolver) (countSum, *block) {
	for _, b := range m.g.blocks {
		for _, x := range b.code {
			if c, line := m.scopes.at(x); c == s && c.file.regions.regionAt(line, nil) == s.fn {
				return b.count, b
			}
		}
	}
	if i := slices.Index(flow.counters, s.parent.regionAt(s.callLine, regionCopy{})); i >= 0 {
		return countSum{{i, 1}}, nil
	}
	return nil, nil
}

// correctEntries charges callers the difference between the entry costs of a copy and the charges of the function's
// own lines. Callers of an inlined copy already contain its cost, so the amount that the function's counter adds is
// subtracted. Functions that count nothing are charged to the callers of their machine code.
func (l *costTable) correctEntries() {
	for i := range l.entries {
		if v := &l.entries[i]; v.fn == nil {
			v.fn = l.starts[v.callee]
		}
	}
	done := map[*region]bool{}
	for _, fn := range l.functions {
		l.correctCallers(fn, done)
	}
}

// correctCallers corrects the callers of fn. It first corrects fn as a caller of other functions.
func (l *costTable) correctCallers(fn *region, done map[*region]bool) {
	if done[fn] {
		return
	}
	done[fn] = true
	for _, v := range l.entries {
		if v.fn != nil && slices.ContainsFunc(v.count, func(s costShare) bool { return s.region == fn }) {
			l.correctCallers(v.fn, done)
		}
	}
	for _, v := range l.entries {
		if v.fn != fn || fn.inlined != (v.callee != 0) {
			continue
		}
		own := l.entryCost(fn, v.key)
		if !fn.inlined {
			own = -own
		}
		for _, s := range v.count {
			s.to.charge(s.region, s.region.line, own*s.factor)
		}
	}
}
