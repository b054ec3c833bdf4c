package main

import (
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/registry"
	"spoor/analyze/study"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Every analysis declares what it does with every operation and kind of event.
func TestEveryAnalysisDeclaresEffects(t *testing.T) {
	for _, k := range registry.All() {
		a := builtFor(t, k, trace.Header{Procs: 2})
		if err := a.Effects().Check(); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}

// builtFor returns one analysis with the default flags.
func builtFor(t *testing.T, k *kind.Kind, h trace.Header) analysis.Analysis {
	t.Helper()
	s := study.NewSettings()
	s.Run = []string{k.Name}
	built, err := s.Build(&kind.Request{Header: h, Interleaved: true, Lines: []unit.Bytes{64}})
	if err != nil {
		t.Fatal(err)
	}
	return built[0]
}
