package main

import (
	"spoor/predict/internal/placement"
	"spoor/predict/internal/replay"
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
