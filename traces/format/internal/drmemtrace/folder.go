package drmemtrace

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"spoor/traces/internal/input"
	"strings"
)

// The names of trace files, raw files and schedules. Other files in the same folders
// are page tables (v2p.textproto) and lists of functions and modules.
var (
	drTraceName = regexp.MustCompile(`\.(mem)?trace(\.(zip|gz|lz4|sz|zst|xz|bz2))?$`)
	drRawName   = regexp.MustCompile(`^drmemtrace\..*\.raw(\.(zip|gz|lz4|sz|zst|xz|bz2))?$`)
	drSchedule  = regexp.MustCompile(`^(cpu|serial)_schedule\.bin(\.(zip|gz|lz4|sz|zst|xz|bz2))?$`)
)

// IsSchedule reports whether the file at path has the name of a schedule, which
// raw2trace writes next to the trace files. A pattern such as trace/*.zip matches both.
// A trace has no place for schedules.
func IsSchedule(path string) bool { return drSchedule.MatchString(filepath.Base(path)) }

// Expand lists the files of threads or cores in dir, in its folder trace, or in its
// only folder *.tracedir. For a folder of raw files, the error names the command to
// run.
func (Drmemtrace) Expand(dir string) ([]string, error) {
	folders := []string{dir, filepath.Join(dir, "trace")}
	more, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.tracedir"))
	if err != nil {
		return nil, err
	}
	if len(more) > 1 {
		return nil, fmt.Errorf("%s: has %d folders *.tracedir, each a trace; import one of them", dir, len(more))
	}
	for _, folder := range append(folders, more...) {
		files, err := drFiles(folder, folder != dir)
		if err != nil || len(files) > 0 {
			return files, err
		}
	}
	return nil, drOnlyRaw(dir)
}

// escapeGlob returns a pattern that matches only path.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// drFiles lists the files of a trace in a folder. If the folder's name does not
// identify it as a trace, the names of the files must.
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
		return nil, fmt.Errorf("%s: has %s, each a trace; import one of them, such as %s", folder, input.Plural(len(windows), "window"), windows[0])
	}
	slices.SortFunc(files, func(a, b string) int { // thread 999 before thread 1000
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return files, nil
}

// entries returns the names in a folder, or none.
func entries(folder string) (names []string) {
	all, err := os.ReadDir(folder)
	if err != nil {
		return nil // the folder may be missing
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// drOnlyRaw returns an error if dir has raw files.
func drOnlyRaw(dir string) error {
	for _, folder := range []string{dir, filepath.Join(dir, "raw")} {
		if slices.ContainsFunc(entries(folder), drRawName.MatchString) {
			return fmt.Errorf("%s: a raw drmemtrace; convert it with drraw2trace -indir FOLDER, then import the folder again", dir)
		}
	}
	return nil
}
