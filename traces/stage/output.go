package stage

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"spoor/traces/store"
)

// Format is an output format of results.
type Format string

// Output formats.
const (
	Human Format = "table"
	CSV   Format = "csv"
	JSON  Format = "json"
)

var formats = []Format{Human, CSV, JSON}

// Set parses the value of a --format flag.
func (f *Format) Set(s string) error {
	if !slices.Contains(formats, Format(s)) {
		return fmt.Errorf("formats are table, csv and json")
	}
	*f = Format(s)
	return nil
}

// String returns the name of the format.
func (f *Format) String() string { return string(*f) }

// Type returns the placeholder of the flag's value in the help.
func (f *Format) Type() string { return "table|csv|json" }

// FormatFlag adds --format. The default is a table for people.
func FormatFlag(flags *pflag.FlagSet) *Format {
	f := Human
	flags.Var(&f, "format", "how to print the result")
	return &f
}

// Print writes t to w. CSV has exact values below plain column names. JSON is an array of objects in
// column order. The table for people rounds to four significant digits. NaN means that there is no value: an empty cell
// in CSV, null in JSON, and - in the table for people.
func Print(w io.Writer, f Format, t *store.Table) error {
	switch f {
	case CSV:
		return printCSV(w, t)
	case JSON:
		return printJSON(w, t)
	default:
		return printTable(w, t)
	}
}

// printCSV writes exact texts, except to a terminal. A spreadsheet takes some texts for formulas: a note says so.
func printCSV(w io.Writer, t *store.Table) error {
	if o, ok := w.(*output); ok {
		if n, first := formulas(t); n > 0 {
			o.env.Note("%s of the CSV begin with =, +, - or @, such as %s; spreadsheets run them unless imported as text", Count(n, "text"), first)
		}
		if !o.onTerminal() {
			w = rawOutput{o}
		}
	}
	out := csv.NewWriter(w)
	row := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		row[i] = c.Name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for r := range t.Rows() {
		for i, c := range t.Columns {
			row[i] = cell(c, r, -1)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// formulas counts the texts of t that a spreadsheet would run, and returns the first. Numbers are none, nor is a lone sign.
func formulas(t *store.Table) (n int, first string) {
	for _, c := range t.Columns {
		texts, _ := c.Data.([]string)
		for _, s := range texts {
			if len(s) < 2 || !strings.ContainsRune("=+-@\t\r", rune(s[0])) {
				continue
			}
			if _, err := strconv.ParseFloat(s, 64); err == nil {
				continue
			}
			if n++; n == 1 {
				first = s
			}
		}
	}
	return n, first
}

func printJSON(w io.Writer, t *store.Table) error {
	var b strings.Builder
	b.WriteString("[")
	for r := range t.Rows() {
		if r > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  {")
		for i, c := range t.Columns {
			if i > 0 {
				b.WriteString(", ")
			}
			value, err := jsonValue(c, r)
			if err != nil {
				return fmt.Errorf("column %s: %w", c.Name, err)
			}
			name, err := json.Marshal(c.Name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s: %s", name, value)
		}
		b.WriteString("}")
	}
	b.WriteString("\n]\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// jsonValue returns one value in JSON. NaN and infinities are null.
func jsonValue(c store.Column, row int) ([]byte, error) {
	switch d := c.Data.(type) {
	case []string:
		return json.Marshal(d[row])
	case []float64:
		if math.IsNaN(d[row]) || math.IsInf(d[row], 0) {
			return []byte("null"), nil
		}
	}
	return []byte(cell(c, row, -1)), nil
}

func printTable(w io.Writer, t *store.Table) error {
	out := bufio.NewWriter(w)
	text := func(c store.Column, row int) string {
		if row < 0 {
			return head(c)
		}
		return escape(cell(c, row, 4))
	}
	widths := make([]int, len(t.Columns)) // the last column has none
	for i, c := range t.Columns[:max(0, len(t.Columns)-1)] {
		for r := -1; r < t.Rows(); r++ {
			widths[i] = max(widths[i], utf8.RuneCountInString(text(c, r))+2)
		}
	}
	for r := -1; r < t.Rows(); r++ {
		for i, c := range t.Columns {
			s := text(c, r)
			out.WriteString(s)
			for n := utf8.RuneCountInString(s); n < widths[i]; n++ {
				out.WriteByte(' ')
			}
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

// head is the head of a column: its name and unit.
func head(c store.Column) string {
	if c.Unit == "" {
		return escape(c.Name)
	}
	return escape(c.Name) + " [" + c.Unit + "]"
}

// cell formats one value. digits is the number of significant digits of a float; -1 means all.
func cell(c store.Column, row, digits int) string {
	switch d := c.Data.(type) {
	case []int32:
		return strconv.FormatInt(int64(d[row]), 10)
	case []int64:
		return strconv.FormatInt(d[row], 10)
	case []uint64:
		return strconv.FormatUint(d[row], 10)
	case []float64:
		switch {
		case !math.IsNaN(d[row]):
		case digits < 0:
			return "" // no value
		default:
			return "-"
		}
		return strconv.FormatFloat(d[row], 'g', digits, 64)
	default:
		return c.Data.([]string)[row]
	}
}
