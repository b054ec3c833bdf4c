// Package describe lists the quantities of machine descriptions and parameter files with their meanings. Packages machine and param
// read the files.
package describe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/traces/lookup"
	"spoor/traces/store"
)

// Table has a row for each quantity of the files. A path names a file, a machine, or a folder with such files.
func Table(paths []string) (*store.Table, error) {
	var s shown
	for _, path := range paths {
		files, err := named(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if err := s.file(file); err != nil {
				return nil, err
			}
		}
	}
	return s.table(), nil
}

// shown has a row for each quantity of the files.
type shown struct{ files, names, values, means []string }

func (s *shown) add(file, name, value, means string) {
	s.files = append(s.files, file)
	s.names = append(s.names, name)
	s.values = append(s.values, value)
	s.means = append(s.means, means)
}

// named returns the files of a path: of a folder, its parameter files and machines.
func named(path string) (files []string, err error) {
	path, _ = lookup.Find(path)
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path}, nil // reading it reports errors
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".params.toml") || strings.HasSuffix(e.Name(), ".machine.toml") {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: the folder has no *.params.toml and no *.machine.toml; give the files", path)
	}
	return files, nil
}

// file adds the quantities of a file. Parameter files are named *.params.toml; every other file is a machine.
func (s *shown) file(path string) error {
	if strings.HasSuffix(path, ".params.toml") {
		set, err := ReadParams(path)
		if err != nil {
			return err
		}
		for _, p := range set.All() {
			s.param(path, p)
		}
		return nil
	}
	m, err := machine.ReadPart(path)
	if err != nil {
		return err
	}
	s.machine(path, m)
	return nil
}

func (s *shown) param(path string, p param.Param) {
	means := p.Method
	if p.HasInterval() && p.Lo < p.Hi {
		means = fmt.Sprintf("95 %% from %.4g to %.4g; %s", p.Lo, p.Hi, means)
	}
	s.add(path, p.Name, strings.TrimSuffix(fmt.Sprintf("%.6g %s", p.Value, p.Unit), " 1"), means)
}

func (s *shown) table() *store.Table {
	return &store.Table{Name: "description", Columns: []store.Column{
		{Name: "file", Data: s.files}, {Name: "name", Data: s.names},
		{Name: "value", Data: s.values}, {Name: "means", Data: s.means},
	}}
}

// ReadParams reads a parameter file.
func ReadParams(path string) (*param.Set, error) {
	set, err := param.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; analyze and calibrate write parameter files", err)
	}
	return set, err
}
