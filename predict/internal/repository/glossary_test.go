package repository

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spoor/predict/internal/stagetest"
)

var (
	// notProse are parts of a help text that are not words of a sentence: quoted text and keys of papers.
	notProse = regexp.MustCompile(`'[^']*'|"[^"]*"|\[[a-z]+\d{4}[^\]]*\]`)
	// notWord is in numbers, file names, formulas and other identifiers that are not checked.
	notWord  = regexp.MustCompile(`[^A-Za-z'’-]`)
	termLine = regexp.MustCompile(`(?m)^- \*\*([^*]+)\*\*: `)
)

// Every word of the help texts is part of a term of docs/glossary.md or is in testdata/words.txt. That list has ordinary
// English words, and identifiers that the help texts explain themselves.
func TestEveryTermOfTheHelpIsInTheGlossary(t *testing.T) {
	bin := stagetest.Build(t, root)
	known := wordList(t)
	for _, term := range glossaryTerms(t) {
		for _, word := range strings.FieldsFunc(strings.ToLower(term), func(r rune) bool { return strings.ContainsRune(" ,()", r) }) {
			known[word] = true
		}
	}
	missing := map[string]string{}
	for _, stage := range stagetest.Stages {
		for word, line := range helpWords(printed(t, filepath.Join(bin, stage), "reference")) {
			if !isKnown(known, word) {
				missing[word] = stage + ": " + line
			}
		}
	}
	for _, word := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("%q is neither a term of docs/glossary.md nor a word of predict/internal/repository/testdata/words.txt: add it to one of them, or to words.txt in the package of the analysis or format\n\t%s", word, missing[word])
	}
}

// The terms of the glossary are in alphabetical order and appear once.
func TestGlossaryIsAlphabetical(t *testing.T) {
	terms := glossaryTerms(t)
	if len(terms) < 100 {
		t.Fatalf("%d terms", len(terms))
	}
	key := func(term string) string {
		return regexp.MustCompile(`[^a-z0-9 ]`).ReplaceAllString(strings.ToLower(term), "")
	}
	for i := range terms[1:] {
		if key(terms[i]) >= key(terms[i+1]) {
			t.Errorf("%q stands before %q", terms[i], terms[i+1])
		}
	}
}

// glossaryTerms lists the terms of docs/glossary.md, with their other names.
func glossaryTerms(t *testing.T) (terms []string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range termLine.FindAllStringSubmatch(string(page), -1) {
		terms = append(terms, m[1])
	}
	return terms
}

// wordList reads testdata/words.txt, and words.txt of analyses and formats.
func wordList(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "words.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(text) + inPackages(t, "words.txt")) {
		if word := strings.TrimSpace(line); word != "" && !strings.HasPrefix(word, "#") {
			known[word] = true
		}
	}
	return known
}

// helpWords returns the words of help texts in lower case, each with a line that has it. Examples and their output,
// flags, file names, quoted text and numbers are left out.
func helpWords(page string) map[string]string {
	words := map[string]string{}
	example := false
	for line := range strings.Lines(page) {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "$ "):
			example = true
			continue
		case text == "" || !strings.HasPrefix(line, "  "):
			example = false
		}
		if example || strings.HasPrefix(line, "#") {
			continue
		}
		for _, token := range strings.Fields(notProse.ReplaceAllString(line, " ")) {
			token = strings.Trim(token, ".,;:()[]{}!?*\"'")
			if token == "" || strings.HasPrefix(token, "-") || notWord.MatchString(token) {
				continue
			}
			words[strings.TrimSuffix(strings.ToLower(token), "'s")] = text
		}
	}
	return words
}

// isKnown reports whether a word, its basic form, or each part of a word with hyphens is known.
func isKnown(known map[string]bool, word string) bool {
	if slices.ContainsFunc(basicForms(word), func(form string) bool { return known[form] }) {
		return true
	}
	parts := strings.Split(word, "-")
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(part string) bool { return part != "" && !isKnown(known, part) })
}

// basicForms returns what a word may be a form of: misses of miss, invalidates of invalidate, sampling of sample.
func basicForms(word string) []string {
	forms := []string{word}
	for _, end := range [][2]string{{"s", ""}, {"es", ""}, {"ies", "y"}, {"d", ""}, {"ed", ""}, {"ied", "y"}, {"ing", ""}, {"ing", "e"}, {"ly", ""}} {
		if stem, is := strings.CutSuffix(word, end[0]); is && len(stem) > 2 {
			forms = append(forms, stem+end[1])
			if n := len(stem); end[1] == "" && stem[n-1] == stem[n-2] {
				forms = append(forms, stem[:n-1]) // fitted of fit
			}
		}
	}
	return forms
}

func TestHelpWords(t *testing.T) {
	got := slices.Sorted(maps.Keys(helpWords("# title\n```\nUsage: predict cluster --params P... [flags]\n\n" +
		"Model 'curve' of [du2000, eq. 3] needs the misses of a cache's 64 KiB (fft.arrow).\n\nExamples:\n  $ predict one two\n  printed output\n\nFlags:\n```\n")))
	want := []string{"a", "cache", "cluster", "examples", "flags", "kib", "misses", "model", "needs", "of", "predict", "the", "usage"}
	want = append(want[:11:11], append([]string{"p"}, want[11:]...)...)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if known := map[string]bool{"invalidate": true, "miss": true, "fit": true, "write": true, "back": true}; !isKnown(known, "invalidates") ||
		!isKnown(known, "misses") || !isKnown(known, "fitted") || !isKnown(known, "write-back") || isKnown(known, "write-through") {
		t.Error("forms of known words are not known, or others are")
	}
}
