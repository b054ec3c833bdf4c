package reference

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"spoor/analyze/registry"
)

//go:embed tables.txt
var tablesText string

// Kind is a kind of table or of parameter file.
type Kind struct {
	Name     string // in the file; "refs archive" is a profile of refs
	Form     Form
	Group    string
	File     string
	By       []string // commands that write it
	Is       string   // what a row is
	Untested string   // why no test makes such a file; "" if one does
	Columns  []Column
}

// Form is what a kind describes.
type Form string

// The forms, by their keywords in tables.txt.
const (
	Table   Form = "table"   // in an Arrow file
	Params  Form = "params"  // a parameter file
	Printed Form = "printed" // on standard output only
)

// Column is a column of a table, or a parameter.
type Column struct {
	Name    string // <X> stands for several names; [X] may be absent
	Type    string // Arrow type, of a Table
	Units   []string
	Meaning string
	When    string // when it is present; "" if always
	pattern *regexp.Regexp
}

// Matches reports whether name is that of c.
func (c *Column) Matches(name string) bool { return c.pattern.MatchString(name) }

// HasUnit reports whether unit is one of c's. The unit "*" stands for any.
func (c *Column) HasUnit(unit string) bool {
	for _, u := range c.Units {
		if u == unit || u == "*" {
			return true
		}
	}
	return false
}

// Group is a heading of the page with its text.
type Group struct{ Title, Text string }

// List is the content of tables.txt, in its order.
type List struct {
	Groups []Group
	Kinds  []*Kind
}

// Kinds reads the list of all tables and parameter files. Those of analyses are in their packages.
func Kinds() (*List, error) {
	text := tablesText
	for _, forms := range []struct {
		name    string
		printed bool
	}{{"tables", false}, {"printed", true}} {
		text = strings.Replace(text, "\nanalyses "+forms.name+"\n", "\n"+registry.Tables(forms.printed), 1)
	}
	return parse(text)
}

// parse reads the text of a list. The head of tables.txt describes the format.
func parse(text string) (*List, error) {
	l := &List{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if err := l.add(line); err != nil {
			return nil, fmt.Errorf("tables.txt: %q: %w", line, err)
		}
	}
	return l, nil
}

func (l *List) add(line string) error {
	if row, is := strings.CutPrefix(line, "\t"); is {
		return l.addColumn(strings.Split(row, "\t"))
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "", "#":
		return nil
	case "group":
		l.Groups = append(l.Groups, Group{Title: rest})
		return nil
	case string(Table), string(Params), string(Printed):
		if len(l.Groups) == 0 {
			return fmt.Errorf("no group before %q", line)
		}
		l.Kinds = append(l.Kinds, &Kind{Name: rest, Form: Form(word), Group: l.Groups[len(l.Groups)-1].Title})
		return nil
	}
	group := l.Groups[len(l.Groups)-1]
	if len(l.Kinds) == 0 || l.Kinds[len(l.Kinds)-1].Group != group.Title {
		l.Groups[len(l.Groups)-1].Text += line + "\n"
		return nil
	}
	return l.Kinds[len(l.Kinds)-1].set(word, rest)
}

func (k *Kind) set(word, rest string) error {
	switch word {
	case "file":
		k.File = rest
	case "by":
		k.By = strings.Split(rest, ", ")
	case "is":
		k.Is = rest
	case "untested":
		k.Untested = rest
	default:
		return fmt.Errorf("unknown keyword %q", word)
	}
	return nil
}

func (l *List) addColumn(fields []string) error {
	if len(l.Kinds) == 0 {
		return fmt.Errorf("no table before column %s", fields[0])
	}
	k := l.Kinds[len(l.Kinds)-1]
	if k.Form != Table { // no types
		fields = append([]string{fields[0], ""}, fields[1:]...)
	}
	if len(fields) < 4 || len(fields) > 5 || fields[3] == "" {
		return fmt.Errorf("%s needs name, type, unit, meaning and perhaps when", fields[0])
	}
	c := Column{Name: fields[0], Type: fields[1], Units: strings.Split(fields[2], " : "), Meaning: fields[3], pattern: patternOf(fields[0])}
	if len(fields) == 5 {
		c.When = fields[4]
	}
	for _, other := range k.Columns {
		if other.Name == c.Name {
			return fmt.Errorf("%s is listed twice in %s", c.Name, k.Name)
		}
	}
	k.Columns = append(k.Columns, c)
	return nil
}

// patternOf returns the pattern of a name in the list.
func patternOf(name string) *regexp.Regexp {
	pattern := regexp.QuoteMeta(name)
	for _, replace := range [][2]string{{`<N>`, `[0-9]+`}, {`<[A-Z]+>`, `[A-Za-z0-9_.]+`}, {`\\\[`, `(?:`}, {`\\\]`, `)?`}} {
		pattern = regexp.MustCompile(replace[0]).ReplaceAllString(pattern, replace[1])
	}
	return regexp.MustCompile("^" + pattern + "$")
}

// Find returns the kind of this name, or nil.
func (l *List) Find(name string, form Form) *Kind {
	for _, k := range l.Kinds {
		if k.Name == name && k.Form == form {
			return k
		}
	}
	return nil
}

// Column returns the column of this name, or nil. A listed name has priority over a pattern.
func (k *Kind) Column(name string) *Column {
	for i := range k.Columns {
		if k.Columns[i].Name == name {
			return &k.Columns[i]
		}
	}
	for i := range k.Columns {
		if k.Columns[i].Matches(name) {
			return &k.Columns[i]
		}
	}
	return nil
}

// IsHead reports whether line is the head of a printed table of this kind: it has all columns that are always there, and
// no others, with their units.
func (k *Kind) IsHead(line string) bool {
	found := map[*Column]bool{}
	for _, field := range strings.Split(line, "  ") {
		field = strings.TrimSpace(field)
		if field == "" {
			continue
		}
		name, unit, _ := strings.Cut(strings.TrimSuffix(field, "]"), " [")
		c := k.Column(name)
		if c == nil || !c.HasUnit(unit) {
			return false
		}
		found[c] = true
	}
	for i := range k.Columns {
		if c := &k.Columns[i]; !found[c] && c.When == "" {
			return false
		}
	}
	return true
}
