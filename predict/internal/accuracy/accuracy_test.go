package accuracy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Of 19 values, the 95 % quantile is the largest; of 39 the one before: as many are below the next value as above.
func TestQuantileLeavesOutWhatItMay(t *testing.T) {
	for n, want := range map[int]float64{1: 1, 19: 19, 38: 38, 39: 38, 40: 39, 79: 76} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(n - i)
			}
			if got := quantile(values, 0.95); got != want {
				t.Errorf("of 1 to %d: %v, want %v", n, got, want)
			}
		})
	}
}

// By hand: 20 other programs, of which one is below by 20 % and one above by 50 %. Of so few, each is the worst of its side. fft's own, and
// other models and machines, do not count.
func TestEachSideHasItsFactor(t *testing.T) {
	text := head + "\nfft,smp,mva,-90\nfft,cow,mva,-80\nlu,smp,paper,70\n"
	for i := range 18 {
		text += fmt.Sprintf("k%d,smp,mva,%d\n", i, i)
	}
	table, err := Read(strings.NewReader(text + "low,smp,mva,-20\nhigh,smp,mva,50\n"))
	if err != nil {
		t.Fatal(err)
	}
	b := table.ModelMargin(Kind{"mva", "smp"}, "fft points=1024")
	if math.Abs(b.Below-0.2) > 1e-12 || math.Abs(b.Above-0.5) > 1e-12 || !strings.Contains(b.Covers, "95 % of 20 simulations of 20 other programs") {
		t.Errorf("%+v", b)
	}
	if b := table.ModelMargin(Kind{"mva", "smp"}, "ours"); math.Abs(b.Below-0.9) > 1e-12 || math.Abs(b.Above-0.5) > 1e-12 {
		t.Errorf("of a program that is not in the table: %+v", b)
	}
}

// By hand: five other programs below by 1 to 5 % and one above by 25 %, a factor of 1/0.8. There are too few for two factors.
func TestFewProgramsHaveOneFactor(t *testing.T) {
	text := head + "\nfft,smp,mva,-90\n"
	for i := 1; i <= 5; i++ {
		text += fmt.Sprintf("k%d,smp,mva,%d\n", i, -i)
	}
	table, err := Read(strings.NewReader(text + "k6,smp,mva,25\nk7,smp,mva,0\n"))
	if err != nil {
		t.Fatal(err)
	}
	b := table.ModelMargin(Kind{"mva", "smp"}, "fft points=1024")
	if math.Abs(b.Below-0.2) > 1e-12 || math.Abs(b.Above-0.25) > 1e-12 || !strings.Contains(b.Covers, "95 % of 7 simulations of 7 other programs") {
		t.Errorf("%+v", b)
	}
	if b := table.ModelMargin(Kind{"mva", "ccnuma"}, "fft"); b.Known() {
		t.Errorf("of machines that were not simulated: %+v", b)
	}
}

// Where programs are alike, and as many as it takes, 95 % of the simulations are inside.
func TestCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	inside, all := 0, 0
	for range 400 {
		table := &Table{}
		for k := range 40 {
			table.rows = append(table.rows, row{Kind{"m", "t"}, fmt.Sprint(k), random.ExpFloat64() - 0.9*random.Float64()})
		}
		r := table.rows[0]
		b := table.ModelMargin(r.Kind, r.kernel)
		if all++; -b.Below <= r.beyond && r.beyond <= b.Above {
			inside++
		}
	}
	if share := float64(inside) / float64(all); share < Level-0.02 || share > 0.99 {
		t.Errorf("%v inside, want %v", share, Level)
	}
}

