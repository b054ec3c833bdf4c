package plan

import (
	"math"
	"os"
	"path/filepath"
	"strings"
)

// What commands take, from the sizes of their inputs. This is the only place that says so.
//
// A step is expected to take start seconds and rate seconds for each MB (10^6 B) of its traces, and start and share of their bytes in
// memory. Traces are the inputs and outputs that end in .refs.arrow or .events.arrow, and what is imported. The figures were measured
// on the programs of the quickstart, with one core of an x86-64 server, and rounded up. They are no limits: limits are several times as
// large, see package slurm.
var costs = []struct {
	command     string
	start, rate float64
	memory      int64 // [B]
	share       float64
}{
	{"tracegen", 0.1, 0.15, 128 << 20, 1},
	{"traces import", 0.1, 0.3, 128 << 20, 2},
	{"analyze merge", 0.1, 0.02, 128 << 20, 2},
	{"analyze", 0.1, 0.15, 128 << 20, 4},
	{"predict replay", 0.2, 0.1, 160 << 20, 4},
	{"predict direct", 0.2, 0.1, 160 << 20, 4},
	{"predict", 1, 0.02, 128 << 20, 1},
	{"", 1, 0.15, 256 << 20, 4}, // all others
}

// DefaultTraceSize is the size that a trace is taken to have that does not exist yet [B].
const DefaultTraceSize = 64 << 20

// importRatio is the size of a trace over that of the compressed file that it is imported from.
const importRatio = 3

// estimate sets the expected time and memory of all steps. Traces that do not exist yet are taken to have traceSize bytes, those that
// are imported importRatio times the size of their file, and all other files that do not exist 1 MB.
func (p *Plan) estimate(traceSize int64) {
	sizes := map[string]int64{} // of files that do not exist yet
	size := func(name string) int64 {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Directory, name)
		}
		if s, err := os.Stat(name); err == nil && s.Mode().IsRegular() {
			return s.Size()
		}
		return sizes[name]
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		imports := strings.Contains(s.Command, "traces import")
		var read, written int64
		for _, name := range s.Inputs {
			if isTrace(name) || imports && !isProgram(name) {
				read += size(name)
			}
		}
		for _, name := range s.Outputs {
			expected := int64(1e6)
			switch {
			case imports && strings.HasSuffix(name, ".refs.arrow"):
				expected = importRatio * read
			case strings.HasSuffix(name, ".refs.arrow"):
				expected = traceSize
			}
			sizes[filepath.Join(p.Directory, name)] = expected
			if isTrace(name) && !imports {
				written += size(name)
			}
		}
		s.Seconds, s.Memory = cost(s.Command, read+written)
	}
}

func isTrace(name string) bool {
	return strings.HasSuffix(name, ".refs.arrow") || strings.HasSuffix(name, ".events.arrow")
}

// isProgram reports whether an input of a step is one of the binaries, which lie in bin.
func isProgram(name string) bool { return filepath.Base(filepath.Dir(name)) == "bin" }

// cost is what a command takes with so many bytes of traces. Time grows with the number of machines that a trace is simulated on.
func cost(command string, bytes int64) (seconds float64, memory int64) {
	for _, c := range costs {
		if c.command == "" || strings.HasPrefix(command, c.command+" ") || strings.Contains(command, "\n"+c.command+" ") {
			machines := max(1, strings.Count(command, "--machine "))
			if c.command == "predict" || !strings.HasPrefix(c.command, "predict") {
				machines = 1
			}
			seconds = c.start + c.rate*float64(bytes)/1e6*float64(machines)
			return math.Round(seconds*10) / 10, c.memory + int64(c.share*float64(bytes))
		}
	}
	panic("plan: the last cost is for all commands")
}
