package format

import (
	"context"
	"io"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

// An Importer reads a format with Options, and an Exporter writes it with ExportOptions.
type (
	Importer      = format.Importer
	Options       = format.Options
	Exporter      = format.Exporter
	ExportOptions = format.ExportOptions
)

// Simulated is the known result of a simulation besides the begins of events, for an Exporter.
type (
	Simulated     = format.Simulated
	Message       = format.Message
	State         = format.State
	StateInterval = format.StateInterval
)

// The states, which are the parts of a simulated time.
const (
	StateCompute    = format.StateCompute
	StateOverhead   = format.StateOverhead
	StateLatency    = format.StateLatency
	StateContention = format.StateContention
	StateWait       = format.StateWait
)

// Open opens the file at path to import it; "-" is stdin. If seen is not nil, another goroutine calls it with the
// number of compressed bytes of every read.
func Open(ctx context.Context, path string, stdin io.Reader, seen func(n int)) (*input.Input, error) {
	return input.Open(ctx, path, stdin, seen)
}
