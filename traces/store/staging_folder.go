package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// StagingFolder is a folder aside of one that files are written into, until they are complete.
type StagingFolder struct {
	Path string
	lock *os.File // held, so that no other process writes there
}

// NewStagingFolder makes the empty folder dir/.partial. What a killed run left in it is
// removed; what another process is writing is not.
func NewStagingFolder(dir string) (*StagingFolder, error) {
	path := filepath.Join(dir, partialSuffix)
	for {
		f, err := lockFolder(path)
		if err != nil {
			return nil, writeError(dir, err)
		}
		if f != nil {
			return f, nil
		}
	}
}

// lockFolder is the empty folder at path, locked, or nothing if another process removed it meanwhile.
func lockFolder(path string) (*StagingFolder, error) {
	if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	lock, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !tryLock(lock) {
		lock.Close()
		return nil, errBusy
	}
	locked, err := lock.Stat()
	opened, openErr := os.Stat(path)
	if errors.Is(openErr, os.ErrNotExist) {
		openErr = nil
	}
	if err = errors.Join(err, openErr); err != nil || opened == nil || !os.SameFile(locked, opened) {
		lock.Close()
		return nil, err
	}
	f := &StagingFolder{path, lock}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(path, e.Name())))
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return f, nil
}

// WriteFile makes the file called name in f, where there must be none. Nobody else writes there, nor reads what is there before it is
// complete and moved, so that it needs no lock of its own and no other name meanwhile, as it does elsewhere. Its contents are on the
// disk when WriteFile returns. Errors do not say which file was being written.
func (f *StagingFolder) WriteFile(name string, fill func(io.Writer) error) error {
	file, err := os.OpenFile(filepath.Join(f.Path, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return withoutPath(err)
	}
	if err := fillFile(file, fill); err != nil {
		file.Close()
		return withoutPath(err)
	}
	return nil
}

// Remove removes the folder and what is in it, and lets others write.
func (f *StagingFolder) Remove() error { return errors.Join(os.RemoveAll(f.Path), f.lock.Close()) }
