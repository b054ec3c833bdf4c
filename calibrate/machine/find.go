package machine

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spoor/traces/lookup"
)

// Folders of description files, below each of lookup.Folders.
const (
	machineFolder = "data/machine"
	priceFolder   = "data/price"
)

const extension = ".toml"

// FindFile returns the path of the machine description that name means. In this order, name is
//
//   - the path of a file;
//   - NAME.toml in data/machine below the current folder;
//   - NAME.toml in data/machine below $SPOOR_HOME, the checkout of the running binary, or PREFIX/share/spoor.
//
// A path such as data/machine/NAME.toml that does not exist here is searched in the same folders.
// The error of an unknown name suggests the nearest one. It is an fs.ErrNotExist.
func FindFile(name string) (string, error) {
	path, ok := find(name, machineFolder)
	if !ok {
		return "", unknown("machine or file", name, Names(), Advice)
	}
	return path, nil
}

// findPrices returns the path of the price list that name means, with the rules of FindFile and the folder data/price.
func findPrices(name string) (string, error) {
	path, ok := find(name, priceFolder)
	if !ok {
		return "", unknown("price list or file", name, PriceNames(), "known: "+strings.Join(PriceNames(), ", "))
	}
	return path, nil
}

// Names lists the names of all machines that FindFile finds, sorted.
func Names() []string { return namesIn(machineFolder) }

// PriceNames lists the names of all price lists that findPrices finds, sorted.
func PriceNames() []string { return namesIn(priceFolder) }

// find applies the rules of FindFile to a folder of descriptions.
func find(name, folder string) (path string, ok bool) {
	if path, _ = lookup.Find(name); isFile(path) {
		return path, true
	}
	if name == "" || name != filepath.Base(name) {
		return "", false
	}
	for _, home := range lookup.Folders() {
		at := filepath.Join(home, folder, strings.TrimSuffix(name, extension)+extension)
		if isFile(at) {
			return at, true
		}
	}
	return "", false
}

// isFile reports whether path exists and is no folder. It may be a pipe.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// namesIn lists the names of the descriptions in a folder below any of lookup.Folders.
func namesIn(folder string) (names []string) {
	for _, home := range lookup.Folders() {
		files, _ := filepath.Glob(filepath.Join(home, folder, "*"+extension)) // the pattern is valid
		for _, f := range files {
			if isDescription(f) {
				names = append(names, strings.TrimSuffix(filepath.Base(f), extension))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isDescription reports whether a file is no parameter file. These are TOML files, too.
func isDescription(path string) bool { return !strings.HasSuffix(path, ".params"+extension) }

// unknown returns the error for a name that is no file and no known description. It is an fs.ErrNotExist.
func unknown(what, name string, known []string, list string) error {
	meant := lookup.Nearest(name, known)
	switch info, err := os.Stat(name); {
	case name == "":
		return unknownName{fmt.Errorf("the name of a %s is empty (%s)", what, list)}
	case err == nil && info.IsDir():
		return unknownName{fmt.Errorf("%s is a folder; give a %s (%s)", name, what, list)}
	case isFile(name + extension):
		meant = name + extension
	}
	return unknownName{lookup.UnknownError(what, name, meant, list)}
}

// unknownName is the fs.ErrNotExist of a description.
type unknownName struct{ error }

func (unknownName) Is(target error) bool { return target == fs.ErrNotExist }
