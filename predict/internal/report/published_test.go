package report

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const publishedSample = "# Of a paper.\n# It says so.\nquantity\tunit\tprogram\tmachine\tprocessors\tvalue\n" +
	"e_instr\tns\tfft\tdu2000-smp-256k\t2\t1.5\ne_instr\tns\tlu\tdu2000-smp-256k\t2\t2\ne_instr\tns\tnone\tdu2000-smp-256k\t2\t2\n"

func publishedStudy(t *testing.T, text string) (*Study, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "published.tsv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s := quick.study()
	s.simulations = []found{{Table: quick.simulation(), path: "some/file.arrow"}}
	return s, s.AddPublished(path)
}

// On two processors of the first machine fft takes 4 ns, and lu 5 ns.
func TestPublishedBesideSimulated(t *testing.T) {
	s, err := publishedStudy(t, publishedSample)
	if err != nil {
		t.Fatal(err)
	}
	figures, err := s.publishedFigures()
	if err != nil || len(figures) != 1 || figures[0].Heading != "e instr, du2000-smp-256k, 2 processors" || s.remarks != "Of a paper. It says so." {
		t.Fatalf("%v, %+v, %q", err, figures, s.remarks)
	}
	if got, want := figures[0].Table.Rows, [][]string{{"fft points=16384", "1.5", "4"}, {"lu n=256", "2", "5"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if page := withoutScripts(render(t, s, "x")); !strings.Contains(page, `<section id="published">`) || !strings.Contains(page, "It says so.") {
		t.Error("the page does not show it")
	}
}

// A share in % is set beside a column without a unit.
func TestPublishedShares(t *testing.T) {
	p := published{quantity: "coherence_share", unit: "%", program: "fft", machine: "du2000-smp-256k", processors: 1}
	table := quick.simulation()
	for i := range table.Columns {
		if table.Columns[i].Name == "e_instr" {
			table.Columns[i].Name, table.Columns[i].Unit = "coherence_share", ""
		}
	}
	if v, _, ok, err := p.simulated([]found{{Table: table}}); err != nil || !ok || v != 800 {
		t.Errorf("%v %v %v", v, ok, err)
	}
}

func TestPublishedIsReadStrictly(t *testing.T) {
	line := func(fields string) string { return strings.SplitAfter(publishedSample, "value\n")[0] + fields + "\n" }
	for text, want := range map[string]string{
		"":                                      "the first line does not name the columns quantity, unit",
		"a\tb\tc\td\te\tf\n":                    "the first line does not name the columns",
		line("e_instr\tns\tfft\tm\t2"):          "wrong number of fields",
		line("e_instr\tns\tfft\tm\tmany\t1"):    `line 4: "many" processors`,
		line("e_instr\tns\tfft\tm\t2\tNaN"):     `line 4: the value "NaN"`,
		line("e_instr\tns\tfft\tm\t2\t\x1b[1m"): "is no number above 0",
	} {
		t.Run(text, func(t *testing.T) {
			if _, err := publishedStudy(t, text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%v", err)
			}
		})
	}
	s, err := publishedStudy(t, line("warmth\tK\tfft\tm\t2\t1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.publishedFigures(); err == nil || !strings.Contains(err.Error(), "some/file.arrow") || !strings.Contains(err.Error(), "warmth") {
		t.Errorf("a quantity that nobody has: %v", err)
	}
}
