package main

import (
	"embed"
	"errors"
	"spoor/traces/format"
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

// usageOf turns a bad value of a setting, which only the format can detect, into a usage
// error.
func usageOf(err error) error {
	if bad := new(format.SettingError); errors.As(err, &bad) {
		return stage.Usage("%w", bad)
	}
	return err
}

// helpTexts has the help text of each command.
//
//go:embed help/*.txt
var helpTexts embed.FS
