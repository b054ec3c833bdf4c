package model

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestWarningsOfOneKindAreOneLine(t *testing.T) {
	var b strings.Builder
	for _, k := range WarningKinds([]error{
		errors.New("scaled from 2 processors to 4: see du2000-smp-256k"),
		errors.New("the barrier term ignores barriers"),
		errors.New("scaled from 2 processors to 16: see du2000-smp-256k"),
		errors.New("scaled from 2 processors to 8: see du2000-smp-512k"),
		errors.New("off by -3 % (1.5e-07), 64KiB"),
		errors.New("off by +12 % (0.25), 64KiB"),
		errors.New("the barrier term ignores barriers"),
	}) {
		fmt.Fprintf(&b, "warning: %v\n", k)
	}
	want := "warning: scaled from 2 processors to 4..16: see du2000-smp-256k\n" +
		"warning: the barrier term ignores barriers\n" +
		"warning: scaled from 2 processors to 8: see du2000-smp-512k\n" +
		"warning: off by -3..+12 % (1.5e-07..0.25), 64KiB\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
