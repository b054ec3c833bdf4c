package study

import (
	"fmt"
	"slices"
	"strings"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/internal/slicing"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// checkSlice makes kept the part of --shard, if the analyses can be split.
func (o *Options) checkSlice(r *kind.Request, kept *part, analyses []analysis.Analysis) (err error) {
	if kept.slice, err = slicing.Parse(o.Shard); err != nil {
		return stage.Usage("--shard: %w", err)
	}
	if o.Interleaved && o.InterleavedAsked && r.Header.Procs > 1 {
		return stage.Usage("the interleaved order needs the whole trace; omit --shard or --interleaved")
	}
	unable, err := analysis.CheckSlices(r.Header, one(r.Procs)[0], analyses...)
	if len(unable) > 0 {
		return stage.Usage("--shard: not possible with %s; give --run reuse, --run locality or both, without --assoc-simulate", strings.Join(unable, ", "))
	}
	if err != nil {
		return stage.Usage("%w", err)
	}
	kept.facts = append(kept.facts, trace.Arg{Key: shardFact, Value: kept.slice.String()})
	if kept.procs == nil {
		for p := range trace.Proc(r.Header.Procs) {
			kept.procs = append(kept.procs, p)
		}
	}
	return nil
}

// owner has the parts of a processor: one part, or all slices in order. It is empty if no part has the processor.
type owner []*part

// ownersOf returns the owner of each processor.
func ownersOf(parts []*part, procs int) ([]owner, error) {
	owners := make([]owner, max(0, procs))
	for _, p := range parts {
		have, err := trace.ParseProcs(p.fact(selectedFact), procs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.dir, err)
		}
		for _, q := range have {
			if other := owners[q].conflict(p); other != nil {
				return nil, both(other, p, slices.DeleteFunc(have, func(q trace.Proc) bool { return owners[q].conflict(p) != other }))
			}
		}
		for _, q := range have {
			owners[q] = append(owners[q], p)
		}
	}
	for _, o := range owners {
		slices.SortFunc(o, func(p, q *part) int { return p.slice.Index - q.slice.Index })
		if err := o.complete(); err != nil {
			return nil, err
		}
	}
	return owners, nil
}

// conflict returns a part that cannot be joined with p; nil: none.
func (o owner) conflict(p *part) *part {
	for _, other := range o {
		if other.slice.Of != p.slice.Of || other.slice == p.slice {
			return other
		}
	}
	return nil
}

// both returns the error that two parts cannot be joined, because of some processors.
func both(p, q *part, procs []trace.Proc) error {
	if p.slice.Of != q.slice.Of && !p.slice.IsWhole() && !q.slice.IsWhole() {
		return fmt.Errorf("%s and %s do not belong together: --shard is %v and %v", p.dir, q.dir, p.slice, q.slice)
	}
	of := ""
	if p.slice == q.slice && !p.slice.IsWhole() {
		of = fmt.Sprintf("part %v of ", p.slice)
	}
	return fmt.Errorf("%s and %s both have %sprocessors %s", p.dir, q.dir, of, trace.FormatProcs(procs))
}

// maxMissing is the maximum number of missing slices that an error names.
const maxMissing = 8

// complete returns an error if slices are missing.
func (o owner) complete() error {
	if len(o) == 0 || o[0].slice.Of == 0 || len(o) == o[0].slice.Of {
		return nil
	}
	var missing []string
	for i, of := 1, o[0].slice.Of; i <= of; i++ {
		s := slicing.Slice{Index: i, Of: of}
		if !slices.ContainsFunc(o, func(p *part) bool { return p.slice == s }) && len(missing) < maxMissing {
			missing = append(missing, s.String())
		}
	}
	return fmt.Errorf("%s is one of %d parts, and %d are missing, such as %s; run analyze with these values of --shard, and merge all parts",
		o[0].dir, o[0].slice.Of, o[0].slice.Of-len(o), strings.Join(missing, ", "))
}

// read restores the state of a shard from the parts of its processor.
func (o owner) read(name string, proc trace.Proc, s analysis.MergeableShard) error {
	if o[0].slice.IsWhole() {
		return o[0].read(name, proc, s)
	}
	joined, can := s.(analysis.SliceShard)
	if !can {
		return fmt.Errorf("%s has a part of %s, which cannot be joined", o[0].dir, name)
	}
	for _, p := range o {
		text, err := p.state(name, proc)
		if err != nil {
			return err
		}
		if err := joined.Append([]byte(text)); err != nil {
			return fmt.Errorf("%s: joining %s of processor %d: %w", p.dir, name, proc, err)
		}
	}
	return joined.End()
}
