package main

import "testing"

// The mirror of the kernels that is committed is what their source makes.
func TestTheMirrorOfTheKernelsIsCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("generates kernels again")
	}
	if list := differences(t, "../../kernel"); len(list) > 0 {
		t.Errorf("run go generate ./tracegen/kernel: %q", list)
	}
}
