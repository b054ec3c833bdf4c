package kernel

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spoor/tracegen/spmd"
	"spoor/tracegen/workload"
	"spoor/traces/trace"
)

// cases is what tests know of each kernel: small runs, edges of its parameters
// among them, and how to spoil a result by little.
var cases = map[string]struct {
	sizes []workload.Values
	spoil func(workload.Instance)
}{
	"fft":        {fftSizes, spoilFFT},
	"lu":         {luSizes, spoilLU},
	"radix":      {radixSizes, spoilRadix},
	"edge":       {edgeSizes, spoilEdge},
	"fftblocked": {fftBlockedSizes, spoilFFTBlocked},
	"ep":         {epSizes, spoilEP},
	"cholesky":   {choleskySizes, spoilCholesky},
	"is":         {isSizes, spoilIS},
	"cg":         {cgSizes, spoilCG},
	"tpcc":       {tpccSizes, spoilTPCC},
	"tomcatv":    {tomcatvSizes, spoilTomcatv},
	"sparse":     {sparseSizes, spoilSparse},
	"barnes":     {barnesSizes, spoilBarnes},
	"sor":        {sorSizes, spoilSOR},
	"transfer":   {transferSizes, spoilTransfer},
	"scan":       {scanSizes, spoilScan},
	"convshift":  {convShiftSizes, spoilConvShift},
	"convscan":   {convScanSizes, spoilConvScan},
	"array":      {arraySizes, spoilArray},
	"pgl":        {pglSizes, spoilPGL},
	"apucs":      {apucsSizes, spoilAPUCS},
	"water":      {waterSizes, spoilWater},
	"bps":        {bpsSizes, spoilBPS},
	"appbt":      {appbtSizes, spoilAppbt},
}

var procCounts = []int{1, 2, 3, 4, 5, 8, 16}

// run is one kernel with values on a number of ranks.
type run struct {
	name  string
	set   workload.Values
	procs int
}

// of makes the run in one of the forms of the kernels: All, Counted or Recorded.
func (r run) of(t testing.TB, form []workload.Kernel) workload.Instance {
	t.Helper()
	k, err := workload.Find(form, r.name)
	if err != nil {
		t.Fatal(err)
	}
	return instance(t, k, r.set, r.procs)
}

// everyRun calls f for every kernel, size and number of processors.
func everyRun(t *testing.T, f func(t *testing.T, r run)) {
	for _, k := range All {
		if len(cases[k.Name].sizes) == 0 {
			t.Errorf("no sizes to test %s at", k.Name)
		}
		for _, set := range cases[k.Name].sizes {
			for _, procs := range procCounts {
				if testing.Short() && procs != 2 && procs != 5 && procs != 8 {
					continue // short tests are for the race detector
				}
				if k.Procs != nil && k.Procs(complete(t, k, set), procs) != nil && !workload.PowerOfTwo(procs) {
					continue // powers of two every kernel must run on
				}
				t.Run(fmt.Sprintf("%s %v on %d", k.Name, set, procs), func(t *testing.T) {
					f(t, run{k.Name, set, procs})
				})
			}
		}
	}
}

