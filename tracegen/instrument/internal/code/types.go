package code

import (
	"go/ast"
	"go/constant"
	"go/types"
)

// Core returns the underlying type of t. For a type parameter, it is the underlying type of all its types, or nil
// if they differ.
func Core(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	c, ok := coreOf(p.Constraint().Underlying())
	if !ok {
		return nil
	}
	return c
}

// coreOf returns the one underlying type in the type set of a constraint. It returns nil and true if every type is
// in the set.
func coreOf(t types.Type) (c types.Type, one bool) {
	i, ok := t.(*types.Interface)
	if !ok {
		return t, true
	}
	join := func(x types.Type) bool {
		u, ok := coreOf(x.Underlying())
		if !ok || u != nil && c != nil && !types.Identical(u, c) {
			return false
		}
		if u != nil {
			c = u
		}
		return true
	}
	for k := range i.NumEmbeddeds() {
		union, ok := i.EmbeddedType(k).(*types.Union)
		if !ok {
			if !join(i.EmbeddedType(k)) {
				return nil, false
			}
			continue
		}
		for j := range union.Len() {
			if !join(union.Term(j).Type()) {
				return nil, false
			}
		}
	}
	return c, true
}

// IsPointer reports whether values of t are pointers.
func IsPointer(t types.Type) bool {
	_, ok := Core(t).(*types.Pointer)
	return ok
}

// IsInterface reports whether values of t are interface values.
func IsInterface(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return types.IsInterface(t) && !param
}

// IsString reports whether t is a string type.
func IsString(t types.Type) bool {
	b, ok := Core(t).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// IsInteger reports whether t is an integer type, or a type parameter.
func IsInteger(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// IsSlice reports whether values of t are slices.
func IsSlice(t types.Type) bool {
	_, ok := Core(t).(*types.Slice)
	return ok
}

// IsUnsigned reports whether values of t are unsigned integers.
func IsUnsigned(t types.Type) bool {
	b, ok := Core(t).(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}

// Parametric reports whether the size of t depends on type parameters.
func Parametric(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Array:
		return Parametric(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if Parametric(t.Field(i).Type()) {
				return true
			}
		}
	case *types.Named:
		switch u := t.Underlying().(type) {
		case *types.Struct, *types.Array:
			return t.TypeArgs().Len() > 0 && Parametric(u)
		}
	}
	return false
}

// holdsCode reports whether a value of t can lead to a function or an interface, and so to code of the package that
// passes the value.
func holdsCode(t types.Type) bool { return reaches(t, map[types.Type]bool{}) }

func reaches(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		return reaches(types.Unalias(t), seen)
	case *types.Named:
		return reaches(t.Underlying(), seen)
	case *types.TypeParam:
		return t.Constraint().Underlying().(*types.Interface).NumMethods() > 0
	case *types.Interface, *types.Signature:
		return true
	case *types.Pointer:
		return reaches(t.Elem(), seen)
	case *types.Slice:
		return reaches(t.Elem(), seen)
	case *types.Array:
		return reaches(t.Elem(), seen)
	case *types.Chan:
		return reaches(t.Elem(), seen)
	case *types.Map:
		return reaches(t.Key(), seen) || reaches(t.Elem(), seen)
	case *types.Struct:
		for i := range t.NumFields() {
			if reaches(t.Field(i).Type(), seen) {
				return true
			}
		}
	}
	return false
}

// Constant reports whether e is a constant, nil or a type, which are not evaluated.
func (c *Facts) Constant(e ast.Expr) bool {
	tv := c.Info.Types[e]
	return tv.Value != nil || tv.IsType() || tv.IsNil()
}

// ConstantInt returns the value of an integer constant.
func ConstantInt(info *types.Info, e ast.Expr) (int64, bool) {
	v := info.Types[e].Value
	if v == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(v))
}

// IsScalar reports whether values of t fit into a register.
func IsScalar(t types.Type) bool {
	switch t := types.Unalias(t).Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsInteger|types.IsFloat|types.IsBoolean) != 0
	case *types.Pointer:
		return true
	}
	return false
}
