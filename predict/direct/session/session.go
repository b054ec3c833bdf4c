// Package session runs a program under the simulator, in the process that 'predict direct' has built and started. A
// file that imports this package is added to the user's main package, as with package session of tracegen.
package session

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"spoor/calibrate/machine"
	"spoor/predict/internal/direct"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/replay"
	tracing "spoor/tracegen/instrument/session"
	"spoor/tracegen/spmd"
	"spoor/traces/unit"
)

// Path is the import path of this package, for the build.
const Path = "spoor/predict/direct/session"

// Order is the request of predict direct: the machine and the options.
type Order struct {
	Machines  []Machine // the machine, and nodes of other kinds that replace its last ones
	Ahead     int
	Semantics replay.Semantics
	Memory    *Memory // for a program that shares memory; nil: it passes messages
	Mixed     *Mixed  // for a program that does both; or nil
}

// Machine is a machine file.
type Machine struct {
	Name string // of the file, for error messages
	Text []byte
}

// Memory is the options of a program that shares memory.
type Memory struct {
	Barrier    unit.Picos
	MemorySize uint64 // replay.Options.Memory
	Phases     bool
}

// Mixed is the options of a program that shares memory and passes messages.
type Mixed struct {
	MemorySize uint64 // replay.Options.Memory
}

// Result is the result of the run.
type Result struct {
	Result *engine.Result `json:",omitempty"` // of its messages
	// of its shared memory; gob, because JSON does not read its sizes as it writes them
	Memory   []byte `json:",omitempty"`
	Dropped  uint64 // references to memory that has no address
	Warnings []string
}

func encode(r *replay.Result) ([]byte, error) {
	var out bytes.Buffer
	err := gob.NewEncoder(&out).Encode(r)
	return out.Bytes(), err
}

// MemoryResult returns the result of a program that shares memory.
func (r *Result) MemoryResult() (*replay.Result, error) {
	res := new(replay.Result)
	if err := gob.NewDecoder(bytes.NewReader(r.Memory)).Decode(res); err != nil {
		return nil, fmt.Errorf("reading the result of the program's simulation: %w", err)
	}
	for _, w := range r.Warnings {
		res.Warnings = append(res.Warnings, errors.New(w))
	}
	return res, nil
}

// MixedResult returns the result of a program that shares memory and passes messages.
func (r *Result) MixedResult() (*replay.MixedResult, error) {
	memory, err := r.MemoryResult()
	if err != nil {
		return nil, err
	}
	return &replay.MixedResult{Result: memory, Messages: r.Result}, nil
}

func init() {
	spmd.GuardBackends()
	tracing.RunBy(execute)
}

func execute(order *tracing.Order, program spmd.Program) (out tracing.Result, err error) {
	var o Order
	if err := json.Unmarshal([]byte(order.Simulate), &o); err != nil {
		return out, fmt.Errorf("reading the simulation request: %w", err)
	}
	m, err := o.machine()
	if err != nil {
		return out, err
	}
	start := time.Now()
	result, err := o.simulate(program, m, order.Procs)
	if err != nil {
		return out, err
	}
	out.Seconds = time.Since(start).Seconds()
	out.Simulated, err = json.Marshal(result)
	return out, err
}

func (o *Order) machine() (*machine.Machine, error) {
	var all []*machine.Machine
	for _, one := range o.Machines {
		m, err := machine.ParsePart(one.Name, one.Text)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all[0].WithNodes(all[1:]...)
}

func (o *Order) simulate(program spmd.Program, m *machine.Machine, procs int) (result Result, err error) {
	var warnings []error
	switch ctx := context.Background(); { // an interrupt ends the process
	case o.Mixed != nil:
		res, err := direct.Mixed(ctx, program, m, direct.MemoryOptions{Procs: procs, Allocated: true, Options: replay.Options{Memory: unit.Bytes(o.Mixed.MemorySize)}})
		if err != nil {
			return result, err
		}
		result.Result = res.Messages
		warnings, err = result.setMemory(res.Result, res.Recording)
		if err != nil {
			return result, err
		}
	case o.Memory != nil:
		res, err := direct.Memory(ctx, program, m, direct.MemoryOptions{Procs: procs, Allocated: true,
			Options: replay.Options{Barrier: o.Memory.Barrier, Memory: unit.Bytes(o.Memory.MemorySize), Phases: o.Memory.Phases}})
		if err != nil {
			return result, err
		}
		if warnings, err = result.setMemory(res.Result, res.Recording); err != nil {
			return result, err
		}
	default:
		res, err := direct.Run(ctx, program, m, direct.Options{Procs: procs, Ahead: o.Ahead, Semantics: o.Semantics})
		if err != nil {
			return result, err
		}
		warnings, result.Result = res.Warnings, res.Result
	}
	for _, w := range warnings {
		result.Warnings = append(result.Warnings, w.Error())
	}
	return result, nil
}

// setMemory stores the result of the shared memory. It returns the warnings separately, because they cannot be
// encoded.
func (r *Result) setMemory(memory *replay.Result, recording *spmd.Recording) (warnings []error, err error) {
	warnings, memory.Warnings = memory.Warnings, nil
	r.Dropped = recording.Dropped
	r.Memory, err = encode(memory)
	return warnings, err
}
