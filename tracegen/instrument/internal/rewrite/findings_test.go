package rewrite

import (
	"slices"
	"strings"
	"testing"
)

const strange = `package strange

import "sync/atomic"

type embedding struct{ atomic.Int32 }

func assembly(x int) int

//go:nosplit
func small(x *int) { *x++ }

func maps(m map[int]int, a []int) {
	m[1] = a[0]
	v, ok := m[2]
	_, _ = v, ok
	for range m {
	}
	a[m[3]]++
}

func generic[T ~string | ~[]byte](s T) []byte {
	_ = s[0]
	return []byte(s)
}

func literals() []*[]int {
	return []*[]int{{1}}
}

func start(e *embedding) {
	go maps(nil, nil)
	e.Add(1)
}
`

// What cannot be recorded is named, with its place.
func TestFindings(t *testing.T) {
	p := parsed(t, "strange.go", strange)
	r := rewritten(t, p, Options{Mode: Trace})
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.String())
	}
	want := []string{
		"strange.go:7:1: assembly has no body in Go, and is not recorded",
		"strange.go:10:1: small is go:nosplit, and is not rewritten",
		"strange.go:13:2: element of a map, because its address is not known",
		"strange.go:14:11: element of a map, because its address is not known",
		"strange.go:16:2: element of a map, because its address is not known",
		"strange.go:18:4: element of a map, because its address is not known",
		"strange.go:22:6: element of a value that is a string or a slice, depending on a type parameter",
		"strange.go:23:9: conversion that copies a string or a slice, depending on a type parameter",
		"strange.go:27:18: initialization of memory by a literal within a literal",
		"strange.go:31:2: a goroutine is started, but Options.Goroutines is not set",
		"strange.go:32:2: atomic operation through an embedded field",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if again := rewritten(t, p, Options{Mode: Trace}); string(again.Files["strange.go"]) != string(r.Files["strange.go"]) {
		t.Error("rewriting again gives another text")
	}
}

// Files that use cgo stay as they are.
func TestCgoIsLeftAlone(t *testing.T) {
	const src = "package p\n\nimport \"C\"\n\nfunc f(a []int) int {\n\treturn a[0]\n}\n"
	r := rewritten(t, parsed(t, "c.go", src), Options{Mode: Trace})
	if got := string(r.Files["c.go"]); got != src {
		t.Errorf("rewritten to\n%s", got)
	}
	if len(r.Findings) != 1 || r.Findings[0].String() != "c.go:1:1: the file uses cgo, and is not rewritten" {
		t.Errorf("findings %v", r.Findings)
	}
}

func TestWrongUse(t *testing.T) {
	p := parsed(t, "p.go", "package p\n")
	if _, err := Rewrite(p, Options{}); err == nil || err.Error() != "rewriting p: no mode" {
		t.Errorf("without a mode: %v", err)
	}
	p.Src = nil
	if _, err := Rewrite(p, Options{Mode: Count}); err == nil || err.Error() != "rewriting p: the source of p.go is missing" {
		t.Errorf("without a source: %v", err)
	}
}
