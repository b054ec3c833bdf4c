package main

import (
	"spoor/calibrate/machine"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/replay"
)

// programsOf describes programs of a scope.
func programsOf(s replay.Scope) string {
	return [...]string{"", "shares memory", "passes messages", "shares memory and passes messages"}[s]
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

// needReferences returns an error that lists all sections that m lacks for references, and for messages if scope has them.
func needReferences(m *machine.Machine, what string, scope replay.Scope) error {
	if err := m.NeedReferences(what); err == nil || scope != replay.Both {
		return err
	}
	return m.NeedReferences(what, machine.NetworkSection)
}

// useOf returns the use of a machine by a simulation.
func useOf(m *machine.Machine, scope replay.Scope, procs int, flops, recorded bool, semantics replay.Semantics) keyuse.Use {
	near := scope != replay.References && m.Network != nil && replay.RanksShareNodes(m, procs)
	smpi := scope != replay.References && semantics == replay.SMPI
	return keyuse.Use{References: scope != replay.Messages, Messages: scope != replay.References, Flops: flops, Recorded: recorded && scope == replay.Messages,
		Shares: near && semantics == replay.LogGPS, SMPI: smpi, SMPIWithin: near && smpi}
}
