// Package assembly has the costs of routines of the standard library that are written in assembly. Their instructions
// cannot be counted line by line. So the costs were measured for several lengths of their operands; a cost between two
// lengths is interpolated.
package assembly

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed costs.txt
var text string

// A Routine is a function in assembly.
type Routine struct {
	Name   string     // import path and name
	Length string     // the parameter whose length the cost depends on, or ""
	Until  string     // where the routine stops: "result" is behind the index that it returns, "common" behind the common prefix of a and b
	Loads  []string   // parameters whose elements it reads, up to there
	Stores []string   // parameters whose elements it writes
	Points [][2]int64 // length in elements, and instructions; by length
}

// Find returns the routine of a package, or nil.
func Find(path, name string) *Routine { return routines()[path+"."+name] }

var routines = sync.OnceValue(func() map[string]*Routine {
	all := map[string]*Routine{}
	for line := range strings.Lines(text) {
		if r := parse(line); r != nil {
			all[r.Name] = r
		}
	}
	return all
})

// parse reads a line of the table: name, length, until, loads, stores and points. It returns nil for a comment.
func parse(line string) *Routine {
	f := strings.Fields(line)
	if len(f) < 6 || strings.HasPrefix(line, "#") {
		return nil
	}
	r := &Routine{Name: f[0], Length: value(f[1]), Until: value(f[2]), Loads: list(f[3]), Stores: list(f[4])}
	for _, p := range f[5:] {
		var at [2]int64
		if _, err := fmt.Sscanf(p, "%d:%d", &at[0], &at[1]); err != nil {
			panic(fmt.Sprintf("costs.txt: %s: %q is not LENGTH:INSTRUCTIONS", r.Name, p))
		}
		r.Points = append(r.Points, at)
	}
	return r
}

func value(s string) string { return strings.TrimPrefix(s, "-") }

func list(s string) []string {
	if s == "-" {
		return nil
	}
	return strings.Split(s, ",")
}
