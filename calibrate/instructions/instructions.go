// Package instructions finds what an instruction of a kernel takes on a host, and which share of the time of cache
// misses its processor waits for.
//
// The time of an instruction, of a kernel and a size of its data, is the native time of a run over the instructions that
// tracegen counts: simulators that execute programs directly have it from there [dickens1996, sec. 3].
//
// Processors go on while misses are under way, so that part of the time of misses is hidden. With I the instructions of
// a run, c what one of the kernel takes whose data are all in the first level, and M the time of all misses if each
// were waited for, the exposed share w is that of
//
//	t = c I + w M,
//
// with a c of its own for each kernel: how times of instructions rise with misses as data grow. [du2000, sec. 7] leaves such
// weights for later. What a run takes that does nothing is taken off all times.
//
// M is of caches that are fully associative, by exact stack distances; what the processor fetches in advance is hidden like
// anything else. Data are new when a run begins, so that a first use misses no level that has room for all of
// them.
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

// Counts are what a run does on any machine.
type Counts struct {
	Instructions, References int64
	// Misses is the uses that a fully associative cache of so many lines of the given size misses.
	Misses func(lines int64) int64
}

// Bench runs kernels natively and counts.
type Bench interface {
	// Native is the times of so many runs.
	Native(ctx context.Context, r Run, runs int) ([]unit.Seconds, error)
	// Count counts what a run does, with lines of this size.
	Count(ctx context.Context, r Run, line unit.Bytes) (Counts, error)
}

// sized are a kernel's arguments by size of data, the smallest first: from what fits into first or second levels to what
// is much larger, and so large that its code goes through the same steps in the same proportions.
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

// startup is a run that does nothing to speak of. Its time is that of the start of a run, and is no other run's.
var startup = Run{"array", []string{"l=1", "statement=0", "repetitions=1"}}

// quick is how many kernels, the last of the plan, are enough for a look, with two sizes.
const quick = 2

// Plan is the runs.
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

// Options are how much is measured.
type Options struct {
	Launches, Runs int
	Seed           uint64
	Plan           []Run
	Machine        *machine.Machine // whose levels misses are of
}

// Measure runs everything in each launch, in shuffled order, and gives a table with a row for each run.
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

// Level is what a miss of a cache costs.
type Level struct {
	Lines int64
	Extra unit.Seconds // what the next level, or the memory, takes longer
}

// LevelsOf are the caches of a machine.
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

// missTime is that of all misses if each is waited for.
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

// facts are of the table.
func (o *Options) facts(levels []Level) []trace.Arg {
	text := ""
	for _, l := range levels {
		text += fmt.Sprintf("%d lines, %v more behind them; ", l.Lines, l.Extra)
	}
	return []trace.Arg{{Key: "machine", Value: o.Machine.Name}, {Key: "line", Value: o.Machine.Caches[0].Line.String()}, {Key: "levels", Value: text},
		{Key: "seed", Value: strconv.FormatUint(o.Seed, 10)}}
}
