package main

import (
	"spoor/predict/internal/placement"
	"spoor/predict/internal/replay"
	"spoor/traces/unit"
)

// simulationFlags are the flags of simulations: those of predict direct, and more of predict replay.
type simulationFlags struct {
	references                                   bool
	barrier, semantics, collectives, computation string
	engine                                       engineFlags
	observerFlags
	place   placement.Placement
	places  []placement.Placement // to compare; one unless --map is all
	opt     replay.Options
	changed func(flag string) bool
}

// replayOptions are the flags of predict replay.
type replayOptions struct {
	machines []string
	nodes    []string
	workers  int
	full     bool
	ideal    bool
	simulationFlags
	sensitivity bool
	quanta      quantaFlags
	togetherFlags
	output tableOutput
}

// quantaFlags are the flags about quanta of simulated time.
type quantaFlags struct {
	dir    string
	cycles float64
}

// togetherFlags are the flags of jobs that run at the same time.
type togetherFlags struct {
	together bool
	start    []string
	starts   []unit.Picos // of each job, after check
}

// directOptions are the flags of predict direct.
type directOptions struct {
	machines []string
	nodes    []string
	procs    int
	set      []string
	seed     uint64
	ahead    int
	workers  int
	native   bool
	repeat   int
	simulationFlags
	output tableOutput
}
