package timing

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// sheet is a table as text.
type sheet struct {
	file  *file
	names []string // of columns
	units []string
	line  int // of the names
}

// columns returns the field of each column, and the factor of its unit.
func (s *sheet) columns() (of []*field, scale []float64, err error) {
	seen := map[string]bool{}
	for i, name := range s.names {
		k := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if k < 0 {
			return nil, nil, s.file.errorf(s.line, "unknown column %q; columns are %s", name, fieldNames())
		}
		if seen[name] {
			return nil, nil, s.file.errorf(s.line, "two columns %s", name)
		}
		seen[name] = true
		factor, err := fields[k].scale(s.units[i])
		if err != nil {
			return nil, nil, s.file.errorf(s.line, "column %s: %v", name, err)
		}
		of, scale = append(of, &fields[k]), append(scale, factor)
	}
	if !seen["time"] {
		return nil, nil, s.file.errorf(s.line, "column time is missing")
	}
	if !seen["bytes"] && !(seen["rows"] && seen["cols"] && seen["item"]) {
		return nil, nil, s.file.errorf(s.line, "column bytes is missing, or rows, cols, item, stride and base")
	}
	for _, name := range []string{"rows", "cols", "item", "stride", "base"} {
		if seen["rows"] && !seen[name] {
			return nil, nil, s.file.errorf(s.line, "column %s is missing: a layout is rows, cols, item, stride and base", name)
		}
	}
	return of, scale, nil
}

func fieldNames() string {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// scale returns the factor of the given unit.
func (f *field) scale(given string) (float64, error) {
	switch {
	case f.base == "" && given == "":
		return 1, nil
	case f.base == "":
		return 0, fmt.Errorf("must have no unit; remove %q", given)
	case given == "":
		return 0, fmt.Errorf("has no unit; write for example %s [%s]", f.name, map[string]string{"s": "us", "B": "B"}[f.base])
	case f.name == "base" && given != "B":
		return 0, errors.New("addresses are in B")
	}
	return unit.Parse("1"+given, f.base)
}

// row reads one row.
func (s *sheet) row(of []*field, scale []float64, cells []string, line int) error {
	t := Timing{Point: packing.Point{Experiment: packing.Transfer}}
	for i, f := range of {
		text := strings.TrimSpace(cells[i])
		if text == "" {
			if f.name == "time" {
				return s.file.errorf(line, "time: is missing")
			}
			continue
		}
		v, err := f.value(text)
		if err == nil {
			err = f.set(&t, text, v*scale[i])
		}
		if err != nil {
			return s.file.errorf(line, "%s: %v", f.name, err)
		}
	}
	return s.file.add(t, line)
}

func (f *field) value(text string) (float64, error) {
	if slices.Contains(textual, f.name) {
		return 0, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if withUnit.MatchString(text) {
		return 0, fmt.Errorf("%q has a unit of its own; give plain numbers in the unit of the column", text)
	}
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a finite number", text)
	}
	return v, nil
}

var withUnit = regexp.MustCompile(`^[-+0-9.eE]*[0-9.]\s*[a-zA-Zµμ%]+(/[a-zA-Z]+)?$`)
