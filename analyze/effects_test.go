package main

import (
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Every analysis declares what it does with every operation and kind of event.
func TestEveryAnalysisDeclaresEffects(t *testing.T) {
	for _, k := range allKinds() {
		a := builtFor(t, k, trace.Header{Procs: 2})
		if err := a.Effects().Check(); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}

// builtFor returns one analysis with the default flags.
func builtFor(t *testing.T, k *kind, h trace.Header) analysis.Analysis {
	t.Helper()
	s := newSettings()
	s.run = []string{k.name}
	built, err := s.build(&request{header: h, interleaved: true, lines: []unit.Bytes{64}})
	if err != nil {
		t.Fatal(err)
	}
	return built[0]
}
