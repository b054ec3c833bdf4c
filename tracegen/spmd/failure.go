package spmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
)

// errStopped is the result of a rank that panicked with Stopped. It is not a failure of that rank.
var errStopped = errors.New("stopped")

// call runs the program on one rank. A panic becomes an error with its position.
func call(r *Rank, program Program) (err error) {
	defer func() {
		switch p := recover(); p.(type) {
		case nil:
		case Stopped:
			err = errStopped
		default:
			err = fmt.Errorf("rank %d: panic%s: %v", r.id, panicPlace(), p)
		}
	}()
	if err := program(r); err != nil {
		return fmt.Errorf("rank %d: %w", r.id, err)
	}
	return nil
}

// panicPlace returns " at file.go:12", the innermost position outside the runtime and this package, or "". It is
// called while panicking.
func panicPlace() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	here := reflect.TypeFor[Rank]().PkgPath()
	for {
		f, more := frames.Next()
		ours := (strings.HasPrefix(f.Function, here+".") || strings.HasPrefix(f.Function, here+"/internal/")) && !strings.HasSuffix(f.File, "_test.go")
		if f.File != "" && !ours && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf(" at %s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

// CheckProcs returns an error if the number of ranks is out of range.
func CheckProcs(procs int) error {
	if procs < 1 || procs > MaxProcs {
		return fmt.Errorf("procs=%d is out of range; 1 to %d", procs, MaxProcs)
	}
	return nil
}
