// Package instructions measures the time of an instruction of a kernel on a host, and the share of the time of
// cache misses that its processor waits for.
//
// The time of an instruction, for a kernel and a data size, is the native time of a run over the number of
// instructions that tracegen counts. Simulators that execute programs directly use it [dickens1996, sec. 3].
//
// Processors continue while misses are in progress, so that part of the time of misses is hidden. I is the number
// of instructions of a run. c is the time of an instruction of the kernel if all data are in the first level. M is
// the time of all misses if the processor waits for each. The exposed share w is that of
//
//	t = c I + w M,
//
// with a c for each kernel: w describes how the time of an instruction rises with misses as data grow. [du2000,
// sec. 7] leaves such weights for later. The time of an empty run is subtracted from all times.
//
// M assumes fully associative caches and uses exact stack distances. Prefetched misses count as hidden. A run
// begins with new data. Therefore a first use does not miss in a level that is large enough for all data.
package instructions

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"spoor/calibrate/machine"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Run is a kernel with a size.
type Run struct {
	Kernel    string
	Arguments []string // key=value
}

// Counts are the machine-independent counts of a run.
type Counts struct {
	Instructions, References int64
	// Misses returns the number of uses that miss in a fully associative cache of so many lines.
	Misses func(lines int64) int64
}

// Bench runs kernels natively and counts their instructions and misses.
type Bench interface {
	// Native returns the times of so many runs.
	Native(ctx context.Context, r Run, runs int) ([]unit.Seconds, error)
	// Count counts instructions and stack distances of a run, with lines of this size.
	Count(ctx context.Context, r Run, line unit.Bytes) (Counts, error)
}

// sized has a kernel's arguments by data size, ascending: from data that fit into the first or second level to
// much larger data. All are large enough that the code performs its steps in the same proportions.
type sized struct {
	kernel, key string
	sizes       []int
	others      []string
}

var plan = []sized{
	{"fft", "points", []int{4096, 16384, 65536}, nil},
	{"lu", "n", []int{64, 96, 128, 192}, nil},
	{"radix", "keys", []int{32768, 131072, 262144, 524288}, []string{"radix=256"}},
	{"tpcc", "items", []int{1000, 10000, 40000, 100000}, []string{"warehouses=1", "transactions=1000"}},
	{"tomcatv", "size", []int{40, 80, 160, 256}, []string{"iterations=4"}},
	{"sor", "g", []int{100, 200, 400, 700}, []string{"iterations=4", "check=0"}},
	{"cg", "n", []int{256, 1024, 4096, 8192}, nil},
}

// startup is a run with almost no work. Its time is the time of starting a run. No kernel of the plan is like it.
var startup = Run{"array", []string{"l=1", "statement=0", "repetitions=1"}}

// quick is the number of kernels of a quick measurement: the last of the plan, with two sizes each.
const quick = 2

// Plan returns the runs. look selects a quick measurement.
func Plan(look bool) (list []Run) {
	list = append(list, startup)
	kernels := plan
	if look {
		kernels = plan[len(plan)-quick:]
	}
	for _, k := range kernels {
		for i, n := range k.sizes {
			if look && i >= quick {
				break
			}
			r := Run{k.kernel, append([]string{k.key + "=" + strconv.Itoa(n)}, k.others...)}
			if k.kernel == "cg" {
				r.Arguments = append(r.Arguments, "nonzeros="+strconv.Itoa(25*n-n%2))
			}
			list = append(list, r)
		}
	}
	return list
}

// Options say how much is measured.
type Options struct {
	Launches, Runs int
	Seed           uint64
	Plan           []Run
	Machine        *machine.Machine // machine whose cache levels determine misses
}

// Measure runs everything in each launch, in shuffled order, and returns a table with a row for each run.
func Measure(ctx context.Context, b Bench, o Options, step func()) (*store.Table, error) {
	levels := LevelsOf(o.Machine)
	counts := make([]Counts, len(o.Plan))
	for i, r := range o.Plan {
		var err error
		if counts[i], err = b.Count(ctx, r, o.Machine.Caches[0].Line); err != nil {
			return nil, err
		}
		step()
	}
	t, random := &table{}, rand.New(rand.NewPCG(o.Seed, 5))
	for launch := range o.Launches {
		for _, i := range random.Perm(len(o.Plan)) {
			times, err := b.Native(ctx, o.Plan[i], o.Runs)
			if err != nil {
				return nil, err
			}
			for rep, time := range times {
				t.add(o.Plan[i], launch, rep, time, counts[i], levels)
			}
			step()
		}
	}
	return t.table(o, levels), nil
}

// Level is a cache with the cost of a miss.
type Level struct {
	Lines int64
	Extra unit.Seconds // extra time of the next level, or of the memory
}

// LevelsOf returns the caches of a machine.
func LevelsOf(m *machine.Machine) (list []Level) {
	caches := m.Caches
	if m.Shared != nil {
		caches = append(caches[:len(caches):len(caches)], *m.Shared)
	}
	for i, c := range caches {
		next := m.Memory.Latency
		if i+1 < len(caches) {
			next = caches[i+1].Latency
		}
		list = append(list, Level{int64(c.Lines()), m.At(next)})
	}
	return list
}

// missTime returns the time of all misses if the processor waits for each.
func missTime(c Counts, levels []Level) (sum unit.Seconds) {
	const all = 1 << 40 // lines: more than any program has
	footprint := c.Misses(all)
	for _, l := range levels {
		if footprint > l.Lines {
			sum += unit.Seconds(c.Misses(l.Lines)) * l.Extra
		}
	}
	return sum
}

// facts returns the facts of the table.
func (o *Options) facts(levels []Level) []trace.Arg {
	text := ""
	for _, l := range levels {
		text += fmt.Sprintf("%d lines, %v more behind them; ", l.Lines, l.Extra)
	}
	return []trace.Arg{{Key: "machine", Value: o.Machine.Name}, {Key: "line", Value: o.Machine.Caches[0].Line.String()}, {Key: "levels", Value: text},
		{Key: "seed", Value: strconv.FormatUint(o.Seed, 10)}}
}
