package main

// replayOptions are the flags of predict replay.
type replayOptions struct {
	machines []string
	nodes    []string
	workers  int
	full     bool
	simulationFlags
	quanta quantaFlags
	output tableOutput
}

// quantaFlags are the flags about quanta of simulated time.
type quantaFlags struct {
	dir    string
	cycles float64
}
