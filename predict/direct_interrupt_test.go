package main

import (
	"context"
	"errors"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/direct"
	"spoor/predict/internal/replay"
	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
)

// busy is a run whose rank computes until it may end.
type busy struct {
	kernel.Instance
	begins, may chan struct{}
}

func (b *busy) Program(*spmd.Rank) error {
	close(b.begins)
	<-b.may
	return nil
}

// An interrupt ends the command while a rank computes, and does not wait until it comes to an operation.
func TestDirectInterruptsWhatComputes(t *testing.T) {
	m, err := machine.Read("../data/machine/loggp-example.toml")
	if err != nil {
		t.Fatal(err)
	}
	for name, act := range map[string]func(context.Context, *kernelProgram) error{
		"scope": func(ctx context.Context, p *kernelProgram) error { _, err := p.scope(ctx); return err },
		"simulate": func(ctx context.Context, p *kernelProgram) error {
			_, err := p.simulate(ctx, target{Machine: m}, direct.Options{Procs: 1, Options: replay.Options{Scope: replay.Messages}})
			return err
		},
	} {
		b := &busy{begins: make(chan struct{}), may: make(chan struct{})}
		ctx, interrupt := context.WithCancel(t.Context())
		go func() {
			<-b.begins
			interrupt()
		}()
		p := &kernelProgram{kernel: kernel.Kernel{Name: "busy", Make: func(kernel.Values, int, uint64) kernel.Instance { return b }}, procs: 1}
		if err := act(ctx, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		close(b.may)
	}
}
