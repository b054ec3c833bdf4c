package reference

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// filesHead is the page before the contents.
const filesHead = "# Files, tables and columns\n\n" +
	"This page lists every file that Spoor writes, and every column and parameter. Printed tables follow. To\n" +
	"find a column by its name, use the [index](#index-of-columns). `traces head FILE` prints a table.\n" +
	"[How to read tables](../howto/read-tables.md) shows Python, R and DuckDB.\n\n" +
	"Generated from `predict/internal/reference/tables.txt` by `make reference`. Do not edit. A test compares it with the files\n" +
	"of real commands.\n\n" +
	"## Kinds of files\n\n" +
	"| file | content | written by |\n|---|---|---|\n" +
	"| `PREFIX.refs.arrow`, `PREFIX.events.arrow` | a [trace](#traces): memory references, and all other events | tracegen, traces |\n" +
	"| `*.arrow` | a table; tables are below | analyze, calibrate, predict |\n" +
	"| `*.params.toml` | parameters for models | analyze, calibrate, predict scaling |\n" +
	"| `*.machine.toml`, `data/machine/*.toml` | a [machine](machine.md) | calibrate memory, you |\n" +
	"| `*.network.toml` | the section `[network]` of a machine | calibrate transport, calibrate fit |\n" +
	"| `data/price/*.toml` | prices of machines or hosts | you |\n" +
	"| `report.html` | one page with plots; it needs no network | predict report |\n" +
	"| `*.json`, `*.prv` with `*.pcf` and `*.row` | a timeline for Chrome, Perfetto or Paraver | predict replay --timeline |\n\n" +
	"All `.arrow` files are Arrow IPC files with zstd. Their schema metadata contain the kind of the table (`spoor.kind`),\n" +
	"the program, the inputs and the options. They contain no date, host or path: the same input gives the same bytes.\n" +
	"The unit of a column is in the metadata of its field (`spoor.unit`).\n\n" +
	"A parameter has `value`, `unit`, a 95 % interval from `lo` to `hi`, the number `n` of observations, `method` and\n" +
	"`source`. A parameter without `lo` and `hi` has no known interval.\n\n" +
	"In the tables below, an empty unit means a name, a count or a ratio. `<X>` in a name stands for several names, and a\n" +
	"part in `[ ]` may be absent. \"Only\" says when a column is present, if not always.\n"

// filesPage returns the page of all files and tables.
func filesPage() (string, error) {
	l, err := Kinds()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(filesHead)
	l.contents(&b)
	for _, g := range l.Groups {
		fmt.Fprintf(&b, "\n## %s\n", g.Title)
		if g.Text != "" {
			fmt.Fprintf(&b, "\n%s\n", wrap(g.Text))
		}
		for _, k := range l.Kinds {
			if k.Group == g.Title {
				k.section(&b)
			}
		}
	}
	l.index(&b)
	return b.String(), nil
}

// contents lists the sections.
func (l *List) contents(b *strings.Builder) {
	b.WriteString("\n## Contents\n\n| section | file | written by |\n|---|---|---|\n")
	for _, g := range l.Groups {
		fmt.Fprintf(b, "| **[%s](#%s)** | | |\n", g.Title, slug(g.Title))
		for _, k := range l.Kinds {
			if k.Group == g.Title {
				file := ""
				if k.Form != Printed {
					file = codes(strings.Split(k.File, ", "))
				}
				fmt.Fprintf(b, "| %s | %s | %s |\n", k.link(), file, codes(k.By))
			}
		}
	}
	b.WriteString("| **[Index of columns](#index-of-columns)** | | |\n")
}

// Title returns the heading of the kind's section.
func (k *Kind) Title() string {
	switch {
	case k.Form == Params:
		return "Parameters of " + k.Name
	case k.Form == Printed:
		return "Printed table: " + k.Name
	case strings.HasPrefix(k.File, "DIR/"):
		return strings.TrimPrefix(k.File, "DIR/")
	case k.Name == "refs" || k.Name == "events":
		return k.Name + ".arrow"
	case k.Name == "refs archive":
		return "refs.arrow in the archive profile"
	}
	return "Table " + k.Name
}

