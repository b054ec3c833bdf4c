package weigh

import (
	"cmp"
	"math"
	"slices"
)

// Binary charges the instructions of the functions of packages in the linked binary
// at path to their source lines.
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
	l := &ledger{copies: map[*region][]*account{}}
	for _, f := range functions {
		g := o.graph(f)
		s := newScopes(lib, o.decode(f), f.root)
		if s.all[f.root] == nil {
			continue
		}
		m := o.match(g, s)
		l.enter(m, m.solve())
	}
	return l.lines(), nil
}

// A ledger collects what the copies of each function cost.
type ledger struct {
	functions []*region // as met
	copies    map[*region][]*account
	files     map[*region]*sourceFile
}

// An account is what one copy of a function costs, by region and line.
type account struct {
	scope   *scope
	charges map[*region]map[int]float64
	order   []*region
}

// enter charges the code of m to accounts, one of each copy.
func (l *ledger) enter(m *matcher, f *flow) {
	accounts := map[*scope]*account{}
	for _, s := range m.scopes.list {
		a := &account{scope: s, charges: map[*region]map[int]float64{}}
		accounts[s] = a
		if l.copies[s.fn] == nil {
			l.functions = append(l.functions, s.fn)
		}
		l.copies[s.fn] = append(l.copies[s.fn], a)
	}
	for _, b := range m.g.blocks {
		var around spot
		if b.loop != nil {
			around = b.loop.source
		}
		for _, x := range b.code {
			for _, t := range b.count {
				to := f.counters[t.counter]
				line := to.region.line
				if c, at := m.scopes.at(x); c == to.scope && t.factor == 1 && c.file.regions.owns(at, to.region) {
					line = at
				}
				accounts[to.scope].charge(to.region, line, t.factor)
			}
		}
		_ = around
	}
}

// owns reports whether line is r's alone.
func (f *fileRegions) owns(line int, r *region) bool {
	return line > 0 && line < len(f.at) && f.at[line] == place{region: r}
}

func (a *account) charge(r *region, line int, n float64) {
	c := a.charges[r]
	if c == nil {
		c = map[int]float64{}
		a.charges[r] = c
		a.order = append(a.order, r)
	}
	c[line] += n
}

// lines averages the copies.
func (l *ledger) lines() Lines {
	out := Lines{}
	for _, fn := range l.functions {
		copies := l.copies[fn]
		file := copies[0].scope.file.name
		if out[file] == nil {
			out[file] = map[int]int{}
		}
		sum := map[*region]map[int]float64{}
		var order []*region
		n := map[*region]float64{}
		for _, a := range copies {
			for _, r := range a.order {
				if sum[r] == nil {
					sum[r] = map[int]float64{}
					order = append(order, r)
				}
				n[r]++
				for line, x := range a.charges[r] {
					sum[r][line] += x
				}
			}
		}
		for _, r := range order {
			round(out[file], r.line, sum[r], n[r])
		}
	}
	return out
}

// round adds the charges of a region, divided by n, to lines, so that their sum is
// right.
func round(to map[int]int, rest int, charges map[int]float64, n float64) {
	total, given := 0.0, 0
	var at []int
	for line := range charges {
		at = append(at, line)
	}
	slices.SortFunc(at, cmp.Compare[int])
	for _, line := range at {
		total += charges[line] / n
		k := int(math.Round(charges[line] / n))
		to[line] += k
		given += k
	}
	to[rest] += int(math.Round(total)) - given
}
