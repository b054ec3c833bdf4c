package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// audited is the number of capabilities and claims of each paper that its study's page has a verdict on.
var audited = map[string]int{"dickens1996": 23, "sivasubramaniam1995": 24, "falsafi1997": 21, "hur1999": 16, "du2000": 21}

// verdicts are the first words of a verdict.
var verdicts = []string{"holds", "in kind", "in part", "does not hold", "done", "cannot be asked"}

const claimHeads = "| no | place | claim or capability | here | command | verdict |"

// TestEveryClaimHasAVerdict reads the table of claims of each study's page.
func TestEveryClaimHasAVerdict(t *testing.T) {
	for study, claims := range audited {
		t.Run(study, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(study, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			seen, complaints := checkClaims(string(text), makeTargets(t, study))
			for _, complaint := range complaints {
				t.Error(complaint)
			}
			for no := range claims {
				if !seen[no+1] {
					t.Errorf("claim %d has no row", no+1)
				}
			}
			for no := range seen {
				if no < 1 || no > claims {
					t.Errorf("row %d is no claim: there are %d", no, claims)
				}
			}
		})
	}
}

// TestClaimsAreTheAudits compares the number of claims with the audit of the papers, which lies beside the samples.
func TestClaimsAreTheAudits(t *testing.T) {
	file := filepath.Join(cmp.Or(os.Getenv("SPOOR_SAMPLES"), "../../shared/samples"), "../PAPERS.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("no audit at %s; SPOOR_SAMPLES names the folder of samples beside it", file)
	}
	rows := auditRows(string(text))
	for study, claims := range audited {
		if rows[study] != claims {
			t.Errorf("%s: %d claims in the test, %d in the audit", study, claims, rows[study])
		}
	}
}

var auditRow = regexp.MustCompile(`^\| (\d+) \|`)

// auditRows returns the last number of each table, by the heading above it.
func auditRows(text string) map[string]int {
	rows, study := map[string]int{}, ""
	for line := range strings.Lines(text) {
		if head, ok := strings.CutPrefix(line, "## "); ok {
			study = strings.TrimSpace(strings.Fields(head)[0])
		}
		if m := auditRow.FindStringSubmatch(line); m != nil {
			rows[study], _ = strconv.Atoi(m[1])
		}
	}
	return rows
}

var (
	claimNumber = regexp.MustCompile(`^(\d+)[a-z]?$`)
	coded       = regexp.MustCompile("`([^`]+)`")
)

// checkClaims returns the numbers of the claims in a page's table, and what is wrong with its rows.
func checkClaims(text string, targets []string) (seen map[int]bool, complaints []string) {
	seen = map[int]bool{}
	_, table, ok := strings.Cut(text, claimHeads+"\n")
	if !ok {
		return seen, []string{"there is no table with the heads " + claimHeads}
	}
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		if strings.HasPrefix(line, "|---") {
			continue
		}
		complain := func(format string, args ...any) {
			complaints = append(complaints, fmt.Sprintf(format, args...)+": "+strings.TrimSpace(line))
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) != 6 {
			complain("%d cells", len(cells))
			continue
		}
		no := claimNumber.FindStringSubmatch(cells[0])
		if no == nil {
			complain("%q is no number", cells[0])
			continue
		}
		n, _ := strconv.Atoi(no[1])
		seen[n] = true
		checkCells(cells, targets, complain)
	}
	return seen, complaints
}

// checkCells checks the cells of one claim.
func checkCells(cells, targets []string, complain func(string, ...any)) {
	for i, name := range []string{"number", "place", "claim", "answer"} {
		if cells[i] == "" {
			complain("no %s", name)
		}
	}
	verdict := strings.TrimLeft(cells[5], "*")
	if !slices.ContainsFunc(verdicts, func(v string) bool { return strings.HasPrefix(verdict, v) }) {
		complain("a verdict begins with one of %s", strings.Join(verdicts, ", "))
	}
	commands := coded.FindAllStringSubmatch(cells[4], -1)
	if len(commands) == 0 && !strings.HasPrefix(verdict, "cannot be asked") {
		complain("no command")
	}
	for _, c := range commands {
		if words := strings.Fields(c[1]); words[0] == "make" {
			for _, w := range words[1:] {
				if !strings.ContainsAny(w, "=/'") && w != "-C" && !slices.Contains(targets, w) {
					complain("the study has no target %q", w)
				}
			}
		}
	}
}

var ruleHead = regexp.MustCompile(`(?m)^([a-z][a-z0-9 -]*):[^=]`)

// makeTargets returns the targets of a study that have a name.
func makeTargets(t *testing.T, study string) (targets []string) {
	for _, file := range []string{"rules.mk", "plain.mk", filepath.Join(study, "Makefile")} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ruleHead.FindAllStringSubmatch(string(text), -1) {
			targets = append(targets, strings.Fields(m[1])...)
		}
	}
	return targets
}

// TestFaultsOfClaimsAreFound checks the check.
func TestFaultsOfClaimsAreFound(t *testing.T) {
	good := "| 1 | sec. 3 | it is fast | 3 s | `make times` | **holds** |\n"
	for _, c := range []struct{ row, complaint string }{
		{good, ""},
		{strings.Replace(good, "holds", "perhaps", 1), "a verdict begins with"},
		{strings.Replace(good, "3 s", "", 1), "no answer"},
		{strings.Replace(good, "`make times`", "", 1), "no command"},
		{strings.Replace(good, "times", "haste", 1), `no target "haste"`},
		{strings.Replace(good, "| 1", "| one", 1), "is no number"},
		{strings.Replace(good, "sec. 3 |", "", 1), "5 cells"},
	} {
		_, complaints := checkClaims(claimHeads+"\n|---|---|---|---|---|---|\n"+c.row, []string{"times"})
		if all := strings.Join(complaints, "\n"); !strings.Contains(all, c.complaint) || (c.complaint == "") != (all == "") {
			t.Errorf("%q: %q, not %q", c.row, all, c.complaint)
		}
	}
}
