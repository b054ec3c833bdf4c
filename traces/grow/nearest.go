package grow

import (
	"math"
	"sort"
)

// role identifies the ranks that execute the same statements.
type role uint64

// startRole is the role of a rank before its first statement.
const startRole role = 14695981039346656037

// with returns the role after a statement. This is the hash function FNV-1a.
func (r role) with(executed bool) role { return (r ^ role(btoi(executed))) * 1099511628211 }

// roles knows which recorded ranks have which role.
type roles struct {
	p       *parser
	of      []role          // by track
	latest  map[role][]int  // tracks of the largest recording, by role
	first   int             // first track of the largest recording
	known   map[role][]bool // of all recorded roles: by statement, whether such ranks execute it
	inOrder map[role]bool   // other roles whose statements are in a known order
}

func rolesOf(p *parser) *roles {
	r := &roles{p: p, of: make([]role, len(p.tracks)), latest: map[role][]int{}, known: map[role][]bool{}, inOrder: map[role]bool{}}
	executed := make([]bool, len(p.tracks))
	for i := range r.of {
		r.of[i] = startRole
	}
	for i := range p.program {
		clear(executed)
		for _, seen := range p.program[i].seen {
			for _, e := range seen {
				executed[e.track] = true
			}
		}
		for t := range r.of {
			r.of[t] = r.of[t].with(executed[t])
		}
	}
	last := p.tracks[len(p.tracks)-1].recording
	for i, t := range p.tracks {
		if t.recording == last {
			r.latest[r.of[i]] = append(r.latest[r.of[i]], i)
		} else {
			r.first = i + 1
		}
	}
	r.know()
	return r
}

// know finds which statements the roles execute.
func (r *roles) know() {
	statements := len(r.p.program)
	for _, own := range r.of {
		if r.known[own] == nil {
			r.known[own] = make([]bool, statements)
		}
	}
	for i := range r.p.program {
		for _, seen := range r.p.program[i].seen {
			for _, e := range seen {
				r.known[r.of[e.track]][i] = true
			}
		}
	}
}

// unordered returns the second of the first two rows, of successive statements, that no recorded rank executes both: their order is
// not known. It returns -1 if there are none.
func (r *roles) unordered(own role, rows []origin) int {
	if r.known[own] != nil || r.inOrder[own] {
		return -1
	}
	for i := 1; i < len(rows); i++ {
		a, b := rows[i-1].statement, rows[i].statement
		both := a == b
		for _, executes := range r.known {
			if both = both || executes[a] && executes[b]; both {
				break
			}
		}
		if !both {
			return i
		}
	}
	r.inOrder[own] = true
	return -1
}

// nearest returns the recorded rank of the same role whose relative position is nearest, as a track. It returns -1 if no
// recorded rank has the role.
func (r *roles) nearest(p *place, own role) int {
	best, least := -1, math.Inf(1)
	for _, t := range r.latest[own] {
		if d := apart(p, &r.p.tracks[t].place); d < least {
			best, least = t, d
		}
	}
	return best
}

// apart returns the distance of the relative positions of two places.
func apart(a, b *place) (sum float64) {
	for d := min(1, a.axes-1); d < a.axes; d++ {
		sum += math.Abs(float64(a.coord[d])/float64(a.size[d]) - float64(b.coord[d])/float64(b.size[d]))
	}
	return sum
}

// like returns the recorded event of a step that is most like the given one: that of track t, or if t is -1, that of
// the nearest rank of the largest recording that has any.
func (r *roles) like(all []seen, t int, s *sample) *seen {
	from := sort.Search(len(all), func(i int) bool { return int(all[i].track) >= r.first })
	if from == len(all) {
		from = 0 // the largest recording has none
	}
	if t < 0 {
		least := math.Inf(1)
		for i := from; i < len(all); i++ {
			if d := apart(s.place, &r.p.tracks[all[i].track].place); d < least {
				t, least = int(all[i].track), d
			}
		}
	}
	at := from + sort.Search(len(all)-from, func(i int) bool { return int(all[from+i].track) >= t })
	end := at
	for end < len(all) && int(all[end].track) == t {
		end++
	}
	if at == end {
		return &all[from]
	}
	best := &all[at]
	for i := at; i < end; i++ {
		if e := &all[i]; e.round*int32(s.rounds) <= int32(s.round)*e.rounds {
			best = e
		}
	}
	return best
}
