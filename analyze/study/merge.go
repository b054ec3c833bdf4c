package study

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Merging is the command line of analyze merge.
type Merging struct {
	Dir, Path string
	Format    *stage.Format
}

// Merge joins the results of runs with --procs or --shard in the folders, keeps them and prints summaries.
func (m *Merging) Merge(ctx context.Context, env *stage.Env, dirs []string) error {
	if err := CheckOutput(m.Dir); err != nil {
		return err
	}
	parts, err := readParts(dirs)
	if err != nil {
		return err
	}
	s, r, err := parts[0].settings()
	if err != nil {
		return fmt.Errorf("%s: %w", parts[0].dir, err)
	}
	owners, err := ownersOf(parts, r.Header.Procs)
	if err != nil {
		return err
	}
	if err := s.check(*m.Format); err != nil {
		return err
	}
	if m.Path != "" {
		src, err := m.open(r)
		if err != nil {
			return err
		}
		defer src.Close()
		r.Events = src
	}
	procs := those(owners, true)
	if len(procs) < len(owners) {
		env.Note("no part has processors %s", trace.FormatProcs(those(owners, false)))
		r.Procs = procs
	}
	var skipped []error
	results, err := stage.Interruptible(ctx, func() ([]analysis.Result, error) { return join(s, r, procs, owners, &skipped) })
	if err != nil {
		return err
	}
	results = s.skip(env, results, skipped)
	warn(env, results)
	s.noteSource(env, r.Name, r.Header)
	if err := keep(m.Dir, results, r.Procs == nil); err != nil {
		return err
	}
	noteOthers(env, m.Dir, r.Digest)
	return print(env, *m.Format, s.chosen(), results)
}

// readParts reads the parts and checks that they belong to one run.
func readParts(dirs []string) (parts []*part, err error) {
	for _, dir := range dirs {
		p, err := readPart(dir)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, sameRun(parts)
}

// join computes the results. If processors are missing, it adds a part for merging.
func join(s *Settings, r *kind.Request, procs []trace.Proc, owners []owner, skipped *[]error) ([]analysis.Result, error) {
	analyses, err := s.Build(r)
	if err != nil {
		return nil, err
	}
	whole := newPart(r, s)
	results, err := analysis.Join(r.Header, procs, func(name string, p trace.Proc, kept analysis.MergeableShard) error {
		if err := owners[p].read(name, p, kept); err != nil {
			return err
		}
		if r.Procs == nil {
			return nil
		}
		return whole.keep(name, p, kept)
	}, s.skipping(skipped), analyses...)
	if err != nil {
		return nil, orWithout(err)
	}
	if r.Procs != nil {
		results = append(results, whole.result())
	}
	return results, nil
}

// sameRun returns an error that names a difference between the parts other than their processors and slices.
func sameRun(parts []*part) error {
	for _, p := range parts[1:] {
		for _, f := range slices.Concat(parts[0].facts, p.facts) {
			if a, b := parts[0].fact(f.Key), p.fact(f.Key); f.Key != selectedFact && f.Key != shardFact && a != b {
				return fmt.Errorf("%s and %s do not belong together: %s", parts[0].dir, p.dir, difference(f.Key, a, b))
			}
		}
	}
	return nil
}

func difference(key, a, b string) string {
	switch flag, isSetting := strings.CutPrefix(key, settingFact); {
	case isSetting:
		flag = cmp.Or(NewSettings().Renamed[flag], flag)
		return fmt.Sprintf("--%s is %s and %s", flag, a, b)
	case key == headerFact:
		return "the headers of their traces differ"
	}
	return fmt.Sprintf("%s is %q and %q", key, a, b)
}

// settings returns the settings and the request of the run, without processors.
func (p *part) settings() (*Settings, *kind.Request, error) {
	s := NewSettings()
	r := &kind.Request{Digest: p.fact("trace"), Name: p.fact(traceFact)}
	if err := json.Unmarshal([]byte(p.fact(headerFact)), &r.Header); err != nil {
		return nil, nil, fmt.Errorf("reading the header of its trace: %w", err)
	}
	if got := p.fact("tool"); got != Tool {
		return nil, nil, fmt.Errorf("it was written by %q, and this is %q; analyze again", got, Tool)
	}
	if passes, err := strconv.ParseBool(p.fact(messagesFact)); err == nil {
		r.Messages = &passes
	}
	var failed error
	s.Flags.VisitAll(func(f *pflag.Flag) {
		if err := set(f, p.fact(s.settingName(f))); err != nil && failed == nil {
			failed = fmt.Errorf("--%s: %w", f.Name, err)
		}
	})
	s.all = p.fact(allFact) != ""
	return s, r, failed
}

// those returns the processors that a part has, or that no part has.
func those(owners []owner, has bool) (procs []trace.Proc) {
	for q, o := range owners {
		if (len(o) > 0) == has {
			procs = append(procs, trace.Proc(q))
		}
	}
	return procs
}

// open opens the trace, which must be that of the parts.
func (m *Merging) open(r *kind.Request) (*store.Trace, error) {
	src, err := store.Open(m.Path)
	if err != nil {
		return nil, err
	}
	if src.SHA256() != r.Digest {
		src.Close()
		return nil, fmt.Errorf("%s is not the trace of the parts: its digest is %s, theirs %s", m.Path, src.SHA256(), r.Digest)
	}
	return src, nil
}
