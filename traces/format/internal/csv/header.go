package csv

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"spoor/traces/internal/input"
	"spoor/traces/lookup"
)

// begin determines the columns from the first line; done reports that it is a header.
func (p *csvParser) begin(line []byte) (done bool, err error) {
	p.sep = csvSeparator(line)
	fields := csvSplit(nil, line, p.sep)
	if fields == nil {
		return false, p.ragged(line)
	}
	named := slices.ContainsFunc(fields, func(f []byte) bool { return csvAlias(f) != 0 })
	p.headed = named && len(p.o.Columns) == 0
	switch {
	case len(p.o.Columns) > 0:
		err = p.columns(p.o.Columns, line)
	case named:
		var header []string
		for _, f := range fields {
			header = append(header, string(bytes.Trim(f, input.Blanks)))
		}
		err = p.columns(header, line)
	case len(fields) == len(csvCanonical):
		p.cols = csvCanonical
		p.has = [csvColumns]bool{csvTime: true, csvTid: true, csvOp: true, csvAddr: true, csvSize: true}
	default:
		err = p.Fail(line, fmt.Sprintf("no header, and %d columns are not time, tid, op, addr, size", len(fields)),
			"give the columns with --columns")
	}
	p.untimed = err == nil && !p.has[csvTime]
	if p.o.TimeIsRows && err == nil {
		p.cols = slices.Clone(p.cols)
		for i, c := range p.cols {
			if c == csvTime {
				p.cols[i] = 0
			}
		}
		p.has[csvTime] = false
	}
	return named, err
}

func (p *csvParser) columns(header []string, line []byte) error {
	for i, name := range header {
		c := csvAlias([]byte(name))
		if c == 0 {
			p.ignored = append(p.ignored, name)
		} else if p.has[c] {
			return p.Fail(line, fmt.Sprintf("column %d is a second %s column", i+1, c.name()), "give the columns with --columns, and - for each to ignore")
		}
		p.has[c] = true
		p.cols = append(p.cols, c)
	}
	if !p.has[csvAddr] {
		return p.Fail(line, "no addr column", "name one column addr, address or vaddr, or use --columns")
	}
	return nil
}

// ParseCSVColumns reads the value of --columns.
func ParseCSVColumns(s string) ([]string, error) {
	names := strings.Split(s, ",")
	for _, name := range names {
		if name != "-" && csvAlias([]byte(name)) == 0 {
			return nil, fmt.Errorf("unknown column %q; columns are time, tid, op, addr, size, and - to ignore one", name)
		}
	}
	return names, nil
}

func (p *csvParser) notes() []string {
	all := p.Text.Notes()
	if p.Blank > 0 {
		all = append(all, input.Plural(p.Blank, "blank line")+" skipped")
	}
	if len(p.ignored) > 0 && len(p.o.Columns) == 0 {
		all = append(all, "ignored columns: "+input.Listed(p.meant()))
	}
	if !p.headed && len(p.o.Columns) == 0 {
		all = append(all, "no header: the columns are read as time, tid, op, addr, size")
	}
	if p.has[csvTime] {
		all = append(all, "time is read as instructions executed; --csv-time=rows counts every row as one instruction instead")
		if p.start > 0 {
			all = append(all, fmt.Sprintf("time begins at %d: %d is subtracted from all times; --csv-time=exact keeps them", p.start+1, p.start))
		}
	} else {
		all = append(all, "every row counts as one instruction; rows of all threads are counted together, so that merging keeps their order")
	}
	if p.untimed && (p.o.TimeIsRows || p.o.TimeIsExact) {
		all = append(all, "--csv-time has no effect: there is no time column")
	}
	if !p.has[csvSize] {
		all = append(all, fmt.Sprintf("no size column: every reference counts as %s", input.Plural(int(p.size), "byte")))
	}
	if !p.has[csvOp] {
		all = append(all, "no op column: every reference counts as a load")
	}
	if n := p.threads.Numbering(); n != "" {
		all = append(all, n)
	}
	if p.disorder > 0 {
		all = append(all, input.Plural(p.disorder, "row")+" out of order (by time, then processor): merging by time reorders them")
	}
	return all
}

// meant returns the ignored columns, each with the missing column that it may misspell.
func (p *csvParser) meant() (all []string) {
	var missing []string
	for _, c := range csvCanonical {
		if !p.has[c] {
			missing = append(missing, c.name())
		}
	}
	for _, name := range p.ignored {
		if m := lookup.Nearest(name, missing); m != "" {
			name += " (" + m + "?)"
		}
		all = append(all, name)
	}
	return all
}
