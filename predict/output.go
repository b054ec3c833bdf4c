package main

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"spoor/predict/internal/model"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// tableOutput are the flags about the table of a command: how to print it, and the file to write it to, if any.
type tableOutput struct {
	format stage.Format
	file   string
}

// add adds --format and -o, whose help is given.
func (o *tableOutput) add(flags *pflag.FlagSet, help string) {
	o.format = stage.Human
	flags.Var(&o.format, "format", "how to print the result")
	flags.StringVarP(&o.file, "output", "o", "", help)
}

// write writes t to the file of -o, if it is given. An error says what is written: the file if it is "".
func (o *tableOutput) write(what string, t *store.Table) error {
	if o.file == "" {
		return nil
	}
	if what == "" {
		what = o.file
	}
	if err := store.WriteTable(o.file, t); err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
	}
	return nil
}

// toolFacts is the metadata of all tables of predict.
func toolFacts() []trace.Arg { return []trace.Arg{{Key: "tool", Value: "predict " + stage.Version}} }

// noteAll prints notes to standard error.
func noteAll(env *stage.Env, notes []string) {
	for _, n := range notes {
		env.Note("%s", n)
	}
}

// machineDigest is the column with the digest of the machine's description.
const machineDigest = "machine_sha256"

// processorRun is one processor of a run in JSON, in seconds. Its time is when it ended, and the sum of its parts.
type processorRun struct {
	Proc       int     `json:"proc"`
	Time       float64 `json:"time"`
	Compute    float64 `json:"compute"`
	Overhead   float64 `json:"overhead"` // of messages
	Latency    float64 `json:"latency"`
	Contention float64 `json:"contention"`
	Wait       float64 `json:"wait"`
}

// processRuns is a run in JSON.
type processRuns struct {
	Time     float64        `json:"time"`
	Procs    []processorRun `json:"procs"`
	Messages uint64         `json:"messages"`
	Events   uint64         `json:"events"`
}

// printWarnings prints each kind of warning once.
func printWarnings(w io.Writer, warnings []error) {
	for _, k := range model.WarningKinds(warnings) {
		fmt.Fprintf(w, "warning: %v\n", k)
	}
}

// noteWarnings prints each kind of warning once to standard error, where standard output has only a table.
func noteWarnings(env *stage.Env, warnings []error) {
	for _, k := range model.WarningKinds(warnings) {
		env.Note("%v", k)
	}
}
