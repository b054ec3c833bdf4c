// Package lookup finds what a user means by a name: a file that comes with Spoor, or the nearest word of a list.
//
// Files that come with Spoor are machine descriptions, price lists, sample traces and example programs. In a checkout
// they lie below its folder; `make install` copies them to PREFIX/share/spoor.
package lookup

import (
	"os"
	"path/filepath"
	"strings"
)

// HomeVariable is the environment variable that names a folder with Spoor's files, for example a checkout.
const HomeVariable = "SPOOR_HOME"

// shipped are the folders of a checkout whose files are installed.
var shipped = []string{"data", "tracegen"}

// Folders lists the folders that may hold data/machine and the like, in the order in which they are searched: the current
// folder, $SPOOR_HOME, the checkout that holds the running binary as bin/COMMAND, and share/spoor next to that bin.
func Folders() []string {
	list := []string{"."}
	if home := os.Getenv(HomeVariable); home != "" {
		list = append(list, home)
	}
	binary, err := os.Executable()
	if err != nil {
		return list
	}
	if target, err := filepath.EvalSymlinks(binary); err == nil {
		binary = target
	}
	prefix := filepath.Dir(filepath.Dir(binary))
	return append(list, prefix, filepath.Join(prefix, "share", "spoor"))
}

// Find returns the file or folder that path means, and whether it is one that comes with Spoor: path itself if it exists, else the
// same path below another one of Folders. Only relative paths that begin with data or tracegen are searched there.
// Find returns path unchanged if it finds nothing.
func Find(path string) (found string, ours bool) {
	if exists(path) || !isShipped(path) {
		return path, false
	}
	for _, folder := range Folders()[1:] {
		if at := filepath.Join(folder, path); exists(at) {
			return at, true
		}
	}
	return path, false
}

// isShipped reports whether path can be one of a file that comes with Spoor.
func isShipped(path string) bool {
	if !filepath.IsLocal(path) {
		return false
	}
	first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(path)), "/")
	for _, folder := range shipped {
		if first == folder {
			return true
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
