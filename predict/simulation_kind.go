package main

import (
	"spoor/calibrate/machine"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/replay"
)

// simulationKind is what a simulation runs: the references of a trace, its messages, or both.
type simulationKind uint8

const (
	byMemory simulationKind = 1 + iota
	byMessages
	byBoth
)

// String describes such programs.
func (k simulationKind) String() string {
	return [...]string{"", "shares memory", "passes messages", "shares memory and passes messages"}[k]
}

// refsMode is the value of --references: not given, on or off.
type refsMode uint8

const (
	refsAuto refsMode = 1 + iota
	refsOn
	refsOff
)

// refsModeOf returns the mode of the flag.
func refsModeOf(references, changed bool) refsMode {
	switch {
	case !changed:
		return refsAuto
	case references:
		return refsOn
	}
	return refsOff
}

// needMessages returns an error that lists all sections that m lacks for messages and, if they take time, instructions.
func needMessages(m *machine.Machine, what string, instructions bool) error {
	if !instructions {
		return nil // replay asks for [network]
	}
	if err := m.Need(what, machine.ProcessorSection); err != nil {
		return m.Need(what, machine.ProcessorSection, machine.NetworkSection)
	}
	return nil
}

// needReferences returns an error that lists all sections that m lacks for references, and for messages if kind has them.
func needReferences(m *machine.Machine, what string, kind simulationKind) error {
	if err := m.NeedReferences(what); err == nil || kind != byBoth {
		return err
	}
	return m.NeedReferences(what, machine.NetworkSection)
}

// useOf returns the use of a machine by a simulation.
func useOf(m *machine.Machine, kind simulationKind, procs int, flops, recorded bool, semantics replay.Semantics) keyuse.Use {
	return keyuse.Use{References: kind != byMessages, Messages: kind != byMemory, Flops: flops, Recorded: recorded && kind == byMessages,
		Shares: kind != byMemory && m.Network != nil && semantics != replay.LogGOPSim && replay.RanksShareNodes(m, procs)}
}
