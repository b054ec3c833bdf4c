package workload

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"spoor/traces/nearest"
)

// unknown is the error of a name that is none of names: it suggests the nearest,
// if one is near, and lists all.
func unknown(what, name string, names []string) error {
	hint := ""
	if best := nearest.Name(name, names); best != "" {
		hint = fmt.Sprintf("did you mean %q? ", best)
	}
	return fmt.Errorf("%s %q does not exist; %spossible: %s", what, name, hint, strings.Join(names, ", "))
}

func sortedKeys(v Values) []string { return slices.Sorted(maps.Keys(v)) }
