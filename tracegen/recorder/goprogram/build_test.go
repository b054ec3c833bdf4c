package goprogram

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
)

// TestPatchesFitThisGo makes the overlay of the installed Go for all processors. A Go whose runtime differs is refused.
func TestPatchesFitThisGo(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	env, err := readEnvironment(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for env.GOARCH = range assembly {
		if _, err := overlayFiles(env); err != nil {
			t.Error(err)
		}
	}
	env.GOROOT, env.GOVERSION = t.TempDir(), "go9.9"
	if _, err := overlayFiles(env); err == nil || !strings.Contains(err.Error(), "go9.9") {
		t.Errorf("a Go without sources: %v", err)
	}
}

func TestPatch(t *testing.T) {
	p := after("f.go", "\nfunc two(", ") {\n", "\tx()\n")
	const text = "func one() {\n}\n\nfunc two() {\n}\n\nfunc three() {\n}\n"
	have, err := p.apply(text)
	if want := strings.Replace(text, "two() {\n", "two() {\n\tx()\n", 1); have != want || err != nil {
		t.Errorf("%q, %v", have, err)
	}
	for _, bad := range []string{"", "func one() {\n}\n", text + text, "\nfunc two(\n"} {
		if _, err := p.apply(bad); err == nil || !strings.HasPrefix(err.Error(), "f.go has no ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if p := renamed("f.go", "(o *Once) Do", "()"); p.text != "(o *Once) spoorDo()" {
		t.Errorf("renamed to %q", p.text)
	}
}

// TestBuildRefuses: what cannot be built is one error.
func TestBuildRefuses(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Package: "./nowhere"}, "finding the Go package ./nowhere: "},
		{Options{Package: "."}, "is package goprogram and no program; record its tests: --go-test ."},
	} {
		c.o.Err = new(bytes.Buffer)
		if _, err := Build(context.Background(), t.TempDir(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.o.Package, err)
		}
	}
	t.Setenv("GOOS", "plan9")
	if _, err := Build(context.Background(), t.TempDir(), Options{Package: "."}); err == nil || !strings.Contains(err.Error(), "plan9") {
		t.Errorf("a program for another system: %v", err)
	}
}

func TestNames(t *testing.T) {
	if have := name("./a/b.go", "command-line-arguments"); have != "b" {
		t.Errorf("the program of a file is %s", have)
	}
	for path, want := range map[string]string{"a/b": "b", "a/b/v2": "b", "v2": "v2", "a/v": "v", "a/v2x": "v2x"} {
		if have := name(".", path); have != want {
			t.Errorf("%s: %s, not %s", path, have, want)
		}
	}
}
