package simgridti

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// reach checks that the ranks include number.
func (p *tiParser) reach(number int32, what string) {
	switch {
	case p.given || !p.shared || p.frozen > 0:
		if int(number) >= p.procs {
			p.wrong(fmt.Sprintf("%s %d, but the trace has %s", what, number, input.Plural(p.procs, "rank")), p.moreRanks())
		}
	case len(p.far) == 0 || number > p.far[len(p.far)-1].rank:
		p.far = append(p.far, tiPartner{number, p.at, input.Quote(bytes.Trim(p.raw, input.Blanks))})
	}
}

// moreRanks returns the advice when ranks seem to be missing.
func (p *tiParser) moreRanks() string {
	switch {
	case p.given:
		return ""
	case !p.shared:
		return "there must be a file for each rank"
	case p.procs == 1:
		return fmt.Sprintf("if this is the file of one rank of several, give all of them, their folder or their list; "+
			"if all ranks follow one after the other, give their number with --set %s=N", tiRanks)
	case p.frozen > 0:
		return fmt.Sprintf("the inits of all ranks must come before line %d, which needs their number; or set it with --set %s=N", p.frozen, tiRanks)
	}
	return "each rank must have its init"
}

// ranksNow returns the number of ranks, for actions that depend on it. In a shared file
// without the setting, all inits must precede such actions.
func (p *tiParser) ranksNow() int {
	if p.shared && !p.given && p.frozen == 0 {
		p.frozen = p.Line
		if err := p.checkFar(); err != nil && p.problem == nil {
			p.problem = err
		}
	}
	return p.procs
}

// checkFar returns an error if a partner is not a rank.
func (p *tiParser) checkFar() error {
	for _, f := range p.far {
		if int(f.rank) >= p.procs {
			return p.messages.Fail(f.at, fmt.Sprintf("partner %d, but the trace has %s: %s; %s", f.rank, input.Plural(p.procs, "rank"), f.text, p.moreRanks()))
		}
	}
	return nil
}

// checkFinalized returns an error if a rank has no init or no finalize. With
// Options.Unmatched, a missing finalize is a note.
func (p *tiParser) checkFinalized(ranks ...*tiRank) error {
	var cut []string
	var last trace.Pos
	for _, r := range ranks {
		switch {
		case r.state == tiFinalized:
			continue
		case r.state == tiUnborn:
			return p.messages.Fail(r.last, fmt.Sprintf("rank %d has no init; the start of the trace is missing", r.number))
		case p.o.Unmatched:
			p.rank, p.at = r, r.last
			p.note(tiUnfinished)
			if err := r.end(p); err != nil {
				return err
			}
			continue
		}
		if r.last.At > last.At {
			last = r.last
		}
		if cut = append(cut, fmt.Sprint(r.number)); len(cut) == tiNamed {
			cut = append(cut, "and more")
			break
		}
	}
	if len(cut) == 0 {
		return nil
	}
	return p.hint(p.messages.Fail(last, fmt.Sprintf("end of the actions without finalize of rank %s: the trace is truncated; --unmatched note imports it with a note", strings.Join(cut, ", "))))
}

// tiNamed is the number of ranks that an error lists.
const tiNamed = 8

// hint adds the wildcards to an error that they may explain.
func (p *tiParser) hint(err error) error {
	var bad *trace.SyntaxError
	if errors.As(err, &bad) && p.odd[tiWildcard].n > 0 {
		bad.Msg += " (" + p.describe(tiWildcard) + ")"
	}
	return err
}

// finish checks what is known only at the end.
func (p *tiParser) finish() ([]string, error) {
	if len(p.ranks) == 0 {
		return nil, p.Fail(nil, "end of file after no actions", "")
	}
	if p.shared && !p.given {
		if n := len(p.ranks); n > p.inits {
			return nil, p.tooFew(n)
		}
		p.procs = p.inits
	}
	if err := p.checkFar(); err != nil {
		return nil, err
	}
	for number := range p.procs {
		if number >= len(p.ranks) || p.ranks[number] == nil {
			return nil, p.Fail(nil, fmt.Sprintf("end of file, but rank %d of %d has no actions", number, p.procs), "")
		}
	}
	if err := p.checkFinalized(p.ranks...); err != nil {
		return nil, err
	}
	notes, err := p.messages.Finish(p.procs)
	if err != nil {
		return nil, p.hint(err)
	}
	return append(append(p.Text.Notes(), p.oddNotes()...), notes...), nil
}

// tooFew returns the error for a shared file in which a rank below n has no init.
func (p *tiParser) tooFew(n int) error {
	for number, r := range p.ranks {
		if r != nil && r.state == tiUnborn {
			return p.checkFinalized(r)
		}
		if r == nil && p.inits == 1 {
			return p.messages.Fail(p.ranks[n-1].last, fmt.Sprintf("only rank %d is in this file, so it is one of several files; give all, their folder or their list", n-1))
		}
		if r == nil {
			return p.messages.Fail(p.ranks[n-1].last, fmt.Sprintf("rank %d is in this file, but rank %d has no actions; give one file of all ranks, or the files of all", n-1, number))
		}
	}
	return nil
}
