package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"spoor/calibrate/host"
	"spoor/traces/stage"
)

// What there is too much noise for does not keep the rest from being measured; anything else that goes wrong does.
func TestNoiseOfOneLosesNothingOfTheRest(t *testing.T) {
	env := &stage.Env{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}
	var done []string
	step := func(name string, err error) func(context.Context, *stage.Env) error {
		return func(context.Context, *stage.Env) error { done = append(done, name); return err }
	}
	noise, fault := &host.TooNoisyError{What: "memory: launches disagree"}, errors.New("disk full")
	a := &calibration{}
	if err := a.each(t.Context(), env, []func(context.Context, *stage.Env) error{step("memory", noise), step("ring", nil)}); err != nil {
		t.Error(err)
	}
	if err := a.missing(); len(done) != 2 || !errors.Is(err, noise) || !strings.Contains(err.Error(), "missing is") {
		t.Errorf("after %v: %v", done, err)
	}
	if a.quick = true; a.missing() != nil {
		t.Error("a look has an error for noise")
	}
	if err := a.each(t.Context(), env, []func(context.Context, *stage.Env) error{step("shm", fault), step("unix", nil)}); !errors.Is(err, fault) || len(done) != 3 {
		t.Errorf("after %v: %v", done, err)
	}
}
