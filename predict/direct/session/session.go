// Package session runs a program under the simulator, in the process that 'predict direct' has built and started. A
// file that imports this package is added to the user's main package, as with package session of tracegen.
package session

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"spoor/calibrate/machine"
	"spoor/predict/internal/direct"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/replay"
	tracing "spoor/tracegen/instrument/session"
	"spoor/tracegen/spmd"
	"spoor/traces/unit"
)

// Path is the import path of this package, for the build.
const Path = "spoor/predict/direct/session"

// Order is the request of predict direct: the machine and the options.
type Order struct {
	Machines    []Machine // the machine, and nodes of other kinds that replace its last ones
	Scope       replay.Scope
	Ahead       int              // of messages
	Protocol    outcome.Protocol // of messages
	Workers     int              // of messages
	Application int              // of messages
	Quantum     unit.Picos       // of messages
	Semantics   replay.Semantics // of messages
	Barrier     unit.Picos       // of references
	Phases      bool             // of references
	Placed      []int            // node of each rank; nil: in order
	Whole       bool             // of machine.Machine
	Journal     string           // file for what an observer sees, or empty
}

// Machine is a machine file.
type Machine struct {
	Name string // of the file, for error messages
	Text []byte
}

// Result is the result of the run.
type Result struct {
	Run      []byte // replay.Result as gob, because JSON does not read its sizes as it writes them
	Dropped  uint64 // references to memory that has no address
	Warnings []string
}

// Decode returns the result of the simulation.
func (r *Result) Decode() (*replay.Result, error) {
	res := new(replay.Result)
	if err := gob.NewDecoder(bytes.NewReader(r.Run)).Decode(res); err != nil {
		return nil, fmt.Errorf("reading the result of the program's simulation: %w", err)
	}
	for _, w := range r.Warnings {
		res.Warnings = append(res.Warnings, errors.New(w))
	}
	return res, nil
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
	m.Placed, m.Whole = o.Placed, o.Whole
	opt := direct.Options{Procs: procs, Ahead: o.Ahead, Allocated: true,
		Options: replay.Options{Scope: o.Scope, Semantics: o.Semantics, Barrier: o.Barrier, Phases: o.Phases}}
	opt.Engine = engine.Options{Protocol: o.Protocol, Workers: o.Workers, Application: o.Application, Quantum: o.Quantum}
	res, err := o.observed(func(watch observe.Observer) (*direct.Result, error) {
		opt.Observer = watch
		return direct.Simulate(context.Background(), program, m, opt) // an interrupt ends the process
	})
	if err != nil {
		return result, err
	}
	result.Dropped = res.Recording.Dropped
	for _, w := range res.Warnings {
		result.Warnings = append(result.Warnings, w.Error())
	}
	res.Warnings = nil // errors cannot be encoded
	var out bytes.Buffer
	err = gob.NewEncoder(&out).Encode(res.Result)
	result.Run = out.Bytes()
	return result, err
}

// observed simulates with an observer that writes the Journal, or without one.
func (o *Order) observed(simulate func(observe.Observer) (*direct.Result, error)) (res *direct.Result, err error) {
	if o.Journal == "" {
		return simulate(nil)
	}
	file, err := os.Create(o.Journal)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(file)
	journal := observe.NewJournal(out)
	res, err = simulate(journal)
	if failed := errors.Join(journal.Err(), out.Flush(), file.Close()); err == nil && failed != nil {
		err = fmt.Errorf("writing what was observed: %w", failed)
	}
	return res, err
}
