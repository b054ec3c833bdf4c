// Package accuracy widens the intervals of models by the error of the models, measured with simulations.
//
// The interval that a model computes covers only what the model varies: parameters, or equally good
// assumptions. The error of the model itself can only be measured, on programs and machines that were also
// simulated. The tables of this package hold, for each prediction of such a study, how far the simulation was
// outside the model's interval. An interval for another program is widened by the factor that covers 95 % of
// them. This is conformalized quantile regression [romano2019]. It covers 95 % of the cases that resemble the
// study, for any distribution.
//
// Each side has a factor of its own, which leaves out half of the rest: models such as curve are nearly always too fast, and
// a common factor would be as wide below as above. With a dozen programs, a factor of one side would be that of its worst one
// or two programs, so that both sides have a common factor.
//
// Programs are held out as a whole. The measurements of a program do not change the intervals of its own
// predictions, so a program of the study gets the same interval as a new program. Predictions for one program
// resemble each other, so the number of programs counts. With m other programs, one more is the worst of all
// with probability 1/(m+1) [lee2023]. So 90 % needs 9 other programs, and 95 % needs 19. Therefore programs
// are not divided into classes that models know nothing about, such as those with locks.
package accuracy

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"spoor/predict/internal/model"
)

// Level is the share of simulations that the intervals should contain.
const Level = 0.95

// cluster.csv is the output of `make -C pipelines/du2000 accuracy`.
//
//go:embed cluster.csv
var clusterTable string

// unseen.csv is the output of `make -C pipelines/unseen accuracy`: programs with locks, flags and forks on machines that people can buy,
// and programs that pass messages.
//
//go:embed unseen.csv
var unseenTable string

// windtunnel.csv is the output of `make -C pipelines/falsafi1997 accuracy`: speedups and the critical path, for both
// placements of targets, in quanta of instructions and of simulated time.
//
//go:embed windtunnel.csv
var windTunnelTable string

// Cluster returns the table of the models of predict/cluster. WindTunnel returns that of predict/internal/windtunnel, with target [Quanta].
var (
	Cluster    = sync.OnceValue(func() *Table { return embedded(clusterTable, unseenTable) })
	WindTunnel = sync.OnceValue(func() *Table { return embedded(windTunnelTable) })
)

// Suffixes of targets in [Cluster]: for machines whose processors continue behind misses, for machines with several levels of
// caches whose processors wait, and for programs that pass messages, with data by first touch or interleaved. After them: for counts in
// the time of the machine.
const (
	Overlap             = "-overlap"
	Levels              = "-levels"
	Messages            = "-messages"
	InterleavedMessages = "-interleaved-messages"
	Timed               = "-timed"
)

// Quanta is the target of all rows of [WindTunnel].
const Quanta = "quanta"

// embedded returns the rows of tables of the program itself.
func embedded(texts ...string) *Table {
	all := &Table{}
	for _, text := range texts {
		t, err := Read(strings.NewReader(text))
		if err != nil {
			panic(err) // cannot happen: a test reads the tables
		}
		all.rows = append(all.rows, t.rows...)
	}
	return all
}

// Table holds how far simulations were outside the intervals of models.
type Table struct{ rows []row }

// Kind selects the predictions of a model for a kind of machine.
type Kind struct{ Model, Target string }

// row is one prediction with its simulation.
type row struct {
	Kind
	kernel string
	beyond float64 // the simulation over the nearer end of the interval, minus 1; 0 inside
}

// head is the first line of a table: columns of predict compare.
const head = "program,target,model,beyond"

// Read reads a table: the line head, and lines with those columns. Column beyond is in percent.
func Read(r io.Reader) (*Table, error) {
	t := &Table{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			if lines.Text() != head {
				return nil, fmt.Errorf("line 1: %q, want %q", lines.Text(), head)
			}
			continue
		}
		f := strings.Split(lines.Text(), ",")
		if len(f) != 4 {
			return nil, fmt.Errorf("line %d: %d values, want those of %q", n, len(f), head)
		}
		percent, err := strconv.ParseFloat(f[3], 64)
		if err != nil || !(percent > -100) || math.IsInf(percent, 0) {
			return nil, fmt.Errorf("line %d: column beyond is %q, not a number of percent above -100", n, f[3])
		}
		t.rows = append(t.rows, row{Kind{f[2], f[1]}, kernel(f[0]), percent / 100})
	}
	return t, lines.Err()
}

// kernel returns the name of a program without its arguments.
func kernel(program string) string {
	name, _, _ := strings.Cut(program, " ")
	return name
}

// rounding is the least factor, as a logarithm: times that are computed in two ways differ by so much.
const rounding = 1e-8

// enoughForSides is the number of other programs from which on each side has a factor of its own: one more program is the worst of all
// of one side with a probability of at most 5 %.
const enoughForSides = 19

// ModelMargin returns how far simulations of programs other than this one were outside the intervals of kind
// k, as two factors that together contain the share Level of them. It is unknown if there are none.
func (t *Table) ModelMargin(k Kind, program string) model.ModelMargin {
	var below, above []float64 // logarithms, 0 for what is on the other side
	kernels := map[string]bool{}
	for _, r := range t.rows {
		if r.Kind != k || r.kernel == kernel(program) {
			continue
		}
		kernels[r.kernel] = true
		beyond := math.Log1p(r.beyond)
		below, above = append(below, max(0, -beyond)), append(above, max(0, beyond))
	}
	if len(kernels) == 0 {
		return model.ModelMargin{}
	}
	low, high := quantile(below, 1-(1-Level)/2), quantile(above, 1-(1-Level)/2)
	if len(kernels) < enoughForSides {
		for i := range below {
			below[i] = max(below[i], above[i])
		}
		low = quantile(below, Level)
		high = low
	}
	low, high = max(low, rounding), max(high, rounding)
	return model.ModelMargin{Below: -math.Expm1(-low), Above: math.Expm1(high),
		Covers: fmt.Sprintf("the model's error, by %v %% of %d simulations of %d other programs on such machines", 100*Level, len(above), len(kernels))}
}

// quantile returns the value that another value of the same kind exceeds with probability at most 1-q. It is
// the value of rank q (n+1) of n, or the largest if n is too small [romano2019, lemma 2]. It sorts values.
func quantile(values []float64, q float64) float64 {
	slices.Sort(values)
	rank := int(math.Ceil(q * float64(len(values)+1)))
	return values[min(rank, len(values))-1]
}
