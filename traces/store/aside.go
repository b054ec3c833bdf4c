package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// partialSuffix ends the names of files that are being written.
const partialSuffix = ".partial"

// WriteFile makes the file at path appear whole or not at all: fill writes it
// aside, and it is renamed when fill and every write succeeded. What a killed
// run left aside is overwritten.
func WriteFile(path string, fill func(io.Writer) error) error {
	return writeAside(path, partialSuffix, fill)
}

func writeAside(path, suffix string, fill func(io.Writer) error) (err error) {
	partial := path + suffix
	f, err := os.Create(partial)
	if err != nil {
		return writeError(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(partial)
		}
	}()
	w := bufio.NewWriter(f)
	if err = fill(w); err != nil {
		return writeError(path, err)
	}
	if err = w.Flush(); err != nil {
		return writeError(path, err)
	}
	if err = f.Sync(); err != nil {
		return writeError(path, err)
	}
	if err = f.Close(); err != nil {
		return writeError(path, err)
	}
	if err = os.Rename(partial, path); err != nil {
		return writeError(path, err)
	}
	return nil
}

// writeError says once which file was being written, by its final name.
func writeError(path string, err error) error {
	var p *os.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return fmt.Errorf("writing %s: %w", path, err)
}
