package budget

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Describe writes a description of each ranked machine into a folder, as 01-4x1-ws.toml and so on.
func (p *Problem) Describe(r *Result, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for i, c := range r.Ranked {
		name := strings.Map(func(r rune) rune {
			if strings.ContainsRune(" /\\:", r) {
				return '-'
			}
			return r
		}, fmt.Sprintf("%02d %s.toml", i+1, p.Catalogue.Name(c.Parts)))
		text := fmt.Appendf(nil, "# Made from a catalogue with prices of %s; %s.\n%s", p.Catalogue.Date, p.money(c.Paid), p.Catalogue.Machine(c.Parts).Text())
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
