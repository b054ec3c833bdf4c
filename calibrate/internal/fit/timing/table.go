package timing

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/store"
	"spoor/traces/trace"
)

var csvTable = format{name: "CSV", what: "Spoor's own table as text",
	sniff: func(head []byte) bool {
		for line := range strings.Lines(string(head)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				names, _ := splitUnits(strings.Split(line, ","))
				return slices.ContainsFunc(names, func(name string) bool {
					return slices.ContainsFunc(fields, func(f field) bool { return f.name == name })
				})
			}
		}
		return false
	},
	read: readCSV}

// bracketed is a name with its unit.
var bracketed = regexp.MustCompile(`^(.*?)\s*\[(.*)\]$`)

func splitUnits(cells []string) (names, units []string) {
	for _, c := range cells {
		name, unit := strings.TrimSpace(c), ""
		if m := bracketed.FindStringSubmatch(name); m != nil {
			name, unit = m[1], m[2]
		}
		names, units = append(names, name), append(units, unit)
	}
	return names, units
}

func readCSV(f *file) error {
	f.facts = csvFacts(string(f.text))
	r := csv.NewReader(bytes.NewReader(f.text))
	r.Comment, r.TrimLeadingSpace, r.ReuseRecord, r.FieldsPerRecord = '#', true, true, -1
	var s *sheet
	var of []*field
	var scale []float64
	for {
		cells, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			var syntax *csv.ParseError
			if errors.As(err, &syntax) {
				return f.errorf(syntax.Line, "%v", syntax.Err)
			}
			return err
		}
		line, _ := r.FieldPos(0)
		if s == nil {
			s = &sheet{file: f, line: line}
			s.names, s.units = splitUnits(cells)
			if of, scale, err = s.columns(); err != nil {
				return err
			}
			continue
		}
		if len(cells) != len(of) {
			return f.errorf(line, "%d values for %d columns", len(cells), len(of))
		}
		if err := s.row(of, scale, cells, line); err != nil {
			return err
		}
	}
}

// csvFacts reads the lines "# key = value" before the names.
func csvFacts(text string) (facts []trace.Arg) {
	for line := range strings.Lines(text) {
		comment, is := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !is && comment != "" {
			return facts
		}
		if key, value, found := strings.Cut(comment, "="); found {
			facts = append(facts, trace.Arg{Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)})
		}
	}
	return facts
}

var arrowTable = format{name: "Arrow", what: "Spoor's own table, as calibrate writes it",
	sniff: func(head []byte) bool { return bytes.HasPrefix(head, []byte("ARROW1")) },
	read: func(f *file) error {
		t, err := store.ReadTable(f.path)
		if err != nil {
			return err
		}
		f.facts, f.rows = t.Meta, true
		s := &sheet{file: f}
		for _, c := range t.Columns {
			s.names, s.units = append(s.names, c.Name), append(s.units, c.Unit)
		}
		of, scale, err := s.columns()
		if err != nil {
			return err
		}
		cells := make([]string, len(of))
		for row := range t.Rows() {
			for i, c := range t.Columns {
				cells[i] = text(c.Data, row)
			}
			if err := s.row(of, scale, cells, row+1); err != nil {
				return err
			}
		}
		return nil
	}}

// text formats a value so that it reads back exactly.
func text(data any, row int) string {
	switch d := data.(type) {
	case []int32:
		return strconv.FormatInt(int64(d[row]), 10)
	case []int64:
		return strconv.FormatInt(d[row], 10)
	case []uint64:
		return strconv.FormatUint(d[row], 10)
	case []float64:
		return strconv.FormatFloat(d[row], 'g', -1, 64)
	default:
		return data.([]string)[row]
	}
}
