package reference

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"testing"
)

// plainText lists notes and warnings that explain themselves.
//
//go:embed plain.txt
var plainText string

// ownPages are folders whose notes are texts of the report, not messages.
var ownPages = []string{"predict/internal/report/", "predict/internal/reference/"}

// Each note and each warning of the source is explained in messages.txt or listed in plain.txt. Each text of these lists is
// in the source.
func TestEveryMessageIsExplained(t *testing.T) {
	list, err := messages()
	if err != nil {
		t.Fatal(err)
	}
	source, known := readFormats(t), map[string]bool{}
	for _, m := range list.Messages {
		for _, text := range m.Texts {
			form := sameForm(text)
			if source.all[form] == "" {
				t.Errorf("messages.txt: message %s: no command prints %q; correct the text, or delete it", m.Title, text)
			}
			known[form] = true
		}
	}
	for line := range strings.Lines(plainText) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case text == "" || strings.HasPrefix(text, "# "):
		case source.all[sameForm(text)] == "":
			t.Errorf("plain.txt: no command prints %q; correct or delete the line", text)
		case known[sameForm(text)]:
			t.Errorf("plain.txt: %q is there twice, or in messages.txt", text)
		default:
			known[sameForm(text)] = true
		}
	}
	for _, form := range slices.Sorted(maps.Keys(source.warned)) {
		place := source.warned[form]
		isPage := slices.ContainsFunc(ownPages, func(folder string) bool { return strings.HasPrefix(place, folder) })
		if !known[form] && !isPage {
			t.Errorf("%s: explain %q in predict/internal/reference/messages.txt, or add it to plain.txt if it explains itself", place, form)
		}
	}
}