func (k *Kind) link() string { return fmt.Sprintf("[%s](#%s)", k.Title(), slug(k.Title())) }

// section writes the section of one kind.
func (k *Kind) section(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", k.Title(), wrap(k.Is))
	from := fmt.Sprintf("File: %s. Written by: %s.", codes(strings.Split(k.File, ", ")), codes(k.By))
	if k.Form == Printed {
		from = fmt.Sprintf("Printed by: %s.", codes(k.By))
	}
	fmt.Fprintf(b, "%s\n\n", wrap(from))
	optional := slices.ContainsFunc(k.Columns, func(c Column) bool { return c.When != "" })
	head, rule := "| column | type | unit | meaning |", "|---|---|---|---|"
	switch k.Form {
	case Params:
		head, rule = "| parameter | unit | meaning |", "|---|---|---|"
	case Printed:
		head, rule = "| column | unit | meaning |", "|---|---|---|"
	}
	if optional {
		head, rule = head+" only |", rule+"---|"
	}
	fmt.Fprintf(b, "%s\n%s\n", head, rule)
	for _, c := range k.Columns {
		fmt.Fprintf(b, "| `%s` |", c.Name)
		if k.Form == Table {
			fmt.Fprintf(b, " %s |", strings.ReplaceAll(c.Type, "<", `\<`))
		}
		fmt.Fprintf(b, " %s | %s |", units(c.Units), cell(c.Meaning))
		if optional {
			fmt.Fprintf(b, " %s |", cell(c.When))
		}
		b.WriteString("\n")
	}
}

// units returns the units of a column, or "its own" for any.
func units(list []string) string {
	if slices.Equal(list, []string{"*"}) {
		return "its own"
	}
	return cell(strings.Join(list, " or "))
}

// placeholder is a part of a meaning that a page must not show as HTML, or a link.
var placeholder = regexp.MustCompile(`<[A-Z]+>|\*`)

// cell returns text for a cell of a table. Outside code, it escapes what Markdown would not show.
func cell(text string) string {
	parts := strings.Split(strings.ReplaceAll(text, "|", `\|`), "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = placeholder.ReplaceAllString(parts[i], `\$0`)
	}
	return strings.Join(parts, "`")
}

// codes returns the list as code spans.
func codes(list []string) string {
	var spans []string
	for _, s := range list {
		spans = append(spans, "`"+s+"`")
	}
	return strings.Join(spans, ", ")
}

// index lists all names of columns and parameters with links to their tables.
func (l *List) index(b *strings.Builder) {
	b.WriteString("\n## Index of columns\n\nNames of columns and parameters, with the tables and files that have them.\n\n| name | in |\n|---|---|\n")
	in := map[string][]string{}
	var names []string
	for _, k := range l.Kinds {
		for _, c := range k.Columns {
			if in[c.Name] == nil {
				names = append(names, c.Name)
			}
			in[c.Name] = append(in[c.Name], k.link())
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(strings.ToLower(a)+a, strings.ToLower(b)+b)
	})
	for _, name := range names {
		fmt.Fprintf(b, "| `%s` | %s |\n", name, strings.Join(in[name], ", "))
	}
}

var notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// slug returns the anchor of a heading on code hosts.
func slug(title string) string {
	return strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

// width is the length of a line of a page.
const width = 110

// wrap breaks text into lines.
func wrap(text string) string {
	var b strings.Builder
	n := 0
	for _, word := range strings.Fields(text) {
		switch {
		case n == 0:
		case n+1+len(word) > width:
			b.WriteString("\n")
			n = 0
		default:
			b.WriteString(" ")
			n++
		}
		b.WriteString(word)
		n += len(word)
	}
	return b.String()
}
