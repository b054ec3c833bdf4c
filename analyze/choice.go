package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/reusetime"
	"spoor/analyze/reuse"
	"spoor/traces/nearest"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// everything is the name for all analyses in --run.
const everything = "all"

// expand replaces the name everything with the names of all analyses.
func (s *settings) expand() {
	if s.all = slices.Contains(s.run, everything); !s.all {
		return
	}
	s.run = slices.DeleteFunc(s.run, func(name string) bool { return name == everything })
	for _, k := range s.kinds {
		s.run = append(s.run, k.name)
	}
}

// adapt chooses the analyses of messages if the trace has no references and --run names no analysis.
func (o *options) adapt(env *stage.Env, src *store.Trace) {
	if o.runAsked && !o.all || !messagesOnly(src) {
		return
	}
	meant := strings.Join(o.run, ",")
	if o.all {
		meant = everything
	}
	env.Note("the trace has no references; running %s,%s instead of %s", marshalName, commName, meant)
	o.run = []string{marshalName, commName}
}

// needRefs reports whether a chosen analysis needs references.
func (o *options) needRefs() bool {
	return slices.ContainsFunc(o.chosen(), func(k *kind) bool { return !slices.Contains([]string{commName, marshalName, quantaName}, k.name) })
}

// noteUnused prints a note if a flag has no effect: its analyses do not run, or another flag that it needs is missing.
func (s *settings) noteUnused(env *stage.Env, all *pflag.FlagSet, f *pflag.Flag) {
	of := s.owners(f)
	if len(of) > 0 && !slices.ContainsFunc(of, func(name string) bool { return slices.Contains(s.run, name) }) {
		env.Note("--%s has no effect: it is a flag of %s, which --run does not name", f.Name, strings.Join(of, ", "))
		return
	}
	missing := ""
	for _, k := range s.chosen() {
		if !slices.Contains(k.flagNames(), f.Name) {
			continue
		}
		other := k.needs[f.Name]
		if other == "" || slices.ContainsFunc(strings.Fields(other), all.Changed) {
			return
		}
		missing = cmp.Or(missing, other)
	}
	if missing != "" {
		env.Note("--%s has no effect without --%s", f.Name, strings.Join(strings.Fields(missing), " or --"))
	}
}

// owners returns the names of the analyses that a flag affects, or nil if it affects all.
func (s *settings) owners(f *pflag.Flag) (names []string) {
	for _, k := range s.kinds {
		if slices.Contains(k.flagNames(), f.Name) {
			names = append(names, k.name)
		}
	}
	return names
}

// check validates the settings as far as possible without a trace.
func (s *settings) check(f stage.Format) error {
	for _, name := range s.run {
		if !slices.ContainsFunc(s.kinds, func(k *kind) bool { return k.name == name }) {
			return stage.Usage("--run: %w", nearest.Unknown("analysis", name, s.names()))
		}
	}
	chosen := s.chosen()
	if len(chosen) == 0 {
		return stage.Usage("--run: no analysis; known: %s", strings.Join(s.names(), ", "))
	}
	if f != stage.Human && len(chosen) > 1 {
		return stage.Usage("--format %s prints one analysis; choose one with --run", f)
	}
	if _, err := parseRefs(s.refs); err != nil {
		return err
	}
	_, err := parseLines(s.line)
	return err
}

// refSets has the references of each value of --refs. The empty value is the default of each analysis.
var refSets = map[string]trace.OpSet{"": 0, "data": trace.DataOps, "ifetch": trace.FetchOps, "all": trace.DataOps | trace.FetchOps}

// parseRefs returns the references of a value of --refs.
func parseRefs(text string) (trace.OpSet, error) {
	if refs, known := refSets[text]; known {
		return refs, nil
	}
	return 0, stage.Usage("--refs: %w", nearest.Unknown("value", text, refNames()))
}

func refNames() []string { return []string{"data", "ifetch", "all"} }

// names returns the values of --run.
func (s *settings) names() (names []string) {
	for _, k := range s.kinds {
		names = append(names, k.name)
	}
	return append(names, everything)
}

// chosen returns the analyses of --run, in the order of the help.
func (s *settings) chosen() (out []*kind) {
	for _, k := range s.kinds {
		if slices.Contains(s.run, k.name) {
			out = append(out, k)
		}
	}
	return out
}

// build creates the analyses and completes the request.
func (s *settings) build(r *request) (analyses []analysis.Analysis, err error) {
	given, err := parseLines(s.line)
	if err != nil {
		return nil, err
	}
	r.lines, r.first = sorted(given), given[0]
	if r.refs, err = parseRefs(s.refs); err != nil {
		return nil, err
	}
	r.meta, r.source = r.facts(), r.name+" sha256:"+r.digest+r.header.SourceFacts()
	if s.refs != "" {
		r.meta, r.source = append(r.meta, trace.Arg{Key: "refs", Value: s.refs}), r.source+", refs "+s.refs
	}
	r.reuse = &reuse.Analysis{Lines: r.lines, Refs: r.refs, Interleaved: r.interleaved, Meta: r.meta}
	if slices.Contains(s.run, reuseTimeName) {
		r.times = &reusetime.Analysis{Lines: r.lines, Refs: r.refs, Interleaved: r.interleaved, Meta: r.meta}
	}
	for _, k := range s.chosen() {
		a, err := k.build(r)
		if err != nil {
			return nil, err
		}
		analyses = append(analyses, a)
	}
	return analyses, nil
}

// parseLines parses line sizes, in the given order. There must be at least one.
func parseLines(texts []string) ([]unit.Bytes, error) {
	var lines []unit.Bytes
	for _, text := range texts {
		b, err := unit.ParseBytes(text)
		if n, e := strconv.ParseUint(text, 10, 32); e == nil && unit.Bytes(n).IsPowerOfTwo() {
			return nil, stage.Usage("--line: %q has no unit; write \"%sB\"", text, text)
		}
		if err != nil {
			return nil, stage.Usage("--line: %w", err)
		}
		if !b.IsPowerOfTwo() {
			return nil, stage.Usage("--line: %v is not a power of two", b)
		}
		lines = append(lines, b)
	}
	if len(lines) == 0 {
		return nil, stage.Usage("--line: no line size")
	}
	return lines, nil
}