// The table of the project is whole: every program on every kind of machine by every model, and none with a share below 0.
func TestClusterTable(t *testing.T) {
	table, err := Read(strings.NewReader(clusterTable))
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]map[Kind]int{}
	for _, r := range table.rows {
		if programs[r.kernel] == nil {
			programs[r.kernel] = map[Kind]int{}
		}
		programs[r.kernel][r.Kind]++
	}
	if len(programs) < 10 {
		t.Errorf("%d programs: 9 others are the least for 90 %%", len(programs))
	}
	for name, kinds := range programs {
		for _, model := range []string{"paper", "curve", "mva"} {
			for target, rows := range map[string]int{"smp": 4, "cow": 10, "clump": 10, "smp" + Overlap: 7, "cow" + Overlap: 1, "clump" + Overlap: 1, "smp" + Levels: 1, "cow" + Levels: 1, "clump" + Levels: 1} {
				if kinds[Kind{model, target}] != rows {
					t.Errorf("%s on %s by %s: %d rows, want %d", name, target, model, kinds[Kind{model, target}], rows)
				}
			}
		}
		b := table.ModelMargin(Kind{"mva", "smp"}, name)
		if !(b.Below >= 0 && b.Below < 1 && b.Above >= 0) || !b.Known() {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// On every kind of machine, of each model, at least 90 % of the simulations of the project's table are inside the intervals that predict has for them, each
// program by what was measured on the others.
func TestClusterTableHolds(t *testing.T) {
	table := Cluster()
	inside, all := map[Kind]int{}, map[Kind]int{}
	for _, r := range table.rows {
		b := table.ModelMargin(r.Kind, r.kernel)
		if all[r.Kind]++; -b.Below <= r.beyond && r.beyond <= b.Above {
			inside[r.Kind]++
		}
	}
	for k, n := range all {
		t.Logf("%v: %d of %d", k, inside[k], n)
		if float64(inside[k]) < 0.9*float64(n) {
			t.Errorf("%v: %d of %d inside", k, inside[k], n)
		}
	}
	if len(all) != 39 {
		t.Errorf("%d models on kinds of machines, want 39", len(all))
	}
}

// Of all speedups of the project's table, at least 90 % are inside the intervals of the models that predict has for them, each program
// by what was measured on the others.
func TestWindTunnelTable(t *testing.T) {
	table := WindTunnel()
	for _, model := range []string{"gamma", "bounded", "kinds", "placed"} {
		t.Run(model, func(t *testing.T) {
			inside, inWhole, all := 0, 0, 0
			programs := map[string]bool{}
			for _, r := range table.rows {
				if r.Kind != (Kind{model, Quanta}) {
					continue
				}
				b := table.ModelMargin(r.Kind, r.kernel)
				programs[r.kernel] = true
				if all++; r.beyond == 0 {
					inside++
				}
				if -b.Below <= r.beyond && r.beyond <= b.Above {
					inWhole++
				}
			}
			t.Logf("of %d speedups of %d programs, %.1f %% are inside what quanta and parameters leave open, %.1f %% inside the whole", all, len(programs),
				100*float64(inside)/float64(all), 100*float64(inWhole)/float64(all))
			if len(programs) != 14 || all != 280 || float64(inWhole) < 0.9*float64(all) {
				t.Errorf("%d of %d inside, %d programs", inWhole, all, len(programs))
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for text, say := range map[string]string{
		"a,b\n":                         "line 1: \"a,b\", want",
		head + "\nfft,smp,mva\n":        "line 2: 3 values",
		head + "\nfft,smp,mva,x\n":      "line 2: column beyond is \"x\", not a number",
		head + "\nfft,smp,mva,NaN\n":    "line 2: column beyond is \"NaN\"",
		head + "\nfft,smp,mva,-100\n":   "line 2: column beyond is \"-100\"",
		head + "\n\n":                   "line 2: 1 values",
		head + "\na,b,c,1\nfft,s,m,Inf": "line 3: column beyond is \"Inf\"",
	} {
		t.Run(text, func(t *testing.T) {
			if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), say) {
				t.Errorf("%v, want %q", err, say)
			}
		})
	}
}
