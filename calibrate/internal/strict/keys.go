package strict

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"spoor/traces/lookup"
)

// spelling refuses keys that the TOML reader matched without regard to case.
func (d *Document) spelling(into reflect.Type) error {
	for _, key := range d.keys {
		for at, rest := into, index.ReplaceAllString(key, ""); rest != ""; {
			var part string
			part, rest, _ = strings.Cut(rest, ".")
			if at = field(at, part); at == nil {
				break // a value
			}
			if at == unknown {
				return d.unknownKey(d.lines[key], key, into)
			}
		}
	}
	return nil
}

// index matches an array index in a path.
var index = regexp.MustCompile(`\[[0-9]+\]`)

// unknown is the type of a key that a struct does not have.
var unknown = reflect.TypeFor[struct{ unknown bool }]()

// unknownKey returns the error for a key that into does not have. It suggests the nearest key of its table.
func (d *Document) unknownKey(line int, key string, into reflect.Type) error {
	table, at := "", into
	for rest := index.ReplaceAllString(key, ""); rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, ".")
		next := field(at, part)
		if next == nil {
			break
		}
		if next == unknown {
			if meant := lookup.Nearest(part, keysOf(at)); meant != "" {
				return fmt.Errorf("%s:%d: unknown key %s; did you mean %s?", d.name, line, key, join(table, meant))
			}
			break
		}
		table, at = join(table, part), next
	}
	return fmt.Errorf("%s:%d: unknown key %s", d.name, line, key)
}

// keysOf lists the keys of a table that is decoded into t.
func keysOf(t reflect.Type) (keys []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("toml"); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// field returns the type of a key of t. It returns unknown if there is no such field, and nil if t has no keys.
func field(t reflect.Type, key string) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Map:
		return t.Elem()
	case reflect.Struct:
	default:
		return nil
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("toml") == key {
			return f.Type
		}
	}
	return unknown
}
