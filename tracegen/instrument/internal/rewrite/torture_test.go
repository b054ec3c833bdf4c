package rewrite

import "testing"

// The torture program does and prints the same in whatever way it is rewritten.
func TestTortureIsLeftAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles rewritten programs")
	}
	const path = "./testdata/torture"
	p := loaded(t, path)
	want := output(t, build(t, path, nil))
	for name, o := range variants {
		t.Run(name, func(t *testing.T) {
			r := rewritten(t, p, o)
			sameOutput(t, output(t, build(t, path, r.Files)), want)
		})
	}
}
