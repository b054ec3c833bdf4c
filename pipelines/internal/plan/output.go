package plan

import (
	"regexp"
	"slices"
	"strings"
)

// A recipe is what make would run for a target.
type recipe struct {
	target string
	rule   string
	lines  []string // those of make, each of which may have several of the text
}

// command is one command for sh that does what the lines do: each has a shell of its own, and an error ends all.
func (r recipe) command() string {
	if len(r.lines) == 1 {
		return r.lines[0]
	}
	return "(" + strings.Join(r.lines, "\n) && (") + "\n)"
}

// header is what make --trace prints before a recipe, from version 4.0 on.
var header = regexp.MustCompile(`^(\S+:[0-9]+): (?:update )?target '(.*)' (?:does not exist|due to: .*)$`)

// begins is the line at which make --print-data-base begins.
const begins = "# Make data base, printed on"

// parseRecipes reads what make -n --trace prints up to the data base, and returns the rest.
func parseRecipes(text string) (recipes []recipe, database string) {
	goesOn := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, begins) {
			database = text[strings.Index(text, "\n"+begins)+1:]
			break
		}
		line = strings.TrimSuffix(line, "\n")
		if h := header.FindStringSubmatch(line); h != nil && !goesOn {
			recipes = append(recipes, recipe{target: h[2], rule: h[1]})
			continue
		}
		if len(recipes) == 0 || strings.HasPrefix(line, "make: ") {
			continue
		}
		r := &recipes[len(recipes)-1]
		if goesOn {
			r.lines[len(r.lines)-1] += "\n" + line
		} else {
			r.lines = append(r.lines, line)
		}
		backslashes := len(line) - len(strings.TrimRight(line, `\`))
		goesOn = backslashes%2 == 1
	}
	return withCommands(recipes), database
}

// withCommands leaves out recipes that turn out to be empty.
func withCommands(recipes []recipe) []recipe {
	kept := recipes[:0]
	for _, r := range recipes {
		if strings.TrimSpace(strings.Join(r.lines, "")) != "" {
			kept = append(kept, r)
		}
	}
	return kept
}

// A file is a target or a prerequisite, as make has it in its data base.
type file struct {
	needs []string // prerequisites of both kinds
	also  []string // other files that its recipe makes
	phony bool
}

// parseFiles reads the section about files of make's data base.
func parseFiles(database string) map[string]*file {
	files := map[string]*file{}
	_, section, _ := strings.Cut(database, "\n# Files\n")
	section, _, _ = strings.Cut(section, "\n# files hash-table stats")
	var f *file
	for line := range strings.Lines(section) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			f = nil
		case f == nil && line[0] != '#' && line[0] != '\t':
			name, needs, _ := strings.Cut(line, ":")
			f = files[name]
			if f == nil {
				f = new(file)
				files[name] = f
			}
			for _, need := range strings.Fields(strings.TrimPrefix(needs, ":")) {
				if need != "|" {
					f.needs = append(f.needs, need)
				}
			}
		case f != nil && strings.HasPrefix(line, "#  Also makes:"):
			for _, name := range strings.Fields(strings.TrimPrefix(line, "#  Also makes:")) {
				if files[name] != f { // targets of a group are also those of themselves
					f.also = append(f.also, name)
				}
			}
		case f != nil && strings.HasPrefix(line, "#  Phony target"):
			f.phony = true
		}
	}
	for _, f := range files {
		slices.Sort(f.also)
	}
	return files
}
