package mpicalls

import (
	"fmt"
	"math/bits"
	"slices"

	"spoor/traces/internal/input"
)

// fewCalls is the least number of calls of a collective of which the least time is not taken for waiting.
const fewCalls = 4

// class is collectives that take alike if nobody waits.
type class struct {
	kind, comm uint64
	size       int
}

func classOf(c *record) class { return class{c.collective, c.comm, bits.Len64(uint64(c.bytes))} }

// least is the least time of a class so far.
type least struct {
	calls int
	ns    int64
}

// surveyed is what the importer needs to know of a file before it reads its calls.
type surveyed struct {
	header
	file      int
	killed    bool // no record says that the rank ended
	aborted   bool // by MPI_Abort
	cancelled map[uint64]bool
	least     map[class]*least
}

// survey reads a file for the first time.
func survey(files *input.Files, file int) (s *surveyed, err error) {
	in, err := files.Again(file)
	if err != nil {
		return nil, fmt.Errorf("the calls of MPI: %w", err)
	}
	defer in.Close()
	r := openReader(in)
	defer r.close()
	s = &surveyed{header: r.header(), file: file, killed: true, cancelled: map[uint64]bool{}, least: map[class]*least{}}
	var c record
	for r.next(&c) {
		switch c.kind {
		case waitRecord, testRecord:
			if c.status == 2 {
				s.cancelled[c.request] = true
			}
		case collectiveRecord:
			if c.whole {
				s.took(classOf(&c), c.spent)
			}
		case finalRecord:
			s.killed = false
			return s, r.err
		case abortRecord:
			s.aborted = true
			return s, r.err
		}
	}
	return s, r.err
}

func (s *surveyed) took(c class, ns int64) {
	l := s.least[c]
	if l == nil {
		l = &least{ns: ns}
		s.least[c] = l
	}
	l.calls++
	l.ns = min(l.ns, ns)
}

// computed is the part of the time of a collective that is not waiting.
func (s *surveyed) computed(c *record) int64 {
	if l := s.least[classOf(c)]; c.whole && l != nil && l.calls >= fewCalls {
		return l.ns
	}
	return 0
}

// surveyAll surveys all files, and orders them by rank.
func surveyAll(files *input.Files) ([]*surveyed, error) {
	var all []*surveyed
	byRank := map[int]*surveyed{}
	for i := range files.Len() {
		s, err := survey(files, i)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 && (s.run != all[0].run || s.ranks != all[0].ranks) {
			return nil, fmt.Errorf("%s: from another run than %s; give the files of one run", files.Path(i), files.Path(0))
		}
		if other := byRank[s.rank]; other != nil {
			return nil, fmt.Errorf("%s: has rank %d, like %s; give one file for each rank", files.Path(i), s.rank, files.Path(other.file))
		}
		byRank[s.rank] = s
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *surveyed) int { return a.rank - b.rank })
	return all, nil
}
