package format

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// drNames are the names of files of references and of raw files. Others in the same
// folders are schedules, page tables (v2p.textproto), lists of functions and modules.
var (
	drTraceName = regexp.MustCompile(`\.(mem)?trace(\.(zip|gz|lz4|sz|zst|xz|bz2))?$`)
	drRawName   = regexp.MustCompile(`^drmemtrace\..*\.raw(\.(zip|gz|lz4|sz|zst|xz|bz2))?$`)
	drSchedule  = regexp.MustCompile(`^(cpu|serial)_schedule\.bin(\.(zip|gz|lz4|sz|zst|xz|bz2))?$`)
)

// IsSchedule reports whether the file at path has the name of a schedule that raw2trace leaves beside the files of references: a pattern such
// as trace/*.zip is of both, and schedules say nothing that a trace has a place for.
func IsSchedule(path string) bool { return drSchedule.MatchString(filepath.Base(path)) }

// Expand lists the files of threads or cores in dir, in its folder trace, or in its
// one folder *.tracedir. A folder of raw files is an error that says what to run.
func (Drmemtrace) Expand(dir string) ([]string, error) {
	folders := []string{dir, filepath.Join(dir, "trace")}
	more, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.tracedir"))
	if err != nil {
		return nil, err
	}
	if len(more) > 1 {
		return nil, fmt.Errorf("%s: %d folders *.tracedir, each of which is a trace; import one of them", dir, len(more))
	}
	for _, folder := range append(folders, more...) {
		files, err := drFiles(folder, folder != dir)
		if err != nil || len(files) > 0 {
			return files, err
		}
	}
	return nil, drOnlyRaw(dir)
}

// escapeGlob makes a pattern that matches path alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// drFiles lists the files of a trace in a folder; if the folder's name does not say
// that it is one, theirs must.
func drFiles(folder string, known bool) (files []string, err error) {
	known = known || filepath.Base(folder) == "trace" || strings.HasSuffix(folder, ".tracedir")
	var windows []string
	for _, name := range entries(folder) {
		switch {
		case known && strings.HasPrefix(name, "window."):
			windows = append(windows, name)
		case drTraceName.MatchString(name) && (known || strings.HasPrefix(name, "drmemtrace.")):
			files = append(files, filepath.Join(folder, name))
		}
	}
	if len(files) == 0 && len(windows) > 0 {
		return nil, fmt.Errorf("%s: %s, each of which is a trace; import one of them, such as %s", folder, plural(len(windows), "window"), windows[0])
	}
	slices.SortFunc(files, func(a, b string) int { // thread 999 before thread 1000
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return files, nil
}

// entries are the names in a folder, or none.
func entries(folder string) (names []string) {
	all, err := os.ReadDir(folder)
	if err != nil {
		return nil // a folder that may be missing
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// drOnlyRaw is an error if dir has raw files.
func drOnlyRaw(dir string) error {
	for _, folder := range []string{dir, filepath.Join(dir, "raw")} {
		if slices.ContainsFunc(entries(folder), drRawName.MatchString) {
			return fmt.Errorf("%s: a raw drmemtrace, as the program wrote it; run drraw2trace -indir on its folder, and import that again", dir)
		}
	}
	return nil
}
