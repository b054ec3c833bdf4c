package weigh

import (
	"path"
)

// A spot is a region of one copy of a function: what has a count of its own within
// a piece of machine code.
type spot struct {
	scope  *scope
	region *region
}

// A scope is one copy of a function whose source is known: the machine code's own
// or one inlined there.
type scope struct {
	in     *inlined
	file   *sourceFile
	fn     *region // what is executed once a call
	parent *scope  // nil of the machine code's own function
	site   int     // line of the call in the parent
	size   int     // instructions in it
}

// A sourceFile is a file with its regions.
type sourceFile struct {
	name    string
	regions *fileRegions
}

// A library finds the sources of functions.
type library map[string][]*sourceFile // by the packages' prefixes in symbols

func newLibrary(sources []Source) library {
	lib := library{}
	for _, s := range sources {
		prefix := prefixOf(s.Path)
		for _, f := range s.Files {
			name := s.Fset.PositionFor(f.FileStart, false).Filename
			lib[prefix] = append(lib[prefix], &sourceFile{name, regionsOf(s, f)})
		}
	}
	return lib
}

func (lib library) wanted(name string) bool { return lib[packageOf(name)] != nil }

// file returns the source that the line table calls name, in the package of the
// function, nil if there is none.
func (lib library) file(function, name string) *sourceFile {
	for _, f := range lib[packageOf(function)] {
		if path.Base(f.name) == path.Base(name) {
			return f
		}
	}
	return nil
}

// scopes are the copies of functions within one piece of machine code.
type scopes struct {
	lib  library
	all  map[*inlined]*scope
	list []*scope
}

// newScopes finds the copies, outer before inner ones. A method that the compiler
// makes to call another one, which it inlines, counts as code of the other.
func newScopes(lib library, code []instruction, root *inlined) *scopes {
	s := &scopes{lib: lib, all: map[*inlined]*scope{}}
	own := map[*inlined][]instruction{}
	for _, x := range code {
		own[x.in] = append(own[x.in], x)
	}
	s.tree(root, nil, 0, own)
	if s.all[root] == nil && len(s.list) > 0 {
		s.all[root] = s.list[0]
	}
	return s
}

// tree finds the copies from in on, which was called from line site of the parent.
func (s *scopes) tree(in *inlined, parent *scope, site int, own map[*inlined][]instruction) {
	c := s.enter(in, parent, site, own[in])
	for _, k := range in.children {
		switch {
		case c != nil:
			s.tree(k, c, k.callLine, own)
		case parent != nil:
			s.tree(k, parent, site, own)
		case len(s.list) == 0:
			s.tree(k, nil, 0, own)
		}
	}
}

// enter makes the scope of in, or, if its source is not known, makes in part of
// the line of the parent from which it was called.
func (s *scopes) enter(in *inlined, parent *scope, site int, own []instruction) *scope {
	if len(own) == 0 || !s.lib.wanted(in.name) {
		s.all[in] = nil
		return nil
	}
	file := s.lib.file(in.name, own[0].file)
	if file == nil {
		return nil
	}
	c := &scope{in: in, file: file, parent: parent, site: site, size: len(own)}
	c.fn = file.regions.function(in.decl, own)
	if c.fn == nil {
		return nil
	}
	s.all[in] = c
	s.list = append(s.list, c)
	return c
}

// function returns the function that was declared at line, or what else is
// executed once by a call of the code: the body of a loop over a function, or the
// call of a go or defer statement.
func (f *fileRegions) function(decl int, own []instruction) *region {
	if decl == 0 {
		decl = own[0].line
	}
	var best *region
	most := -1
	for _, fn := range f.funcs {
		if fn.start != decl {
			continue
		}
		n := 0
		for _, x := range own {
			if x.line >= fn.start && x.line <= fn.end {
				n++
			}
		}
		if n > most {
			best, most = fn, n
		}
	}
	if best != nil {
		return best
	}
	if decl < 1 || decl >= len(f.at) {
		return nil
	}
	if p := f.at[decl]; p.inside != nil {
		return p.inside
	}
	return f.at[decl].region
}

// at returns the scope of an instruction, and its line there.
func (s *scopes) at(x instruction) (*scope, int) {
	line := x.line
	in := x.in
	for in != nil && s.all[in] == nil {
		line, in = in.callLine, in.parent
	}
	if in == nil {
		return nil, 0
	}
	return s.all[in], line
}

// find returns the spot of a line of c as seen from machine loop l: what has its
// count, so that the function of an inlined copy is the region of the call.
func (c *scope) find(line int, l spot) spot {
	var inner *region
	if l.scope == c {
		inner = l.region
	}
	r := c.file.regions.within(line, inner)
	if r == nil || r.fn != c.fn.fn {
		return spot{}
	}
	return spot{c, r}.outer(l)
}

// outer replaces functions of inlined copies by the regions that they are called in.
func (p spot) outer(l spot) spot {
	for p.region == p.scope.fn && p.scope.parent != nil {
		q := p.scope.parent.find(p.scope.site, l)
		if q.region == nil {
			return p
		}
		p = q
	}
	return p
}

// up returns the spot around p, with no region if p is the whole code.
func (p spot) up() spot {
	if p.region != p.scope.fn && p.region.parent != nil {
		q := spot{p.scope, p.region.parent}
		return q.outer(spot{})
	}
	if p.scope.parent == nil {
		return spot{}
	}
	return p.scope.parent.find(p.scope.site, spot{})
}

// loop returns the body of the innermost source loop around p, within the machine
// code.
func (p spot) loop() spot {
	for p.region != nil {
		if l := p.region.loop; l != nil && p.scope.encloses(l) {
			return spot{p.scope, l}
		}
		if p.scope.parent == nil {
			break
		}
		c := p.scope
		p = c.parent.find(c.site, spot{})
	}
	return spot{}
}

// encloses reports whether r is in the code of c: not around the loop body that
// alone is c.
func (c *scope) encloses(r *region) bool {
	for ; r != nil; r = r.parent {
		if r == c.fn {
			return c.fn.kind == funcRegion || r != c.fn
		}
	}
	return false
}

// within reports whether p is q or inside it.
func (p spot) within(q spot) bool {
	for p.region != nil {
		if p == q {
			return true
		}
		p = p.up()
	}
	return false
}

func (s spot) known() bool { return s.region != nil && !s.region.free }
