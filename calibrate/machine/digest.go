package machine

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"reflect"
)

// Digest returns the SHA-256 of the values of m that results depend on, in hexadecimal. Names, descriptions and comments
// do not matter, nor does the form of a number.
func (m *Machine) Digest() string {
	h := sha256.New()
	digest(h, reflect.ValueOf(*m))
	return fmt.Sprintf("%x", h.Sum(nil))
}

// undigested are fields that results do not depend on, or that no description has.
var undigested = map[string]bool{"Name": true, "About": true, "Source": true, "Assumed": true, "Given": true, "Exposed": true, "Placed": true, "Whole": true}

// later are fields that older descriptions lack. They are left out where they are absent, so that those keep their digest.
var later = map[string]bool{"Levels": true, "Dims": true, "Down": true, "Up": true, "Parallel": true, "Taper": true, "Groups": true, "Chassis": true,
	"Routers": true, "Hosts": true, "Global": true, "Rails": true, "Routing": true, "Seed": true, "SimGrid": true, "Interrupt": true, "BufferCopy": true}

// digest adds a value to h, with the names of its fields. The fields of an embedded structure are those of the outer one.
func digest(h hash.Hash, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			fmt.Fprint(h, "none;")
			return
		}
		digest(h, v.Elem())
	case reflect.Struct:
		fmt.Fprint(h, "{")
		digestFields(h, v)
		fmt.Fprint(h, "}")
	case reflect.Slice:
		fmt.Fprintf(h, "%d[", v.Len())
		for i := range v.Len() {
			digest(h, v.Index(i))
		}
		fmt.Fprint(h, "]")
	case reflect.Float64:
		fmt.Fprintf(h, "%x;", v.Float())
	case reflect.Int, reflect.Int64:
		fmt.Fprintf(h, "%d;", v.Int())
	case reflect.Uint64:
		fmt.Fprintf(h, "%d;", v.Uint())
	case reflect.Bool:
		fmt.Fprintf(h, "%t;", v.Bool())
	case reflect.String:
		fmt.Fprintf(h, "%q;", v.String())
	default:
		panic(fmt.Sprintf("a description has a field of kind %v", v.Kind()))
	}
}

func digestFields(h hash.Hash, v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch name := field.Name; {
		case field.Anonymous:
			digestFields(h, v.Field(i))
		case undigested[name] || later[name] && v.Field(i).IsZero():
		default:
			fmt.Fprintf(h, "%s:", name)
			digest(h, v.Field(i))
		}
	}
}
