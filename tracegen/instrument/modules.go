package instrument

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// findSpoor finds the module spoor, if the user's module requires it. All go commands then use a copy of the user's
// go.mod without this requirement, because the overlay supplies the packages.
func (s *Sources) findSpoor(ctx context.Context) error {
	quiet := s.tool
	quiet.messages = io.Discard
	out, err := quiet.run(ctx, "list", "-m", "-f={{.Dir}}\n{{.Main}}", "spoor")
	if err != nil {
		return ctx.Err() // not required
	}
	dir, main, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if main == "true" {
		return errors.New("the program is in the module spoor; move it to a module of its own, with go mod init NAME")
	}
	gomod, err := s.tool.run(ctx, "env", "GOMOD")
	if err != nil {
		return err
	}
	s.spoor, s.user = dir, filepath.Dir(strings.TrimSpace(string(gomod)))
	file, err := s.copyModuleFile("user", s.user)
	if err != nil {
		return err
	}
	if _, err := s.tool.run(ctx, "mod", "edit", "-droprequire=spoor", "-dropreplace=spoor", file); err != nil {
		return err
	}
	s.tool.module = []string{readonly, "-modfile=" + file}
	return nil
}

// sessionModule makes go commands use a copy of the user's go.mod. They may add the modules that spoor requires, which
// the session of a simulator needs. The files of packages that the overlay supplies are removed from module spoor.
func (s *Sources) sessionModule(session string, o overlay) error {
	if s.spoor == "" {
		return errNoSpoor(s.tool.dir)
	}
	if _, err := os.Stat(filepath.Join(s.spoor, filepath.FromSlash(strings.TrimPrefix(session, "spoor/")))); err != nil {
		return errPartOfSpoor(s.spoor, s.tool.dir)
	}
	file, err := s.copyModuleFile("session", s.user, s.spoor)
	if err != nil {
		return err
	}
	s.tool.module = []string{"-mod=mod", "-modfile=" + file}
	for _, p := range supplied {
		dir := filepath.Join(s.spoor, filepath.FromSlash(strings.TrimPrefix(p.path, "spoor/")))
		err := filepath.WalkDir(dir, func(file string, f fs.DirEntry, err error) error {
			if err == nil && !f.IsDir() {
				o[file] = nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copyModuleFile writes a copy of the go.mod in the user's folder, and a go.sum with those of the folders. It returns
// the path of the copy.
func (s *Sources) copyModuleFile(name string, folders ...string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folders[0], "go.mod"))
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.tool.tempDir, name+".mod")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return "", err
	}
	var sums []byte
	for _, folder := range folders {
		more, err := os.ReadFile(filepath.Join(folder, "go.sum"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		sums = append(sums, more...)
	}
	return path, os.WriteFile(filepath.Join(s.tool.tempDir, name+".sum"), sums, 0o666)
}
