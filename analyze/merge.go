package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// merging holds the command line of merge.
type merging struct {
	dir, path string
	format    *stage.Format
}

func mergeCommand(env *stage.Env) *cobra.Command {
	var m merging
	cmd := &cobra.Command{
		Use:  "merge DIR... -o DIR",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return m.merge(cmd.Context(), env, args) },
	}
	stage.Describe(cmd, helpTexts, "merge")
	cmd.Flags().StringVarP(&m.dir, "output", "o", "", "`directory` for the results")
	cmd.Flags().StringVar(&m.path, "trace", "", "`prefix` of the analyzed trace; comm reads its events again")
	m.format = stage.FormatFlag(cmd.Flags())
	_ = cmd.MarkFlagRequired("output") // the flag exists
	return cmd
}

func (m *merging) merge(ctx context.Context, env *stage.Env, dirs []string) error {
	if err := checkOutput(m.dir); err != nil {
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
	if err := s.check(*m.format); err != nil {
		return err
	}
	if m.path != "" {
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
	if err := keep(m.dir, results, r.Procs == nil); err != nil {
		return err
	}
	noteOthers(env, m.dir, r.Digest)
	return print(env, *m.format, s.chosen(), results)
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
func join(s *settings, r *kind.Request, procs []trace.Proc, owners []*part, skipped *[]error) ([]analysis.Result, error) {
	analyses, err := s.build(r)
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

// sameRun returns an error that names a difference between the parts other than their processors.
func sameRun(parts []*part) error {
	for _, p := range parts[1:] {
		for _, f := range slices.Concat(parts[0].facts, p.facts) {
			if a, b := parts[0].fact(f.Key), p.fact(f.Key); f.Key != selectedFact && a != b {
				return fmt.Errorf("%s and %s do not belong together: %s", parts[0].dir, p.dir, difference(f.Key, a, b))
			}
		}
	}
	return nil
}

func difference(key, a, b string) string {
	switch flag, isSetting := strings.CutPrefix(key, settingFact); {
	case isSetting:
		flag = cmp.Or(newSettings().renamed[flag], flag)
		return fmt.Sprintf("--%s is %s and %s", flag, a, b)
	case key == headerFact:
		return "the headers of their traces differ"
	}
	return fmt.Sprintf("%s is %q and %q", key, a, b)
}

// settings returns the settings and the request of the run, without processors.
func (p *part) settings() (*settings, *kind.Request, error) {
	s := newSettings()
	r := &kind.Request{Digest: p.fact("trace"), Name: p.fact(traceFact)}
	if err := json.Unmarshal([]byte(p.fact(headerFact)), &r.Header); err != nil {
		return nil, nil, fmt.Errorf("reading the header of its trace: %w", err)
	}
	if got := p.fact("tool"); got != tool {
		return nil, nil, fmt.Errorf("it was written by %q, and this is %q; analyze again", got, tool)
	}
	if passes, err := strconv.ParseBool(p.fact(messagesFact)); err == nil {
		r.Messages = &passes
	}
	var failed error
	s.flags.VisitAll(func(f *pflag.Flag) {
		if err := set(f, p.fact(s.settingName(f))); err != nil && failed == nil {
			failed = fmt.Errorf("--%s: %w", f.Name, err)
		}
	})
	s.all = p.fact(allFact) != ""
	return s, r, failed
}

// ownersOf returns, for each processor, the part that has it, or nil.
func ownersOf(parts []*part, procs int) ([]*part, error) {
	owners := make([]*part, max(0, procs))
	for _, p := range parts {
		have, err := trace.ParseProcs(p.fact(selectedFact), procs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.dir, err)
		}
		for _, q := range have {
			if o := owners[q]; o != nil {
				twice := slices.DeleteFunc(have, func(q trace.Proc) bool { return owners[q] != o })
				return nil, fmt.Errorf("%s and %s both have processors %s", o.dir, p.dir, trace.FormatProcs(twice))
			}
		}
		for _, q := range have {
			owners[q] = p
		}
	}
	return owners, nil
}

// those returns the processors that a part has, or that no part has.
func those(owners []*part, has bool) (procs []trace.Proc) {
	for q, o := range owners {
		if (o != nil) == has {
			procs = append(procs, trace.Proc(q))
		}
	}
	return procs
}

// open opens the trace, which must be that of the parts.
func (m *merging) open(r *kind.Request) (*store.Trace, error) {
	src, err := store.Open(m.path)
	if err != nil {
		return nil, err
	}
	if src.SHA256() != r.Digest {
		src.Close()
		return nil, fmt.Errorf("%s is not the trace of the parts: its digest is %s, theirs %s", m.path, src.SHA256(), r.Digest)
	}
	return src, nil
}