// complete is set with the defaults.
func complete(t testing.TB, k workload.Kernel, set workload.Values) workload.Values {
	t.Helper()
	v, err := k.Values(set)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func instance(t testing.TB, k workload.Kernel, set workload.Values, procs int) workload.Instance {
	t.Helper()
	inst, err := k.New(complete(t, k, set), procs, 7)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// memory is a sink that keeps everything, and holds it to the invariants of traces.
type memory struct {
	trace.Memory
	t testing.TB
}

func newMemory(t testing.TB, procs int) *memory {
	return &memory{trace.Memory{Head: trace.Header{Procs: procs},
		RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}, t}
}

func (m *memory) Refs(b *trace.Refs) error {
	all := &m.RefsOf[b.Proc]
	all.Proc = b.Proc
	all.Instr = append(all.Instr, b.Instr...)
	all.Addr = append(all.Addr, b.Addr...)
	all.Size = append(all.Size, b.Size...)
	all.Op = append(all.Op, b.Op...)
	return trace.CheckRefs(m.Head, b)
}

func (m *memory) Events(b *trace.Events) error {
	all := &m.EventsOf[b.Proc]
	all.Proc = b.Proc
	all.Rows = append(all.Rows, b.Rows...)
	return nil
}

func record(t testing.TB, inst workload.Instance, procs int) (*memory, *spmd.Recording) {
	t.Helper()
	return recordAs(t, inst, spmd.Options{Procs: procs})
}

func recordAs(t testing.TB, inst workload.Instance, opt spmd.Options) (*memory, *spmd.Recording) {
	t.Helper()
	procs := opt.Procs
	m := newMemory(t, procs)
	m.Head.WorkUnit = trace.WorkInstr
	for p, n := range inst.Counts().Refs {
		r := &m.RefsOf[p]
		r.Instr, r.Addr = make([]uint32, 0, n), make([]uint64, 0, n)
		r.Size, r.Op = make([]uint16, 0, n), make([]trace.Op, 0, n)
	}
	rec, err := spmd.Record(context.Background(), opt, inst.Program, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Check(&m.Memory); err != nil {
		t.Error(err)
	}
	return m, rec
}

// TestNativeRunsAreVerified is what the race detector should watch: recordings
// run one rank at a time.
func TestNativeRunsAreVerified(t *testing.T) {
	everyRun(t, func(t *testing.T, r run) {
		inst := r.of(t, All)
		runNatively(t, inst, r.procs)
		if err := inst.Verify(); err != nil {
			t.Error(err)
		}
	})
}

func runNatively(t *testing.T, inst workload.Instance, procs int) {
	t.Helper()
	if err := spmd.Native(context.Background(), procs, inst.Program); err != nil {
		t.Fatal(err)
	}
}

// TestAllFormsAgree: the results of the native, the counting and the recording form
// have the same bits, the latter two count the same instructions, and recordings
// hold what closed forms say.
func TestAllFormsAgree(t *testing.T) {
	everyRun(t, func(t *testing.T, r run) {
		if testing.Short() && r.procs > 2 {
			t.Skip("records and counts every kernel")
		}
		native, count, full := r.of(t, All), r.of(t, Counted), r.of(t, Recorded)
		runNatively(t, native, r.procs)
		_, counts := recordAs(t, count, spmd.Options{Procs: r.procs, NoRefs: true})
		m, rec := record(t, full, r.procs)
		if err := full.Verify(); err != nil {
			t.Error("recorded:", err)
		}
		if a, b, c := native.Digest(), count.Digest(), full.Digest(); a != b || a != c {
			t.Errorf("native result %s, counted %s, recorded %s", a, b, c)
		}
		for p, total := range rec.Totals {
			if n := counts.Totals[p].Instr; n != total.Instr {
				t.Errorf("rank %d: counted %d instructions, recorded %d", p, n, total.Instr)
			}
		}
		checkCounts(t, native.Counts(), m, rec)
	})
}

// checkCounts holds a recording to the closed forms and to the laws of all recordings.
func checkCounts(t *testing.T, want workload.Counts, m *memory, rec *spmd.Recording) {
	for p, total := range rec.Totals {
		if want.Refs != nil && (total.Refs < want.Refs[p] || (total.Refs > want.Refs[p] && !want.AtLeast)) {
			t.Errorf("rank %d: %d references, closed form %d", p, total.Refs, want.Refs[p])
		}
		events := map[trace.Kind]uint64{}
		for _, e := range m.EventsOf[p].Rows {
			events[e.Kind]++
		}
		if got := events[trace.Barrier]; got != want.Barriers {
			t.Errorf("rank %d: %d barriers, closed form %d", p, got, want.Barriers)
		}
		if got := events[trace.Send] + events[trace.Isend]; want.Messages != nil && got != want.Messages[p] {
			t.Errorf("rank %d: %d messages sent, closed form %d", p, got, want.Messages[p])
		}
		checkSums(t, m, p, total)
		checkRegions(t, &m.RefsOf[p], rec.Regions)
	}
}

// checkSums holds the instructions of references and events to the total.
func checkSums(t *testing.T, m *memory, p int, total trace.Totals) {
	var refs, events uint64
	for _, n := range m.RefsOf[p].Instr {
		refs += uint64(n)
	}
	for _, e := range m.EventsOf[p].Rows {
		events += uint64(e.Instr) + uint64(e.Work)
	}
	if events != uint64(total.Instr) || refs > events || uint64(m.RefsOf[p].Len()) != total.Refs {
		t.Errorf("rank %d: events sum to %d instructions, references to %d, total %+v", p, events, refs, total)
	}
}

// checkRegions holds every reference to an array that the rank may touch.
func checkRegions(t *testing.T, refs *trace.Refs, regions []spmd.Region) {
	var in spmd.Region // where the previous one was
	for i, a := range refs.Addr {
		inside := func(r spmd.Region) bool {
			return (r.Owner < 0 || r.Owner == refs.Proc) && a >= r.Base && a-r.Base+uint64(refs.Size[i]) <= r.Bytes
		}
		if inside(in) {
			continue
		}
		at := slices.IndexFunc(regions, inside)
		if at < 0 {
			t.Fatalf("rank %d, reference %d at %#x lies in no array of its own", refs.Proc, i, a)
		}
		in = regions[at]
	}
}

// TestEdgeCountsAreExactWithoutCandidates: at threshold 255 no pixel branches.
func TestEdgeCountsAreExactWithoutCandidates(t *testing.T) {
	for _, procs := range procCounts {
		inst := run{"edge", workload.Values{"size": 17, "threshold": 255}, procs}.of(t, Recorded)
		_, rec := record(t, inst, procs)
		for p, want := range inst.Counts().Refs {
			if got := rec.Totals[p].Refs; got != want {
				t.Errorf("rank %d of %d: %d references, closed form %d", p, procs, got, want)
			}
		}
	}
}

func TestEdgeWindowsAreThePapers(t *testing.T) {
	want := []int{31, 27, 23, 19, 15, 11, 7, 3} // [du2000, sec. 4.2]: ceil(8 sigma), sigma = 3.8, 3.3, ...
	for level, w := range want {
		if got := window(level); got != w {
			t.Errorf("level %d: window %d, want %d", level, got, w)
		}
	}
}

func TestEdgeFindsTheOutlineOfASquare(t *testing.T) {
	inst := instance(t, Edge, workload.Values{"size": 64, "threshold": 8}, 2).(*edge)
	square := make([]float32, 64*64)
	for i := 20; i < 44; i++ {
		for j := 20; j < 44; j++ {
			square[i*64+j] = 200
		}
	}
	inst.image = mirrored(square, 64)
	if err := spmd.Native(context.Background(), 2, inst.Program); err != nil {
		t.Fatal(err)
	}
	edges := inst.edges[1]
	for i := 24; i < 40; i++ { // away from the corners the edge is where the step is: between 19 and 20, 43 and 44
		row := edges[i*64 : (i+1)*64]
		for j, on := range row {
			step := j == 19 || j == 20 || j == 43 || j == 44
			if on == 1 && !step {
				t.Errorf("row %d: an edge at %d, where the image is flat", i, j)
			}
		}
		if n := row[19] + row[20] + row[43] + row[44]; n != 2 {
			t.Errorf("row %d: %d edges, want 2", i, n)
		}
	}
}

// TestFFTOfConjugateIsTheInverse uses the kernel itself for the way back.
func TestFFTOfConjugateIsTheInverse(t *testing.T) {
	run := func(f *fft) {
		if err := spmd.Native(context.Background(), f.procs, f.Program); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{16, 256, 4096} {
		f := instance(t, FFT, workload.Values{"points": n}, 4).(*fft)
		run(f)
		back := instance(t, FFT, workload.Values{"points": n}, 4).(*fft)
		for i, v := range f.t {
			back.x[i] = complex(real(v), -imag(v))
		}
		run(back)
		for i, v := range back.t {
			back.t[i] = complex(real(v)/float64(n), -imag(v)/float64(n))
		}
		if e := relativeError(back.t, fftInput(n, f.seed)); !(e < 1e-15*math.Log2(float64(n))) {
			t.Errorf("%d points: the inverse is off by %g", n, e)
		}
	}
}

// TestFFTIsTheDefinition: the transform as a sum, for a small one.
func TestFFTIsTheDefinition(t *testing.T) {
	f := instance(t, FFT, workload.Values{"points": 64}, 2).(*fft)
	if err := spmd.Native(context.Background(), 2, f.Program); err != nil {
		t.Fatal(err)
	}
	want := make([]complex128, 64)
	for k := range want {
		for j, x := range fftInput(64, f.seed) {
			want[k] += x * root(j*k%64, 64)
		}
	}
	if e := relativeError(f.t, want); !(e < 1e-14) {
		t.Errorf("off by %g", e)
	}
}

// TestLUIsElimination compares with Gaussian elimination as the textbook has it.
func TestLUIsElimination(t *testing.T) {
	for _, set := range luSizes {
		f := instance(t, LU, set, 4).(*lu)
		if err := spmd.Native(context.Background(), 4, f.Program); err != nil {
			t.Fatal(err)
		}
		n := f.n
		a := luInput(n, f.seed)
		for k := range n {
			for i := k + 1; i < n; i++ {
				a[i*n+k] /= a[k*n+k]
				for j := k + 1; j < n; j++ {
					a[i*n+j] -= a[i*n+k] * a[k*n+j]
				}
			}
		}
		for i := range n {
			for j := range n {
				// Blocks change the order of operations by nothing: the same sums in the same order.
				if got := f.a[f.index(i, j)]; got != a[i*n+j] {
					t.Fatalf("n=%d: element (%d,%d) is %v, by elimination %v", n, i, j, got, a[i*n+j])
				}
			}
		}
	}
}

func TestVerifyFindsOneWrongElement(t *testing.T) {
	for _, k := range All {
		set := cases[k.Name].sizes[2]
		inst := instance(t, k, set, 2)
		if inst.Verify() == nil {
			t.Errorf("%s: Verify accepts a program that has not run", k.Name)
		}
		if err := spmd.Native(context.Background(), 2, inst.Program); err != nil {
			t.Fatal(err)
		}
		cases[k.Name].spoil(inst)
		if inst.Verify() == nil {
			t.Errorf("%s: Verify accepts a wrong result", k.Name)
		}
	}
}

func TestRecordingIsTheSameAtAnyGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, k := range All {
		var first *memory
		for _, n := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(n)
			m, _ := record(t, run{k.Name, cases[k.Name].sizes[1], 4}.of(t, Recorded), 4)
			if first == nil {
				first = m
			}
			for p := range 4 {
				a, b := &first.RefsOf[p], &m.RefsOf[p]
				if !slices.Equal(a.Addr, b.Addr) || !slices.Equal(a.Instr, b.Instr) || !slices.Equal(a.Op, b.Op) || !slices.Equal(a.Size, b.Size) {
					t.Errorf("%s: references of rank %d differ at GOMAXPROCS=%d", k.Name, p, n)
				}
				if fmt.Sprint(first.EventsOf[p]) != fmt.Sprint(m.EventsOf[p]) {
					t.Errorf("%s: events of rank %d differ at GOMAXPROCS=%d", k.Name, p, n)
				}
			}
		}
	}
}

func TestParametersOutOfRangeSayTheRange(t *testing.T) {
	for _, k := range All {
		for _, p := range k.Params {
			for _, v := range []int{p.Min - 1, p.Max + 1, math.MinInt, math.MaxInt} {
				_, err := k.Values(workload.Values{p.Name: v})
				if err == nil || !strings.Contains(err.Error(), p.Range()) {
					t.Errorf("%s %s=%d: %v", k.Name, p.Name, v, err)
				}
			}
		}
		for _, procs := range []int{0, -1, spmd.MaxProcs + 1} {
			v, _ := k.Values(nil)
			if _, err := k.New(v, procs, 1); err == nil || !strings.Contains(err.Error(), "1 to 4096") {
				t.Errorf("%s on %d: %v", k.Name, procs, err)
			}
		}
	}
	for _, bad := range []struct {
		k    workload.Kernel
		set  workload.Values
		want string
	}{
		{FFT, workload.Values{"points": 32}, "a power of 4"},
		{FFT, workload.Values{"point": 64}, `did you mean "points"`},
		{Radix, workload.Values{"radix": 1000}, "a power of 2"},
		{LU, workload.Values{"n": 100, "block": 16}, "a multiple of block=16"},
	} {
		_, err := bad.k.Values(bad.set)
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s %v: %v, want %q", bad.k.Name, bad.set, err, bad.want)
		}
	}
}

func TestEveryKernelIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range All {
		if k.Name == "" || k.Paper == "" || k.Doc == "" || len(k.Small) == 0 || seen[k.Name] || strings.ToLower(k.Name) != k.Name {
			t.Errorf("%q: name, paper and description must be there and the name be new and in lower case", k.Name)
		}
		seen[k.Name] = true
		if _, err := k.Values(k.Small); err != nil {
			t.Error(err)
		}
		for _, p := range k.Params {
			if p.Name == "" || p.Doc == "" || (p.Valid != nil && p.Constraint == "") {
				t.Errorf("%s: parameter %+v is incomplete", k.Name, p)
			}
		}
		if found, err := workload.Find(All, k.Name); err != nil || found.Name != k.Name {
			t.Errorf("Find(%q): %v", k.Name, err)
		}
	}
	if _, err := workload.Find(All, "radx"); err == nil || !strings.Contains(err.Error(), `did you mean "radix"`) {
		t.Error(err)
	}
}

// TestEveryKernelIsListed finds variables of type Kernel that All lacks.
func TestEveryKernelIsListed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_forms.go") {
			continue // copies
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		count += kernelsIn(file)
	}
	if count != len(All) {
		t.Errorf("%d kernels are defined, %d are listed in All", count, len(All))
	}
}

func kernelsIn(file *ast.File) (count int) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && len(spec.Values) == 1 {
			if lit, ok := spec.Values[0].(*ast.CompositeLit); ok && types.ExprString(lit.Type) == "workload.Kernel" {
				count++
			}
		}
		return true
	})
	return count
}
