package main

// directOptions are the flags of predict direct.
type directOptions struct {
	machines []string
	nodes    []string
	procs    int
	set      []string
	seed     uint64
	ahead    int
	native   bool
	repeat   int
	simulationFlags
	output tableOutput
}
