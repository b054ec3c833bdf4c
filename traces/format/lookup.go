package format

import (
	"fmt"
	"slices"
	"strings"

	"spoor/traces/internal/format"
	"spoor/traces/lookup"
)

// ByName finds the format called name, in upper or lower case. For an unknown name,
// the error suggests the most similar one.
func ByName(name string) (format.Format, error) {
	f := find(name)
	if f == nil {
		return nil, unknown(name, All)
	}
	return f, nil
}

// find returns the format called name, or nil.
func find(name string) format.Format {
	for _, f := range All {
		if slices.ContainsFunc(allNames(f), func(s string) bool { return strings.EqualFold(s, name) }) {
			return f
		}
	}
	return nil
}

// allNames lists the name of f and its aliases.
func allNames(f format.Format) []string {
	info := f.Info()
	return append([]string{info.Name}, info.Aliases...)
}

// unknown returns the error for a name that is none of formats. It suggests the most similar name or alias.
func unknown[F format.Format](name string, formats []F) error {
	var all []string
	for _, f := range formats {
		all = append(all, allNames(f)...)
	}
	return lookup.UnknownIn("format", name, all, "'traces formats' lists all")
}

// ImporterByName finds the format called name, and checks that it can be read.
func ImporterByName(name string) (format.Importer, error) {
	return byName[format.Importer](name, "read")
}

// ExporterByName finds the format called name, and checks that it can be written.
func ExporterByName(name string) (format.Exporter, error) {
	return byName[format.Exporter](name, "written")
}

// byName finds the format called name, and checks that it is an F, which can be done to it.
func byName[F format.Format](name, done string) (F, error) {
	f := find(name)
	if one, ok := f.(F); ok {
		return one, nil
	}
	var none F
	if f == nil {
		return none, unknown(name, able[F]())
	}
	return none, fmt.Errorf("format %q cannot be %s; formats that can are %s", name, done, names(able[F]()))
}

// able lists the formats that are also an F.
func able[F format.Format]() (some []F) {
	for _, f := range All {
		if one, ok := f.(F); ok {
			some = append(some, one)
		}
	}
	return some
}

func names[F format.Format](formats []F) string {
	var all []string
	for _, f := range formats {
		all = append(all, f.Info().Name)
	}
	return strings.Join(all, ", ")
}
