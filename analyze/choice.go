package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"spoor/traces/stage"
	"spoor/traces/store"
)

// everything stands for all analyses in --run.
const everything = "all"

// expand puts the names of all analyses in the place of everything.
func (s *settings) expand() {
	if s.all = slices.Contains(s.run, everything); !s.all {
		return
	}
	s.run = slices.DeleteFunc(s.run, func(name string) bool { return name == everything })
	for _, k := range s.kinds {
		s.run = append(s.run, k.name)
	}
}

// suit replaces the analyses that nobody named where a trace has nothing but messages.
func (o *options) suit(env *stage.Env, src *store.Trace) {
	if o.runAsked && !o.all || !messagesOnly(src) {
		return
	}
	meant := strings.Join(o.run, ",")
	if o.all {
		meant = everything
	}
	env.Note("the trace has no references, so --run is %s,%s, not %s", marshalName, commName, meant)
	o.run = []string{marshalName, commName}
}

// needRefs reports whether analyses are chosen that look at references.
func (o *options) needRefs() bool {
	return slices.ContainsFunc(o.chosen(), func(k *kind) bool { return !slices.Contains([]string{commName, marshalName, quantaName}, k.name) })
}

// noteUnused says that a flag was given of analyses that do not run, or without another one that it needs.
func (s *settings) noteUnused(env *stage.Env, all *pflag.FlagSet, f *pflag.Flag) {
	of := s.owners(f)
	if len(of) > 0 && !slices.ContainsFunc(of, func(name string) bool { return slices.Contains(s.run, name) }) {
		env.Note("--%s does nothing here: it is a flag of %s, see --run", f.Name, strings.Join(of, ", "))
		return
	}
	for _, k := range s.chosen() {
		if other := k.needs[f.Name]; other != "" && !all.Changed(other) {
			env.Note("--%s does nothing here without --%s", f.Name, other)
		}
	}
}

// owners are the analyses that a flag is of, which its usage begins with; none if it is of all.
func (s *settings) owners(f *pflag.Flag) []string {
	before, _, ok := strings.Cut(f.Usage, ": ")
	names := strings.Split(before, ", ")
	for _, name := range names {
		if ok = ok && slices.ContainsFunc(s.kinds, func(k *kind) bool { return k.name == name }); !ok {
			return nil
		}
	}
	return names
}

// check is what can be said of the settings without a trace.
func (s *settings) check(f stage.Format) error {
	names := namesOf(s.kinds)
	for _, name := range s.run {
		if !slices.ContainsFunc(s.kinds, func(k *kind) bool { return k.name == name }) {
			return stage.Usage("--run: no analysis %q; there are %s, and %s, which is all of them", name, names, everything)
		}
	}
	chosen := s.chosen()
	if len(chosen) == 0 {
		return stage.Usage("--run: no analysis; there are %s, and %s, which is all of them", names, everything)
	}
	if f != stage.Human && len(chosen) > 1 {
		return stage.Usage("--format %s prints one analysis; choose it with --run", f)
	}
	_, err := parseLines(s.line)
	return err
}

// chosen is the analyses of --run, in the order of the help.
func (s *settings) chosen() (out []*kind) {
	for _, k := range s.kinds {
		if slices.Contains(s.run, k.name) {
			out = append(out, k)
		}
	}
	return out
}
