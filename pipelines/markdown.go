package main

import (
	"fmt"
	"math"
	"strings"
)

// markdown is a page in the making.
type markdown struct{ strings.Builder }

func (m *markdown) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// heads begins a table.
func (m *markdown) heads(cells ...string) {
	m.row(cells...)
	m.printf("|%s\n", strings.Repeat("---|", len(cells)))
}

func (m *markdown) row(cells ...string) {
	line := "| " + strings.Join(cells, " | ") + " |\n"
	m.WriteString(strings.ReplaceAll(line, "|  |", "| |"))
}

// each adds a row of a label and a cell for each name.
func (m *markdown) each(label string, names []string, cell func(name string) string) {
	cells := []string{label}
	for _, name := range names {
		cells = append(cells, cell(name))
	}
	m.row(cells...)
}

// errorsOf sums up errors in %.
type errorsOf struct {
	rows, near int // near: within 5 %
	sum, worst float64
}

// add reports whether the error is the worst.
func (e *errorsOf) add(percent float64) bool {
	percent = math.Abs(percent)
	e.rows++
	e.sum += percent
	if percent <= 5 {
		e.near++
	}
	worst := percent > e.worst
	e.worst = max(e.worst, percent)
	return worst
}

func (e *errorsOf) mean() float64 { return e.sum / float64(e.rows) }

// groups are errors by name, in the order in which names come.
type groups struct {
	names []string
	of    map[string]*errorsOf
}

func (g *groups) get(name string) *errorsOf {
	if g.of == nil {
		g.of = map[string]*errorsOf{}
	}
	if g.of[name] == nil {
		g.of[name] = &errorsOf{}
		g.names = append(g.names, name)
	}
	return g.of[name]
}
