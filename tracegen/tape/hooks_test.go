package tape

import (
	"reflect"
	"testing"
)

type pair struct {
	A string
	B int
}

func shapeIs[T any](t *testing.T) {
	t.Helper()
	r := reflect.TypeFor[T]()
	if got, want := Shape[T](), uint64(r.Size())<<5+uint64(r.Kind()); got != want {
		t.Errorf("%v: %d, want %d", r, got, want)
	}
}

// Shape reads the runtime's types, whose layout another version of Go may change.
func TestShapeIsSizeAndKind(t *testing.T) {
	shapeIs[int](t)
	shapeIs[float32](t)
	shapeIs[string](t)
	shapeIs[[]byte](t)
	shapeIs[*pair](t)
	shapeIs[pair](t)
	shapeIs[[5]pair](t)
	shapeIs[error](t)
	shapeIs[any](t)
	shapeIs[map[int]string](t)
	shapeIs[func()](t)
	shapeIs[chan int](t)
	shapeIs[struct{}](t)
}
