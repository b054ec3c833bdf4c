package study

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/lookup"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// everything is the name for all analyses in --run.
const everything = "all"

// Expand replaces the name everything with the names of all analyses.
func (s *Settings) Expand() {
	if s.all = slices.Contains(s.Run, everything); !s.all {
		return
	}
	s.Run = slices.DeleteFunc(s.Run, func(name string) bool { return name == everything })
	for _, k := range s.Kinds {
		s.Run = append(s.Run, k.Name)
	}
}

// adapt chooses the analyses of messages if the trace has no references and --run names no analysis.
func (o *Options) adapt(env *stage.Env, src *store.Trace) {
	if o.RunAsked && !o.all || !messagesOnly(src) {
		return
	}
	meant, instead := strings.Join(o.Run, ","), o.ofMessages()
	if o.all {
		meant = everything
	}
	env.Note("the trace has no references; running %s instead of %s", strings.Join(instead, ","), meant)
	o.Run = instead
}

// ofMessages names the analyses that need no references.
func (s *Settings) ofMessages() (names []string) {
	for _, k := range s.Kinds {
		if k.Subject == kind.Messages && !k.OnRequest {
			names = append(names, k.Name)
		}
	}
	return names
}

// needRefs reports whether a chosen analysis needs references.
func (o *Options) needRefs() bool {
	return slices.ContainsFunc(o.chosen(), func(k *kind.Kind) bool { return k.Subject == kind.References })
}

// NoteUnused prints a note if a flag has no effect: its analyses do not run, or another flag that it needs is missing.
func (s *Settings) NoteUnused(env *stage.Env, all *pflag.FlagSet, f *pflag.Flag) {
	of := s.owners(f)
	if len(of) > 0 && !slices.ContainsFunc(of, func(name string) bool { return slices.Contains(s.Run, name) }) {
		env.Note("--%s has no effect: it is a flag of %s, which --run does not name", f.Name, strings.Join(of, ", "))
		return
	}
	missing := ""
	for _, k := range s.chosen() {
		if !slices.Contains(s.FlagNames(k), f.Name) {
			continue
		}
		other := k.Needs[f.Name]
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
func (s *Settings) owners(f *pflag.Flag) (names []string) {
	for _, k := range s.Kinds {
		if slices.Contains(s.FlagNames(k), f.Name) {
			names = append(names, k.Name)
		}
	}
	return names
}

// check validates the settings as far as possible without a trace.
func (s *Settings) check(f stage.Format) error {
	for _, name := range s.Run {
		if !slices.ContainsFunc(s.Kinds, func(k *kind.Kind) bool { return k.Name == name }) {
			return stage.Usage("--run: %w", lookup.Unknown("analysis", name, s.Names()))
		}
	}
	chosen := s.chosen()
	if len(chosen) == 0 {
		return stage.Usage("--run: no analysis; known: %s", strings.Join(s.Names(), ", "))
	}
	if f != stage.Human && len(chosen) > 1 {
		return stage.Usage("--format %s prints one analysis; choose one with --run", f)
	}
	if _, err := parseRefs(s.refs); err != nil {
		return err
	}
	_, err := ParseLines(s.line)
	return err
}

// refSets has the references of each value of --refs. The empty value is the default of each analysis.
var refSets = map[string]trace.OpSet{"": 0, "data": trace.DataOps, "ifetch": trace.FetchOps, "all": trace.DataOps | trace.FetchOps}

// parseRefs returns the references of a value of --refs.
func parseRefs(text string) (trace.OpSet, error) {
	if refs, known := refSets[text]; known {
		return refs, nil
	}
	return 0, stage.Usage("--refs: %w", lookup.Unknown("value", text, RefNames()))
}

// RefNames lists the values of --refs.
func RefNames() []string { return []string{"data", "ifetch", "all"} }

// Names returns the values of --run.
func (s *Settings) Names() (names []string) {
	for _, k := range s.Kinds {
		names = append(names, k.Name)
	}
	return append(names, everything)
}

// chosen returns the analyses of --run, in the order of the help.
func (s *Settings) chosen() (out []*kind.Kind) {
	for _, k := range s.Kinds {
		if slices.Contains(s.Run, k.Name) {
			out = append(out, k)
		}
	}
	return out
}

// Build creates the analyses and completes the request.
func (s *Settings) Build(r *kind.Request) (analyses []analysis.Analysis, err error) {
	given, err := ParseLines(s.line)
	if err != nil {
		return nil, err
	}
	r.Run, r.Flags, r.Tool = s.Run, s.Flags, Tool
	r.Lines, r.First = kind.Sorted(given), given[0]
	if r.Refs, err = parseRefs(s.refs); err != nil {
		return nil, err
	}
	r.Meta, r.Source = facts(r), r.Name+" sha256:"+r.Digest+r.Header.SourceFacts()
	if s.refs != "" {
		r.Meta, r.Source = append(r.Meta, trace.Arg{Key: "refs", Value: s.refs}), r.Source+", refs "+s.refs
	}
	for _, k := range s.chosen() {
		a, err := k.Build(r)
		if err != nil {
			return nil, stage.Usage("%w", err)
		}
		analyses = append(analyses, a)
	}
	return analyses, nil
}

// ParseLines parses line sizes, in the given order. There must be at least one.
func ParseLines(texts []string) ([]unit.Bytes, error) {
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
