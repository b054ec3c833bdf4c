package report

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strings"
	"testing"

	"spoor/traces/testsize"
)

// Every figure of a page can be a file: well-formed, without a colour that stays in the dark, and of the same bytes.
func TestFiguresAreFiles(t *testing.T) {
	for name, s := range map[string]*Study{"quick": quick.study(), "evil": evilStudy(), "tables": tablesStudy(t, evilName)} {
		t.Run(name, func(t *testing.T) {
			p, err := s.page("")
			if err != nil {
				t.Fatal(err)
			}
			page := withoutScripts(render(t, s, ""))
			if got, want := len(p.figures()), strings.Count(page, "<figure"); got != want || want == 0 {
				t.Errorf("%d figures of %d", got, want)
			}
			for _, f := range p.figures()[:testsize.Cases(len(p.figures()), min(2, len(p.figures())))] {
				var first, again bytes.Buffer
				if err := s.WriteFigure(&first, f.Title); err != nil {
					t.Fatal(err)
				}
				if err := s.WriteFigure(&again, f.Title); err != nil || again.String() != first.String() {
					t.Errorf("%s differs: %v", f.Title, err)
				}
				text := first.String()
				if err := xml.Unmarshal(first.Bytes(), new(struct{})); err != nil || strings.Contains(text, "NaN") {
					t.Errorf("%s: %v", f.Title, err)
				}
				if bare := regexp.MustCompile(`(?:fill|stroke)(?:="|:)#`).FindString(text); bare != "" || strings.Contains(text, "<script") {
					t.Errorf("%s has %q or a script", f.Title, bare)
				}
			}
		})
	}
}

func TestFileOfNoFigure(t *testing.T) {
	var b bytes.Buffer
	err := quick.study().WriteFigure(&b, "x")
	if err == nil || b.Len() > 0 || !strings.Contains(err.Error(), `no figure is called "x"; there are Error of each model in every row; Miss ratio`) {
		t.Errorf("%v, wrote %q", err, b.String())
	}
}
