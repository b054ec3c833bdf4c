package main

import (
	"path/filepath"
	"slices"

	"spoor/calibrate/machine"
	"spoor/traces/stage"
)

// noMachine returns the error of a command that needs --machine. It looks for a machine among the command's arguments.
func noMachine(args []string) error {
	for _, a := range args {
		if slices.Contains(machine.Names(), a) {
			return stage.Usage("no machine; write --machine %s", a)
		}
	}
	return stage.Usage("no machine; give --machine NAME or FILE: %s", machine.Advice)
}

// splitReplayArgs separates machines from traces.
func splitReplayArgs(env *stage.Env, args, machines []string) (prefixes, all []string) {
	all = append(all, machines...)
	for _, a := range args {
		if filepath.Ext(a) == ".toml" {
			all = append(all, env.Input(a))
		} else {
			prefixes = append(prefixes, a)
		}
	}
	return prefixes, all
}

// readMachine reads the machine of a file. The given nodes replace its last ones.
func readMachine(file string, nodes []string) (*machine.Machine, error) {
	m, err := machine.Read(file)
	if err != nil {
		return nil, err
	}
	var others []*machine.Machine
	for _, f := range nodes {
		o, err := machine.Read(f)
		if err != nil {
			return nil, err
		}
		others = append(others, o)
	}
	return m.WithNodes(others...)
}

// readPart is readMachine for a file that may lack sections. The caller calls Machine.Need. Nodes of other kinds need all.
func readPart(file string, nodes []string) (*machine.Machine, error) {
	if len(nodes) > 0 {
		return readMachine(file, nodes)
	}
	return machine.ReadPart(file)
}
