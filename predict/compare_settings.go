package main

import (
	"slices"

	"spoor/predict/internal/report/paired"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// settingNames are the metadata of simulation tables that tell how programs were simulated.
var settingNames = []string{"barrier", "warm", "semantics", "collectives", "computation", "references", "map", "ranks_per_node", "node_order"}

// noteSettings notes settings that differ between tables of simulations.
func noteSettings(env *stage.Env, files []string) error {
	values := map[string][]string{}
	for _, f := range files {
		t, err := store.ReadTable(f)
		if err != nil {
			return err
		}
		if t.Name != paired.SimulationTable {
			continue
		}
		for _, name := range settingNames {
			value := t.Fact(name)
			if value == "" {
				value = "not given"
			}
			if !slices.Contains(values[name], value) {
				values[name] = append(values[name], value)
			}
		}
	}
	for _, name := range settingNames {
		if all := values[name]; len(all) > 1 {
			env.Note("the simulations have different settings: %s is %s", name, list(all))
		}
	}
	return nil
}
