package main

import (
	"cmp"
	"fmt"
	"slices"

	"spoor/calibrate/machine"
	"spoor/predict/internal/placement"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
)

// allMaps is the value of --map that compares placements.
const allMaps = "all"

// checkPlaces reads the flags about places of ranks.
func (f *simulationFlags) checkPlaces() error {
	if f.place.Map != allMaps {
		err := f.place.Check()
		f.places = []placement.Placement{f.place}
		return err
	}
	if f.asked() || f.timeline != "" {
		return stage.Usage("--map all compares times; omit --phases, --matrix, --path and --timeline")
	}
	for _, name := range []string{placement.Block, placement.Cyclic} {
		one := f.place
		one.Map = name
		if err := one.Check(); err != nil {
			return err
		}
		f.places = append(f.places, one)
	}
	return nil
}

// placed returns m with so many processors placed on its nodes, if the user chose a placement. what is the simulation.
func (f *simulationFlags) placed(env *stage.Env, place placement.Placement, m *machine.Machine, ranks int, what string) (*machine.Machine, error) {
	switch {
	case !place.Given():
		return m, nil
	case slices.Contains(m.Missing, machine.SystemSection):
		return nil, fmt.Errorf("%s: --map, --ranks-per-node and --node-order need the nodes of [system], which the machine does not have", what)
	case f.opt.Semantics == replay.LogGOPSim:
		return nil, stage.Usage("%s: --map, --ranks-per-node and --node-order have no effect with --semantics loggopsim, where each rank has a port of its own", what)
	}
	placed, err := place.On(m, ranks)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if f.onePerNode(place, m) {
		env.Note("%s: --map has no effect: each node has one rank", what)
	}
	if !slices.ContainsFunc(placed.Placed, func(node int) bool { return node != placed.Placed[0] }) {
		env.Note("%s: all ranks are on one node; --ranks-per-node spreads them", what)
	}
	return placed, nil
}

// onePerNode reports whether block and cyclic are the same, because a node has room for one rank.
func (f *simulationFlags) onePerNode(place placement.Placement, m *machine.Machine) bool {
	return (place.Map == placement.Block || place.Map == placement.Cyclic) && cmp.Or(place.PerNode, m.System.Processors) == 1
}
