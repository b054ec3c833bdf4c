package weigh

import (
	"debug/dwarf"
	"fmt"
	"strings"
)

// Instances of a generic function share machine code if the underlying types of their type arguments are the same.
// The compiler names such code after shapes, as in slices.Sort[go.shape.[]int,go.shape.int]. A running instance
// knows the size and the kind of its type arguments, so the key of an instance has these. It is "24:23,8:2" in the
// example: the size, and reflect.Kind. Instances with equal keys are averaged.

// shapes are the keys of single shapes, by name.
type shapes map[string]string

const shapePrefix = "go.shape."

// kindAttr is the attribute of a type that holds its reflect.Kind.
const kindAttr = dwarf.Attr(0x2900)

// pointerKeys are keys of shapes whose entries have no size. They have the size of a pointer on 64-bit machines.
var pointerKeys = []struct{ start, key string }{
	{"*", "8:22"}, {"unsafe.Pointer", "8:26"}, {"func(", "8:19"}, {"map[", "8:21"}, {"chan ", "8:18"}, {"<-chan ", "8:18"},
	{"interface {", "16:20"},
}

// add adds the key of a type if it is a shape.
func (s shapes) add(e *dwarf.Entry) {
	name, _ := e.Val(dwarf.AttrName).(string)
	size, sized := e.Val(dwarf.AttrByteSize).(int64)
	kind, _ := e.Val(kindAttr).(int64)
	if strings.HasPrefix(name, shapePrefix) && sized && kind > 0 {
		s[name] = fmt.Sprintf("%d:%d", size, kind)
	}
}

// key returns the key of the type arguments in the name of a function. It is "" if they are not known, and for
// functions that are not generic.
func (s shapes) key(name string) string {
	_, rest, ok := strings.Cut(name, "["+shapePrefix)
	if !ok {
		return ""
	}
	var keys []string
	for _, arg := range typeArguments(shapePrefix + rest) {
		k := s.keyOf(arg)
		if k == "" {
			return ""
		}
		keys = append(keys, k)
	}
	return strings.Join(keys, ",")
}

func (s shapes) keyOf(shape string) string {
	rest, ok := strings.CutPrefix(shape, shapePrefix)
	if !ok {
		return ""
	}
	for _, p := range pointerKeys {
		if strings.HasPrefix(rest, p.start) {
			return p.key
		}
	}
	return s[shape]
}

// typeArguments splits the text after an opening bracket at its commas, up to the closing bracket.
func typeArguments(text string) (args []string) {
	depth, start := 0, 0
	for i, c := range text {
		switch c {
		case '[', '(', '{':
			depth++
		case ')', '}':
			depth--
		case ',', ']':
			if depth == 0 {
				args = append(args, text[start:i])
				start = i + 1
			}
			if c == ']' {
				if depth--; depth < 0 {
					return args
				}
			}
		}
	}
	return nil
}
