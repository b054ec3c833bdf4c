package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// errDiffers ends a command that has printed what is wrong.
var errDiffers = errors.New("differs")

// row is a row of a table. Lines of heads begin a table anew.
type row struct {
	at    map[string]int
	cells []string
}

// heads matches a line of heads that is not the first one.
var heads = regexp.MustCompile(`^(program|experiment|operation|dataset|quantity)[,\t]`)

// readRows reads tables of tab-separated (.tsv) or comma-separated values.
func readRows(files []string) (rows []row, err error) {
	for _, file := range files {
		text, err := io.ReadAll(os.Stdin)
		if file != "-" {
			text, err = os.ReadFile(file)
		}
		if err != nil {
			return nil, err
		}
		comma := ","
		if filepath.Ext(file) == ".tsv" {
			comma = "\t"
		}
		var at map[string]int
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), comma)
			if strings.HasPrefix(line, "#") {
				continue
			}
			if at != nil && !heads.MatchString(line) {
				rows = append(rows, row{at, cells})
				continue
			}
			at = map[string]int{}
			for i, name := range cells {
				at[name] = i
			}
		}
	}
	return rows, nil
}

// having returns the rows of tables with a column.
func having(rows []row, column string) []row {
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { _, ok := r.at[column]; return !ok })
}

// text returns the cell of a column, and "" if there is none.
func (r row) text(column string) string {
	if i, ok := r.at[column]; ok && i < len(r.cells) {
		return r.cells[i]
	}
	return ""
}

// number returns the number in a column, and 0 if there is none.
func (r row) number(column string) float64 {
	x, _ := strconv.ParseFloat(r.text(column), 64)
	return x
}

// program returns the name of the program without its arguments.
func (r row) program() string {
	name, _, _ := strings.Cut(r.text("program"), " ")
	name, _, _ = strings.Cut(name, ".")
	return name
}

// short prints a number with two digits, and more if they stand before the point.
func short(x float64) string {
	if math.Abs(x) < 9.95 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// distinct returns the values of a cell in the order in which they come.
func distinct(rows []row, cell func(row) string) (values []string) {
	for _, r := range rows {
		if v := cell(r); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}
