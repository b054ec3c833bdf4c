// Package accuracy widens the intervals of models by how far from simulation they were.
//
// An interval that a model gives itself covers what it varies: parameters, or assumptions of which two are as good. How
// far off the model itself is can only be measured, on programs and machines that were simulated too. The tables of this package
// hold, for each prediction of such a study, how far beyond the model's interval the simulation was. An interval for another
// program is widened by the factor within which 95 % of those were: conformalized quantile regression [romano2019], which covers 95 % of
// what resembles the study, whatever the distribution is.
//
// The factor is the same to either side. With some dozen programs a quantile of each side is that of the worst program or two on it,
// and that others are off one way does not say that the next one is: of mva on SMPs, IS is 25 % below its intervals and Cholesky 23 % above, and nobody else is
// far off. A factor has all programs for both sides.
//
// Programs are held out whole: what was measured on a program does not widen, or narrow, the intervals of its own predictions,
// so that a program of the study is told as much as one that nobody has seen. Predictions for one program resemble each other, so
// that it is the number of programs that counts: of m others, all that is known of one more is that it is the worst with a
// probability of 1/(m+1) [lee2023]. Therefore programs are not divided into classes, such as those with locks, which
// models know nothing of: it takes 9 others for 90 %, and 19 for 95 %.
//
//   - [lee2023] Yonghoon Lee, Rina Foygel Barber, Rebecca Willett: Distribution-free inference with hierarchical data. 2023.
//   - [romano2019] Yaniv Romano, Evan Patterson, Emmanuel J. Candès: Conformalized Quantile Regression. NeurIPS 2019.
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

	"spoor/predict/model"
)

// Level is the share of simulations that intervals are to hold.
const Level = 0.95

// cluster.csv is what `make -C pipelines/du2000 accuracy` leaves.
//
//go:embed cluster.csv
var clusterTable string

// windtunnel.csv is what `make -C pipelines/falsafi1997 accuracy` leaves: speedups beside the critical path, for both placements of targets,
// in quanta of instructions and of simulated time.
//
//go:embed windtunnel.csv
var windTunnelTable string

// Cluster is the table of the models of predict/cluster, and WindTunnel that of predict/windtunnel, whose target is [Quanta].
var (
	Cluster    = sync.OnceValue(func() *Table { return embedded(clusterTable) })
	WindTunnel = sync.OnceValue(func() *Table { return embedded(windTunnelTable) })
)

// What follows the target, in [Cluster], of machines whose processors go on behind misses, and of those that have several levels of caches
// and wait.
const (
	Overlap = "-overlap"
	Levels  = "-levels"
)

// Quanta is the target of all rows of [WindTunnel].
const Quanta = "quanta"

func embedded(text string) *Table {
	t, err := Read(strings.NewReader(text))
	if err != nil {
		panic(err) // a test reads it
	}
	return t
}

// Table is how far simulations were beyond the intervals of models.
type Table struct{ rows []row }

// Kind is the predictions of a model for a kind of machine.
type Kind struct{ Model, Target string }

// row is one prediction that was simulated too.
type row struct {
	Kind
	kernel string
	beyond float64 // the simulation over the nearer end of the interval, less one; 0 inside
}

// head is what a table begins with: columns of predict compare.
const head = "program,target,model,beyond"

// Read reads a table: lines of head, in which beyond is in percent.
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
			return nil, fmt.Errorf("line %d: %q is not how far a time is beyond another, in percent", n, f[3])
		}
		t.rows = append(t.rows, row{Kind{f[2], f[1]}, kernel(f[0]), percent / 100})
	}
	return t, lines.Err()
}

// kernel is the name of a program without its arguments.
func kernel(program string) string {
	name, _, _ := strings.Cut(program, " ")
	return name
}

// ModelMargin is how far simulations of other programs than this one were beyond the intervals of a kind: the factor of the Level
// nearest, to either side. It is unknown where there is none.
func (t *Table) ModelMargin(k Kind, program string) model.ModelMargin {
	var factors []float64 // their logarithms
	kernels := map[string]bool{}
	for _, r := range t.rows {
		if r.Kind != k || r.kernel == kernel(program) {
			continue
		}
		kernels[r.kernel] = true
		factors = append(factors, math.Abs(math.Log1p(r.beyond)))
	}
	if len(factors) == 0 {
		return model.ModelMargin{}
	}
	factor := quantile(factors, Level)
	return model.ModelMargin{Below: -math.Expm1(-factor), Above: math.Expm1(factor),
		Covers: fmt.Sprintf("how far beyond that %v %% of %d simulations of %d other programs were on such machines", 100*Level, len(factors), len(kernels))}
}

// quantile is what another value of the same kind exceeds with a probability of at most 1-q: the one with rank q (n+1) of n, or
// the largest if they are too few [romano2019, lemma 2]. It sorts values.
func quantile(values []float64, q float64) float64 {
	slices.Sort(values)
	rank := int(math.Ceil(q * float64(len(values)+1)))
	return values[min(rank, len(values))-1]
}
