package budget

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"spoor/traces/store"
)

// Describe writes a machine description of each ranked machine into a folder, as 01-4x1-ws.toml and so on.
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
		err := store.WriteFileAtomic(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "# Made from a catalogue with prices of %s; %s.\n%s", p.Catalogue.Date, p.money(c.Paid), p.Catalogue.Machine(c.Parts).Text())
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
