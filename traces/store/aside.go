package store

import (
	"bufio"
	"io"
	"os"
)

// WriteFile makes the file at path appear whole or not at all: fill writes it
// aside, and it is renamed when fill and every write succeeded.
func WriteFile(path string, fill func(io.Writer) error) (err error) {
	partial := path + partialSuffix
	f, err := os.Create(partial)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(partial)
		}
	}()
	w := bufio.NewWriter(f)
	if err = fill(w); err != nil {
		return err
	}
	if err = w.Flush(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(partial, path)
}

// partialSuffix ends the names of files that are being written.
const partialSuffix = ".partial"
