package main

import (
	"fmt"
	"strconv"
	"strings"

	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/traces/store"
)

// shown is what files say, a row for each quantity.
type shown struct{ files, names, values, means []string }

func (s *shown) add(file, name, value, means string) {
	s.files = append(s.files, file)
	s.names = append(s.names, name)
	s.values = append(s.values, value)
	s.means = append(s.means, means)
}

// file adds what the file at path says. Parameter files are named *.params.toml;
// everything else is a machine.
func (s *shown) file(path string) error {
	if strings.HasSuffix(path, ".params.toml") {
		set, err := param.Read(path)
		if err != nil {
			return err
		}
		for _, p := range set.All() {
			s.param(path, p)
		}
		return nil
	}
	m, err := machine.Read(path)
	if err != nil {
		return err
	}
	s.machine(path, m)
	return nil
}

func (s *shown) param(path string, p param.Param) {
	means := p.Method
	if p.HasInterval() && p.Lo < p.Hi {
		means = fmt.Sprintf("95 %% from %.4g to %.4g; %s", p.Lo, p.Hi, means)
	}
	s.add(path, p.Name, strings.TrimSuffix(fmt.Sprintf("%.6g %s", p.Value, p.Unit), " 1"), means)
}

func (s *shown) machine(path string, m *machine.Machine) {
	latency := func(name string, l machine.Latency, what string) {
		s.add(path, name, l.String(), fmt.Sprintf("%v, %v: %s", m.At(l), l.Cycles(m.Processor.Clock), what))
	}
	s.add(path, "name", m.Name, "")
	s.add(path, "processor.clock", m.Processor.Clock.String(), "")
	s.add(path, "processor.cpi", fmt.Sprintf("%g", float64(m.Processor.CPI)), fmt.Sprintf("%v an instruction whose references are free", m.Processor.CPI.At(m.Processor.Clock)))
	if n := m.Processor.Outstanding; n > 0 {
		s.add(path, "processor.outstanding", strconv.Itoa(n), fmt.Sprintf("misses under way while instructions go on for %v", m.Processor.Window.At(m.Processor.Clock)))
	}
	cache := func(at string, c machine.Cache) {
		s.add(path, at+".size", c.Size.String(), fmt.Sprintf("%d lines of %v, %d sets of %d ways", c.Lines(), c.Line, c.Sets(), c.Ways))
		latency(at+".latency", c.Latency, "a hit adds to cpi")
	}
	for i, c := range m.Caches {
		cache(fmt.Sprintf("cache[%d]", i), c)
	}
	if m.Shared != nil {
		cache("shared_cache", *m.Shared)
	}
	s.add(path, "memory.size", m.Memory.Size.String(), "")
	latency("memory.latency", m.Memory.Latency, "a miss adds on an idle bus")
	latency("memory.occupancy", m.Memory.Occupancy, "a transfer holds the bus")
	latency("memory.invalidate", m.Memory.Invalidate, "an upgrade takes and holds the bus")
	if m.Disk != nil {
		latency("disk.latency", m.Disk.Latency, "a miss in memory adds")
	}
	if m.Network != nil {
		s.add(path, "network.model", string(m.Network.Model), "")
	}
	s.add(path, "system.target", string(m.System.Target), "")
	s.add(path, "system.processors", strconv.Itoa(m.System.Processors), fmt.Sprintf("of each of %d nodes", m.System.Nodes))
	for _, a := range m.Assumed {
		s.add(path, "assumed", "", a)
	}
}

func (s *shown) table() *store.Table {
	return &store.Table{Name: "description", Columns: []store.Column{
		{Name: "file", Data: s.files}, {Name: "name", Data: s.names},
		{Name: "value", Data: s.values}, {Name: "means", Data: s.means},
	}}
}
