package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"spoor/calibrate/machine"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
)

// Machine is a machine of the study with its description, whose comments say
// where its numbers come from.
type Machine struct {
	*machine.Machine
	Path string
	Text []string // the lines of the description
}

// AddMachine adds a machine. Its argument is the path or the name of a description, as machine.FindFile finds it. The
// description may lack sections, such as one of the five numbers of LogGP.
func (s *Study) AddMachine(name string) error {
	path, err := machine.FindFile(name)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	m, err := machine.ParsePart(path, text)
	if err != nil {
		return err
	}
	added := Machine{Machine: m, Path: columns.Clean(filepath.ToSlash(path))}
	for line := range strings.Lines(string(text)) {
		added.Text = append(added.Text, columns.Clean(line))
	}
	s.Machines = append(s.Machines, added)
	return nil
}

// machineRow is a machine as the table of machines shows it.
type machineRow struct {
	Name, System, Processor string
	Caches                  []string
	Memory, Bus             string
}

func machineRows(machines []Machine) []machineRow {
	rows := make([]machineRow, len(machines))
	for i, m := range machines {
		rows[i] = machineRow{
			Name:      columns.Clean(m.Name),
			System:    m.given(machine.SystemSection, fmt.Sprintf("%s, %s", m.System.Target, systemSize(m.Machine))),
			Processor: m.given(machine.ProcessorSection, fmt.Sprintf("%s, CPI %s", spaced(m.Processor.Clock), numeral.Digits(float64(m.Processor.CPI), 3))),
			Memory:    m.given(machine.MemorySection, fmt.Sprintf("%s, %s", numeral.Bytes(float64(m.Memory.Size)), spaced(m.Memory.Latency))),
			Bus:       m.given(machine.MemorySection, "held for "+spaced(m.Memory.Occupancy)),
		}
		cache := func(c machine.Cache) string {
			return fmt.Sprintf("%s, %s of %s, %s", numeral.Bytes(float64(c.Size)), numeral.Plural(c.Ways, "way"), numeral.Bytes(float64(c.Line)), spaced(c.Latency))
		}
		for _, c := range m.Caches {
			rows[i].Caches = append(rows[i].Caches, cache(c))
		}
		if m.Shared != nil {
			rows[i].Caches = append(rows[i].Caches, "shared: "+cache(*m.Shared))
		}
	}
	return rows
}

// given returns a text about a section, or that the description lacks it.
func (m *Machine) given(s machine.Section, text string) string {
	if slices.Contains(m.Missing, s) {
		return "not given"
	}
	return text
}

// systemSize says how many processors a machine has, and in how many nodes.
func systemSize(m *machine.Machine) string {
	switch {
	case m.System.Nodes == 1:
		return numeral.Plural(m.System.Processors, "processor")
	case len(m.OtherNodes) > 0:
		return fmt.Sprintf("%s in %s", numeral.Plural(m.Count(), "processor"), numeral.Plural(m.System.Nodes, "node"))
	}
	return fmt.Sprintf("%s of %s", numeral.Plural(m.System.Nodes, "node"), numeral.Plural(m.System.Processors, "processor"))
}

// spaced prints a quantity with a space before its unit, and one cycle as one.
func spaced(q fmt.Stringer) string { return spacedText(q.String()) }

func spacedText(s string) string {
	i := strings.IndexFunc(s, unicode.IsLetter)
	if i <= 0 {
		return s
	}
	value, unit := strings.TrimSpace(s[:i]), s[i:]
	if value == "1" && unit == "cycles" {
		unit = "cycle"
	}
	return value + " " + unit
}
