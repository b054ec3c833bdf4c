package repository

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	citations   = regexp.MustCompile(`\[[a-z]+(?:19|20)\d\d\b[^\]\[]*`)
	citationKey = regexp.MustCompile(`(?:^\[|[;,]\s(?:// )?)([a-z]+(?:19|20)\d\d)\b`)
)

// Each citation key in comments, help texts and pages has an entry in the bibliography, each entry is cited, and entries are in order.
func TestCitationsAreInTheBibliography(t *testing.T) {
	const page = "docs/bibliography.md"
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	for line := range strings.Lines(string(text)) {
		if key, is := strings.CutPrefix(strings.TrimSpace(line), "## "); is {
			entries = append(entries, key)
		}
	}
	if !slices.IsSorted(entries) || len(slices.Compact(slices.Clone(entries))) != len(entries) {
		t.Errorf("%s: entries are not sorted or not unique: %q", page, entries)
	}
	cited := map[string]string{} // key: a file that cites it
	citedBelow(t, root, page, cited)
	for key, file := range cited {
		if !slices.Contains(entries, key) {
			t.Errorf("%s cites [%s], which %s does not list", file, key, page)
		}
	}
	for _, key := range entries {
		if cited[key] == "" {
			t.Errorf("%s lists %s, which nothing cites", page, key)
		}
	}
}

// citedBelow collects the keys that Go files and pages below root cite, except one page.
func citedBelow(t *testing.T, root, except string, cited map[string]string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "out" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		ext := filepath.Ext(path)
		if ext != ".go" && ext != ".md" || path == filepath.Join(root, except) {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range citations.FindAllString(string(text), -1) {
			for _, key := range citationKey.FindAllStringSubmatch(m, -1) {
				cited[key[1]] = path
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
