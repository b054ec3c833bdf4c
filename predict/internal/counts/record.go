package counts

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"spoor/traces/store"
)

// readRecord returns the notes of complete results, and whether they are complete.
func readRecord(dir string) (notes []string, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, recordFile))
	if err != nil {
		return nil, false
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	return lines[1:], true
}

// writeRecord writes the command and the notes, one on each line.
func writeRecord(dir string, lines []string) error {
	return store.WriteFileAtomic(filepath.Join(dir, recordFile), func(w io.Writer) error {
		for _, l := range lines {
			if _, err := io.WriteString(w, strings.ReplaceAll(l, "\n", " ")+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}
