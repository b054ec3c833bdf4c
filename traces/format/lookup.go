package format

import (
	"fmt"
	"slices"
	"strings"

	"spoor/traces/nearest"
)

// ByName finds the format called name, in upper or lower case. For an unknown name,
// the error suggests the most similar one.
func ByName(name string) (Format, error) {
	f := find(name)
	if f == nil {
		return nil, fmt.Errorf("there is no format %q; %s", name, advice(name, All, "formats are"))
	}
	return f, nil
}

// find returns the format called name, or nil.
func find(name string) Format {
	for _, f := range All {
		if slices.ContainsFunc(allNames(f), func(s string) bool { return strings.EqualFold(s, name) }) {
			return f
		}
	}
	return nil
}

// allNames lists the name of f and its aliases.
func allNames(f Format) []string {
	all := []string{f.Name()}
	if a, ok := f.(AliasLister); ok {
		all = append(all, a.Aliases()...)
	}
	return all
}

// advice suggests the name or alias of one of formats that is the most similar to
// name. Without a similar one, it lists formats after intro.
func advice[F Format](name string, formats []F, intro string) string {
	var all []string
	for _, f := range formats {
		all = append(all, allNames(f)...)
	}
	if near := nearest.Name(name, all); near != "" && find(name) == nil {
		return fmt.Sprintf("did you mean %q? 'traces formats' lists all", near)
	}
	return intro + " " + names(formats)
}

// ImporterByName finds the format called name, and checks that it can be read.
func ImporterByName(name string) (Importer, error) {
	if im, ok := find(name).(Importer); ok {
		return im, nil
	}
	return nil, fmt.Errorf("no format %q can be read; %s", name, advice(name, able[Importer](), "formats that can are"))
}

// ExporterByName finds the format called name, and checks that it can be written.
func ExporterByName(name string) (Exporter, error) {
	if ex, ok := find(name).(Exporter); ok {
		return ex, nil
	}
	return nil, fmt.Errorf("no format %q can be written; %s", name, advice(name, able[Exporter](), "formats that can are"))
}

// able lists the formats that are also an F.
func able[F Format]() (some []F) {
	for _, f := range All {
		if one, ok := f.(F); ok {
			some = append(some, one)
		}
	}
	return some
}

func names[F Format](formats []F) string {
	var all []string
	for _, f := range formats {
		all = append(all, f.Name())
	}
	return strings.Join(all, ", ")
}
