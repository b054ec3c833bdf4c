package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Every link of a page to a file of the project, or to a heading of a page, leads there.
func TestLinksOfThePagesWork(t *testing.T) {
	links, anchors := 0, map[string]map[string]bool{}
	for _, page := range pagesBelow(t, root) {
		for _, target := range linksOf(t, page) {
			links++
			file, anchor, _ := strings.Cut(target, "#")
			to := page
			if file != "" {
				to = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: link to %s: there is no such file", page, target)
			} else if anchor == "" {
				continue
			}
			if anchors[to] == nil {
				anchors[to] = headings(t, to)
			}
			if !anchors[to][anchor] {
				t.Errorf("%s: link to %s: there is no such heading", page, target)
			}
		}
	}
	if links < 20 {
		t.Errorf("%d links", links)
	}
}

// linksOf lists the links of a page to files of the project.
func linksOf(t *testing.T, page string) (targets []string) {
	for _, m := range linkTarget.FindAllStringSubmatch(withoutFences(t, page), -1) {
		if !strings.Contains(m[1], "://") && !strings.HasPrefix(m[1], "mailto:") {
			targets = append(targets, m[1])
		}
	}
	return targets
}

// withoutFences returns the text of a page without its fenced blocks and code spans.
func withoutFences(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	in := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			in = !in
		} else if !in {
			b.WriteString(line)
		}
	}
	return b.String()
}

// headings returns the anchors that the headings of a page have on code hosts.
func headings(t *testing.T, page string) map[string]bool {
	anchors := map[string]bool{}
	for line := range strings.Lines(withoutFences(t, page)) {
		if title, is := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); is && strings.HasPrefix(line, "#") {
			slug := notInSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			anchors[strings.ReplaceAll(slug, " ", "-")] = true
		}
	}
	return anchors
}
