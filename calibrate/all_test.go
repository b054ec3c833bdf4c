package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/internal/fit/synthetic"
	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/internal/host"
	"spoor/calibrate/packing"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// A measurement without usable times is noted, and the others go on. Any other error ends the command.
func TestNoiseOfOneLosesNothingOfTheRest(t *testing.T) {
	var notes bytes.Buffer
	env := &stage.Env{Out: &bytes.Buffer{}, Err: &notes}
	var done []string
	one := func(name string, err error) step {
		return step{name, func(context.Context, *stage.Env) error { done = append(done, name); return err }}
	}
	noise, fault := &host.TooNoisyError{What: "launches disagree"}, errors.New("disk full")
	none := &noParamsError{errors.New("no time is left"), "h.tcp.arrow"}
	a := &calibration{measuring: measuring{prefix: "h"}}
	if err := a.each(t.Context(), env, []step{one("memory", noise), one("tcp", none), one("ring", nil)}); err != nil {
		t.Error(err)
	}
	want := "h.params.toml is incomplete: no parameters of memory, tcp; repeat each with its own command. First reason: memory: too noisy: launches disagree; no parameters"
	if err := a.missing(); len(done) != 3 || !errors.Is(err, noise) || err.Error() != want {
		t.Errorf("after %v: %v", done, err)
	}
	if got := notes.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "tcp: no time is left; no parameters, the times are in h.tcp.arrow\n") {
		t.Errorf("notes: %q", got)
	}
	if a.quick = true; a.missing() != nil {
		t.Error("a look has an error for noise")
	}
	if err := a.each(t.Context(), env, []step{one("shm", fault), one("unix", nil)}); !errors.Is(err, fault) || len(done) != 4 {
		t.Errorf("after %v: %v", done, err)
	}
}

// A transport without undisturbed times is noted once. Files of the others are written.
func TestTransportWithoutTimesIsLeftOut(t *testing.T) {
	h := synthetic.Host{States: []synthetic.State{{Factor: 1}}, Launches: 3, Reps: 3, Exchanges: true, Noise: synthetic.Noise{Sample: 0.001, Launch: 0.001}}
	network := &synthetic.Network{Send: 1e-6, Receive: 1e-6, Latency: 9e-6, Gap: 2e-6, PerByte: 1e-9, Eager: 1 << 20}
	left := func(keep ...packing.Experiment) *store.Table {
		d := h.Messages(network, 12, 1)
		d.Timings = slices.DeleteFunc(d.Timings, func(one timing.Timing) bool { return one.Set == timing.Test || !slices.Contains(keep, one.Experiment) })
		return d.Table()
	}
	for _, c := range []struct {
		left *store.Table
		note string
	}{
		{left(), "spoor: note: ring: too noisy: every sample was disturbed; no parameters\n"},
		{left(timing.Exchange), "spoor: note: ring: messages: no ping-pong without disturbance is left, and no other time determines a parameter; measure again when the host is idle; " +
			"no parameters, the times are in h.ring.arrow\n"},
	} {
		t.Chdir(t.TempDir())
		var notes bytes.Buffer
		env := &stage.Env{Out: &bytes.Buffer{}, Err: &notes}
		a := &calibration{measuring: measuring{prefix: "h", seed: 1}}
		parts := []part{{name: "ring", prefix: "ring_"}, {name: "tcp", prefix: "tcp_"}}
		tables := []*store.Table{c.left, left(timing.Experiments...)}
		var steps []step
		for i := range parts {
			steps = append(steps, step{parts[i].name, func(_ context.Context, env *stage.Env) error { return a.add(env, &parts[i], tables[i], nil) }})
		}
		if err := errors.Join(a.each(t.Context(), env, steps), a.write()); err != nil {
			t.Fatal(err)
		}
		params, err := os.ReadFile("h.params.toml")
		if err != nil || !bytes.Contains(params, []byte("tcp_")) || bytes.Contains(params, []byte("ring_")) {
			t.Errorf("%v, %s", err, params)
		}
		if strings.Count(notes.String(), "ring") != strings.Count(c.note, "ring") || !strings.Contains(notes.String(), c.note) {
			t.Errorf("notes %q, want %q", &notes, c.note)
		}
		if err := a.missing(); err == nil || !strings.Contains(err.Error(), "no parameters of ring; ") {
			t.Errorf("%v", err)
		}
		if _, err := os.Stat("h.ring.network.toml"); err == nil {
			t.Error("a network of ring")
		}
		if _, err := os.Stat("h.tcp.network.toml"); err != nil {
			t.Error(err)
		}
	}
}
