package format

import (
	"strings"
	"testing"
)

// An unknown name gets a suggestion among the formats that can be used. A known
// format that cannot be used gets none.
func TestSuggestions(t *testing.T) {
	importer := func(name string) error { _, err := ImporterByName(name); return err }
	exporter := func(name string) error { _, err := ExporterByName(name); return err }
	any := func(name string) error { _, err := ByName(name); return err }
	for _, c := range []struct {
		find             func(name string) error
		name, suggestion string
	}{
		{importer, "champsm", "champsim"}, {importer, "Lackie", "lackey"}, {importer, "loggopsm", "loggopsim"},
		{importer, "zzzzzz", ""}, {importer, "chrome", ""},
		{exporter, "champsm", "champsim"}, {exporter, "perfeto", "perfetto"}, {exporter, "otf2", ""},
		{any, "champsm", "champsim"}, {any, "chrom", "chrome"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.find(c.name)
			if err == nil {
				t.Error("no error")
				return
			}
			_, after, found := strings.Cut(err.Error(), `did you mean "`)
			if found != (c.suggestion != "") || !strings.HasPrefix(after, c.suggestion) {
				t.Errorf("%v; want the suggestion %q", err, c.suggestion)
			}
		})
	}
}
