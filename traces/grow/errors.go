package grow

import (
	"errors"
	"fmt"
	"slices"

	"spoor/traces/trace"
)

// errFewRecordings means that no recording was left out.
var errFewRecordings = errors.New("two recordings")

// errLong means that a rule was given up because its program was too long.
var errLong = errors.New("the program is too long")

// longError is the next event of a program that is too long.
type longError struct{ error }

func (e *longError) Unwrap() []error { return []error{e.error, errLong} }

// failedParse is why one rule of the grid does not fit, with the share of all events that it explains.
type failedParse struct {
	error
	share float64
}

func (e *failedParse) Unwrap() error { return e.error }

// failure keeps the error of the rule that explained the most.
type failure struct {
	err   error
	share float64
}

func (f *failure) keep(err error) {
	share := 0.
	var e *failedParse
	if errors.As(err, &e) {
		share, err = e.share, e.error
	}
	if f.err == nil || share > f.share {
		f.err, f.share = err, share
	}
}

// unless returns the error, or nil if done is set.
func (f *failure) unless(done bool) error {
	if done {
		return nil
	}
	return f.err
}

// share returns which share of all events has been read.
func (p *parser) share() float64 {
	read, all := 0, 0
	for _, t := range p.tracks {
		read, all = read+t.at, all+len(t.rows)
	}
	return float64(read) / float64(max(all, 1))
}

// checkAll checks that recordings, which are sorted by their ranks, can have a pattern in common, and one for the target.
func checkAll(all []Recording, target int) error {
	if len(all) < 2 {
		return errors.New("a pattern needs recordings at two or more numbers of ranks; record the program at another number, too")
	}
	switch least := len(all[0].Rows); {
	case least == 0:
		return fmt.Errorf("%s has no ranks; leave it out", all[0].Name)
	case target < least:
		return fmt.Errorf("%s has %d ranks, and the trace to write only %d; record that number instead", all[0].Name, least, target)
	}
	for i, r := range all {
		if r.Head.WorkUnit != all[0].Head.WorkUnit {
			return fmt.Errorf("%s has work in %s, %s in %s; record both alike", r.Name, r.Head.WorkUnit, all[0].Name, all[0].Head.WorkUnit)
		}
		if i > 0 && len(r.Rows) == len(all[i-1].Rows) {
			return fmt.Errorf("%s and %s have the same number of ranks, %d; leave one out", all[i-1].Name, r.Name, len(r.Rows))
		}
		for rank, rows := range r.Rows {
			if row := slices.IndexFunc(rows, hasNeeds); row >= 0 {
				return &MisfitError{r.Name, rank, row, fmt.Sprintf("this %s needs given rows, and grow extrapolates only events in program order", rows[row].Kind)}
			}
		}
	}
	return nil
}

func hasNeeds(e trace.Event) bool { return e.Needs != nil }
