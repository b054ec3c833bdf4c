package instrument

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// moduleFile writes a copy of the user's go.mod to dir and returns its path. The go command may add the modules
// that spoor requires, which a session needs in addition to spoor's packages. The path is "" if the user's module
// is spoor.
func (s *Sources) moduleFile(dir string) (string, error) {
	user := s.main.Module.Dir
	if user == s.spoor {
		return "", nil
	}
	text, err := os.ReadFile(filepath.Join(user, "go.mod"))
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "session.mod")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return "", err
	}
	var sums []byte
	for _, folder := range []string{user, s.spoor} {
		more, err := os.ReadFile(filepath.Join(folder, "go.sum"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		sums = append(sums, more...)
	}
	return path, os.WriteFile(filepath.Join(dir, "session.sum"), sums, 0o666)
}
