package main

import "spoor/traces/unit"

// replayOptions are the flags of predict replay.
type replayOptions struct {
	machines []string
	nodes    []string
	workers  int
	full     bool
	simulationFlags
	quanta quantaFlags
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
