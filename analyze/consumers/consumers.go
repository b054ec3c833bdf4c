// Package consumers lists the analyses with what each does with every row of a trace, for
// pages and tests.
package consumers

import (
	"spoor/analyze/analysis"
	"spoor/analyze/cache"
	"spoor/analyze/comm"
	"spoor/analyze/footprint"
	"spoor/analyze/internal/coherent"
	"spoor/analyze/internal/filter"
	"spoor/analyze/internal/reusetime"
	"spoor/analyze/internal/sharing"
	"spoor/analyze/locality"
	"spoor/analyze/marshal"
	"spoor/analyze/phases"
	"spoor/analyze/quanta"
	"spoor/analyze/reuse"
)

// A Consumer is an analysis, a simulator or a model, with what it does with every row of a trace.
type Consumer struct {
	Name, By string
	Effects  analysis.Effects
}

// Analyses lists all analyses, with their default flags.
func Analyses() []Consumer {
	caches, err := cache.Parse(cache.Usual)
	if err != nil {
		panic(err) // a constant
	}
	return []Consumer{
		{"reuse", "analyze", (&reuse.Analysis{}).Effects()},
		{"reuse, sampled", "analyze", (&reuse.Analysis{Sampling: reuse.Sampling{Rate: 0.1}}).Effects()},
		{"locality", "analyze", (&locality.Analysis{Reuse: &reuse.Analysis{}}).Effects()},
		{"reuse_time", "analyze", (&reusetime.Analysis{}).Effects()},
		{"phases", "analyze", (&phases.Analysis{}).Effects()},
		{"marshal", "analyze", (&marshal.Analysis{}).Effects()},
		{"comm", "analyze", (&comm.Analysis{}).Effects()},
		{"footprint", "analyze", (&footprint.Analysis{}).Effects()},
		{"quanta", "analyze", (&quanta.Analysis{}).Effects()},
		{"cache", "analyze", (&cache.Analysis{Specs: []cache.Spec{caches}}).Effects()},
		{"sharing", "analyze", (&sharing.Analysis{}).Effects()},
		{"coherent", "analyze", (&coherent.Analysis{}).Effects()},
		{"filter", "analyze filter", filter.Effects()},
	}
}
