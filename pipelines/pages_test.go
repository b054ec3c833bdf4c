package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of pages")

// Comments of pages, each on a line of its own, name tables of this program and files in the study's folder:
//
//	<!-- table: STUDY.PART FILE... -->   the lines that follow, to an empty one or between two of ```, are the table
//	<!-- text: STUDY.PART FILE... -->    each line of it stands in the page, wherever lines of the page end
//
// With -update tables are put right. Sentences are changed by hand.
func TestNumbersOfThePagesArePrinted(t *testing.T) {
	named := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if err == nil && (e.Name() == "node_modules" || e.Name() == "out" || strings.HasPrefix(e.Name(), ".") && path != "..") {
				err = filepath.SkipDir
			}
			return err
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte("<!-- t")) {
			return err
		}
		t.Run(strings.TrimPrefix(filepath.ToSlash(path), "../"), func(t *testing.T) {
			p := page{print: printed, write: *update}
			p.check(string(text))
			named += p.named
			for _, complaint := range p.complaints {
				t.Errorf("%s:%s", path, complaint)
			}
			if written := p.out.String(); written != string(text) {
				if err := os.WriteFile(path, []byte(written), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
		return nil
	})
	if err != nil || named < 20 {
		t.Errorf("%d tables and texts, %v", named, err)
	}
}

// printed returns the lines of a table.
func printed(name string) ([]string, error) {
	args := strings.Fields(name)
	study, _, _ := strings.Cut(args[0], ".")
	for i, file := range args[1:] {
		args[i+1] = filepath.Join(study, file)
	}
	var out bytes.Buffer
	err := printTables(args, &out)
	if err == nil && out.Len() == 0 {
		err = errors.New("nothing is printed")
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), err
}

// page is a page that is held to what its comments name.
type page struct {
	print      func(name string) ([]string, error)
	write      bool
	named      int
	complaints []string
	out        strings.Builder
}

var comment = regexp.MustCompile(`^( *)(?:.* )?<!-- (table|text): (.*) -->$`)

func (p *page) check(text string) {
	lines := strings.Split(text, "\n")
	var flat []string
	for _, line := range lines {
		if !comment.MatchString(line) {
			flat = append(flat, strings.Fields(line)...)
		}
	}
	for n := 0; n < len(lines); n++ {
		p.out.WriteString(lines[n])
		if n < len(lines)-1 {
			p.out.WriteByte('\n')
		}
		found := comment.FindStringSubmatch(lines[n])
		if found == nil {
			continue
		}
		p.named++
		want, err := p.print(found[3])
		if err != nil {
			p.complain(n, "%v", err)
		} else if found[2] == "table" {
			n = p.table(lines, n, want, found[1])
		} else {
			for _, line := range want {
				if !strings.Contains(strings.Join(flat, " "), line) {
					p.complain(n, "nowhere is there\n\t%s", line)
				}
			}
		}
	}
}

// table compares the lines behind line n, or writes those that are wanted in their place. It returns the last line of the table.
func (p *page) table(lines []string, n int, want []string, indent string) int {
	end := func(line string) bool { return strings.TrimSpace(line) == "" }
	if strings.HasPrefix(strings.TrimSpace(lines[n+1]), "```") {
		n++
		p.out.WriteString(lines[n] + "\n")
		end = func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "```") }
	}
	have := lines[n+1:]
	for i, line := range have {
		if end(line) {
			have = have[:i]
			break
		}
	}
	for i := range max(len(have), len(want)) {
		if p.write {
			break
		}
		if i == len(have) {
			p.complain(n, "the page lacks the line\n\t%s", want[i])
		} else if i >= len(want) {
			p.complain(n+1+i, "the page has\n\t%s\nand its table no such line", have[i])
		} else if have[i] != indent+want[i] {
			p.complain(n+1+i, "the page has\n\t%s\nand its table\n\t%s", have[i], want[i])
		} else {
			continue
		}
		break
	}
	kept := have
	if p.write {
		kept = nil
		for _, line := range want {
			kept = append(kept, indent+line)
		}
	}
	for _, line := range kept {
		p.out.WriteString(line + "\n")
	}
	return n + len(have)
}

func (p *page) complain(line int, format string, args ...any) {
	p.complaints = append(p.complaints, fmt.Sprintf("%d: "+format, append([]any{line + 1}, args...)...))
}

// What is not printed, a page may not have: a row that differs, lacks or is too much, a sentence, a table that is not known. With
// -update tables are put right, and all else stays.
func TestPagesAreHeldToTheirTables(t *testing.T) {
	const table = "<!-- table: rows -->\n"
	print := func(name string) ([]string, error) {
		lines := map[string][]string{"rows": {"| a |", "| 1 |"}, "words": {"two words"}}[name]
		if lines == nil {
			return nil, errors.New("there is no such table")
		}
		return lines, nil
	}
	for text, says := range map[string]string{
		table + "| a |\n| 1 |\n":                      "",
		table + "```\n| a |\n| 1 |\n```\n":            "",
		"- b\n  " + table + "  | a |\n  | 1 |\n\nc\n": "",
		table + "| a |\n| 2 |\n\nmore\n":              "| 1 |",
		table + "| a |\n":                             "lacks the line\n\t| 1 |",
		table + "| a |\n| 1 |\n| 1 |\n":               "no such line",
		"<!-- text: words -->\ntwo\nwords\n":          "",
		"<!-- text: words -->\ntwowords\n":            "nowhere is there\n\ttwo words",
		"<!-- text: nothing -->\n":                    "no such table",
	} {
		t.Run(text, func(t *testing.T) {
			p := page{print: print}
			p.check(text)
			if said := strings.Join(p.complaints, "\n"); (said != "") != (says != "") || !strings.Contains(said, says) || p.out.String() != text {
				t.Errorf("says %q, writes %q", said, p.out.String())
			}
			if !strings.HasPrefix(text, table) || says == "" {
				return
			}
			p = page{print: print, write: true}
			p.check(text)
			written := p.out.String()
			if want := table + "| a |\n| 1 |\n"; p.complaints != nil || !strings.HasPrefix(written, want) || strings.HasSuffix(text, "more\n") != strings.HasSuffix(written, "\n\nmore\n") {
				t.Errorf("is written as %q, %q", written, p.complaints)
			}
		})
	}
}
