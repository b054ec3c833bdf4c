// Package session makes a program that predict direct has built and started run under the simulator.
// A file that imports it is added to the user's main package, as with package session of tracegen.
package session

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"spoor/calibrate/machine"
	"spoor/predict/direct"
	"spoor/predict/engine"
	"spoor/predict/replay"
	"spoor/tracegen/instrument/wire"
	"spoor/tracegen/spmd"
)

// Path is that of this package, for the build.
const Path = "spoor/predict/direct/session"

// Order is what the program is to run on.
type Order struct {
	Name      string // of the machine's file, for messages
	Machine   []byte // its text
	Ahead     int
	Semantics replay.Semantics
}

// Result is what became of it.
type Result struct {
	Result   *engine.Result
	Warnings []string
}

func init() { wire.Serve(execute) }

func execute(order *wire.Order, program spmd.Program, _ *wire.Writer) (out wire.Result, err error) {
	var o Order
	if err := json.Unmarshal([]byte(order.Simulate), &o); err != nil {
		return out, fmt.Errorf("reading what is to be simulated: %w", err)
	}
	m, err := machine.Parse(o.Name, o.Machine)
	if err != nil {
		return out, err
	}
	start := time.Now()
	res, err := direct.Run(context.Background(), program, m, direct.Options{Procs: order.Procs, Ahead: o.Ahead, Semantics: o.Semantics})
	if err != nil {
		return out, err
	}
	out.Seconds = time.Since(start).Seconds()
	said := Result{Result: res.Result}
	for _, w := range res.Warnings {
		said.Warnings = append(said.Warnings, w.Error())
	}
	out.Simulated, err = json.Marshal(said)
	return out, err
}
