package main

import (
	"embed"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// knownProcs returns an error if t lacks one of procs.
func knownProcs(t *store.Trace, procs []trace.Proc) error {
	for _, p := range procs {
		if n := t.Header().Procs; p < 0 || int(p) >= n {
			return stage.Usage("--proc: there is no processor %d: the trace has %d", p, n)
		}
	}
	return nil
}

// helpTexts has the help text of each command.
//
//go:embed help/*.txt
var helpTexts embed.FS
