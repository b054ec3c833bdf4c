package machine

import (
	"encoding"
	"reflect"
	"regexp"
	"slices"

	"spoor/calibrate/internal/strict"
)

// Keys lists all keys of machine files in the order of the sections, for example "cache.size" and
// "node.memory.latency". A key of a list of tables has no index.
func Keys() []string { return keysOf(reflect.TypeFor[document](), "") }

// PriceKeys lists all keys of price files, as Keys does.
func PriceKeys() []string { return keysOf(reflect.TypeFor[pricesText](), "") }

// keysOf lists the keys below a type of section.
func keysOf(section reflect.Type, prefix string) (keys []string) {
	for i := range section.NumField() {
		field := section.Field(i)
		key := prefix + field.Tag.Get("toml")
		of := field.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if reflect.PointerTo(of).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) && of != reflect.TypeFor[text]() {
			keys = append(keys, key) // the whole section as a text
		}
		if below := subsection(of); below != nil {
			keys = slices.Concat(keys, keysOf(below, key+"."))
		} else {
			keys = append(keys, key)
		}
	}
	return keys
}

// subsection returns of if it is a section, or nil if it is a value.
func subsection(of reflect.Type) reflect.Type {
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[text]() {
		return nil
	}
	return of
}

// given returns the keys of a document, each once and without an index.
func given(d *strict.Document) (keys []string) {
	known := slices.Concat(Keys(), PriceKeys())
	for _, path := range d.Keys() {
		if key := index.ReplaceAllString(path, ""); slices.Contains(known, key) && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// index is the index of a list in a path.
var index = regexp.MustCompile(`\[[0-9]+\]`)
