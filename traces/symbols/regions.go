package symbols

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"spoor/traces/trace"
)

// ranks of what may have an address at the same time; the greatest names it
const (
	stackRank = iota
	mappingRank
	heapRank
	globalRank
	ranks
)

// span is a range of addresses with a name, at some time.
type span struct {
	from, to uint64
	rank     int
	name     string
}

// Regions returns the names of memory without times: variables, stacks, and blocks of the heap by the place of their
// allocation. An address that several places allocated, one after the other, has the names of all.
func (f *File) Regions() ([]trace.Region, error) {
	code, files, err := f.codeRows()
	if err != nil {
		return nil, err
	}
	var spans []span
	for r, err := range f.Rows() {
		if err != nil {
			return nil, err
		}
		s := span{from: r.Addr, to: r.Addr + r.Bytes}
		switch r.Kind {
		case Global:
			s.rank, s.name = globalRank, r.Name
			if len(files[r.Name]) > 1 {
				s.name += " of " + path.Base(cmp.Or(r.File, r.Module))
			}
		case Heap:
			s.rank, s.name = heapRank, "heap: "+code.label(r.Site)
		case Mapping:
			s.rank, s.name = mappingRank, "mmap: "+code.label(r.Site)
		case Stack:
			s.rank, s.name = stackRank, fmt.Sprintf("stack of processor %d", r.Begin.Proc)
		default:
			continue
		}
		if s.from < s.to {
			spans = append(spans, s)
		}
	}
	return regionsOf(spans), nil
}

// sites are rows of code, by address.
type sites []Row

// codeRows returns the rows of code, and the files that have a variable of each name.
func (f *File) codeRows() (code sites, files map[string]map[string]bool, err error) {
	files = map[string]map[string]bool{}
	for r, err := range f.Rows() {
		switch {
		case err != nil:
			return nil, nil, err
		case r.Kind == Code:
			code = append(code, *r)
		case r.Kind == Global:
			if files[r.Name] == nil {
				files[r.Name] = map[string]bool{}
			}
			files[r.Name][r.File+":"+r.Module] = true
		}
	}
	slices.SortFunc(code, func(a, b Row) int { return cmp.Compare(a.Addr, b.Addr) })
	return code, files, nil
}

// label names the place of an allocation. Code that is inlined from a header of the system is named by its call.
func (s sites) label(site uint64) string {
	i, found := slices.BinarySearchFunc(s, site, func(r Row, at uint64) int { return cmp.Compare(r.Addr, at) })
	if !found {
		i--
	}
	if i < 0 || site-s[i].Addr >= s[i].Bytes {
		return "unknown place"
	}
	r := s[i]
	name, file, line := r.Name, r.File, r.Line
	if r.In != "" && r.InFile != "" && strings.HasPrefix(file, "/usr/") {
		name, file, line = r.In, r.InFile, r.InLine
	}
	name = short(cmp.Or(name, r.Module))
	if file == "" || line == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d (%s)", path.Base(file), line, name)
}

// edge is the begin or the end of a span.
type edge struct {
	at    uint64
	span  int
	count int // 1 or -1
}

// edgesOf returns the edges of spans, by address.
func edgesOf(spans []span) (edges []edge) {
	for i, s := range spans {
		edges = append(edges, edge{s.from, i, 1}, edge{s.to, i, -1})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.span, b.span)) })
	return edges
}

// short returns the name of a function of C++ without its parameters, those of templates, and its result. Other names stay.
func short(name string) string {
	if strings.Contains(name, "operator") || strings.HasPrefix(name, "<") || strings.Contains(name, ".(") {
		return name
	}
	var b strings.Builder
	depth := 0
	for _, c := range name {
		switch {
		case c == '<' || c == '(':
			depth++
		case c == '>' || c == ')':
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	all := strings.Fields(strings.TrimSuffix(b.String(), " const"))
	if len(all) == 0 || depth != 0 {
		return name
	}
	return all[len(all)-1]
}

// header is the most that lies between two blocks of malloc that touch.
const header = 16

// regionsOf returns the names of the addresses of spans that may overlap. Touching ranges of one name are one region.
func regionsOf(spans []span) (regions []trace.Region) {
	edges := edgesOf(spans)
	var open [ranks]map[string]int
	for i := range open {
		open[i] = map[string]int{}
	}
	for i, e := range edges {
		s := spans[e.span]
		if open[s.rank][s.name] += e.count; open[s.rank][s.name] == 0 {
			delete(open[s.rank], s.name)
		}
		if i+1 == len(edges) || edges[i+1].at == e.at {
			continue
		}
		name := nameOf(open)
		if name == "" {
			continue
		}
		if last := len(regions) - 1; last >= 0 && regions[last].Name == name && e.at-regions[last].Base-regions[last].Bytes <= header {
			regions[last].Bytes = edges[i+1].at - regions[last].Base
			continue
		}
		regions = append(regions, trace.Region{Name: name, Owner: trace.Everyone, Base: e.at, Bytes: edges[i+1].at - e.at})
	}
	return regions
}

// shownNames is the most names that an address has.
const shownNames = 3

// nameOf returns the name of an address with these spans, by rank, or "".
func nameOf(open [ranks]map[string]int) string {
	for _, names := range slices.Backward(open[:]) {
		if len(names) == 0 {
			continue
		}
		list := slices.Sorted(maps.Keys(names))
		if n := len(list) - shownNames; n > 0 {
			list = append(list[:shownNames], fmt.Sprintf("%d more", n))
		}
		return strings.Join(list, ", or ")
	}
	return ""
}
