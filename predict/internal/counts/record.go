package counts

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"spoor/traces/store"
)

// record is the file of complete results: the flags of analyze, and the notes, one on each line.
type record struct{ flags, notes []string }

// recordFile is its name.
const recordFile = "record.txt"

// command is what the first line begins with.
const command = "analyze "

// readRecord returns the record of a folder, or nil if its results are not complete.
func readRecord(dir string) *record {
	text, err := os.ReadFile(filepath.Join(dir, recordFile))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	return &record{strings.Fields(strings.TrimPrefix(lines[0], command)), lines[1:]}
}

// write writes the record into a folder.
func (r *record) write(dir string) error {
	return store.WriteFileAtomic(filepath.Join(dir, recordFile), func(w io.Writer) error {
		for _, l := range append([]string{command + strings.Join(r.flags, " ")}, r.notes...) {
			if _, err := io.WriteString(w, strings.ReplaceAll(l, "\n", " ")+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}
