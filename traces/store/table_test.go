package store

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spoor/traces/internal/outfile"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// someTable is a table with every type of column.
func someTable(rows int) *Table {
	a, b, c, d, e := make([]int32, rows), make([]int64, rows), make([]uint64, rows), make([]float64, rows), make([]string, rows)
	for i := range rows {
		a[i], b[i], c[i] = int32(i)-5, math.MinInt64+int64(i), math.MaxUint64-uint64(i)
		d[i], e[i] = float64(i)/3, fmt.Sprint("é", i)
	}
	if rows > 2 {
		d[0], d[1], e[2] = math.Inf(-1), math.MaxFloat64, ""
	}
	return &Table{Name: "reuse", Meta: []trace.Arg{{Key: "program", Value: "fft"}, {Key: "input", Value: "1"}, {Key: "input", Value: "2"}},
		Columns: []Column{{"proc", "", a}, {"distance", "lines", b}, {"count", "", c}, {"time", "s", d}, {"name", "", e}}}
}

func TestTableComesBackAsWritten(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", maxText/2+1)
	tables := []*Table{
		{Name: "empty"}, someTable(0), someTable(1), someTable(1000), someTable(batchRows), someTable(batchRows - 1), someTable(2*batchRows + 1),
		{Name: "texts", Columns: []Column{{"text", "", []string{long, long, "", long}}}},
		{Name: "longest", Columns: []Column{{"text", "", []string{long + long[2:]}}}},
	}
	for i, want := range tables[:testsize.Cases(len(tables), 5)] {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := WriteTable(path, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadTable(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("table %d (%s, %d rows) differs", i, want.Name, want.Rows())
		}
		if inParts, err := joined(path); err != nil || !reflect.DeepEqual(inParts, want) {
			t.Errorf("table %d (%s, %d rows) differs when it is read in parts: %v", i, want.Name, want.Rows(), err)
		}
	}
}

// joined is the table at path as its parts have it.
func joined(path string) (*Table, error) {
	f, err := OpenTable(path)
	if err != nil {
		return nil, err
	}
	out := *f.Head()
	out.Columns = slices.Clone(out.Columns)
	for part, err := range f.Batches() {
		if err != nil {
			return nil, err
		}
		for i, c := range part.Columns {
			to := &out.Columns[i]
			switch data := c.Data.(type) {
			case []int32:
				to.Data = append(to.Data.([]int32), data...)
			case []int64:
				to.Data = append(to.Data.([]int64), data...)
			case []uint64:
				to.Data = append(to.Data.([]uint64), data...)
			case []float64:
				to.Data = append(to.Data.([]float64), data...)
			case []string:
				to.Data = append(to.Data.([]string), data...)
			}
		}
	}
	return &out, nil
}

// A table that is damaged is not begun, and one that goes while it is read is an error.
func TestTablePartsOfDamagedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.arrow")
	if err := WriteTable(path, someTable(1000)); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := OpenTable(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := slices.Clone(good)
	bad[len(bad)/2] ^= 1
	if err := os.WriteFile(path, bad, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenTable(path); !oneLine(err, path) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("damaged: %v", err)
	}
	for _, change := range []func(){func() {}, func() { os.Remove(path) }} {
		change()
		for part, err := range f.Batches() {
			if part != nil || err == nil {
				t.Errorf("%v, %v from a file that changed", part, err)
			}
		}
	}
}

func TestTableKeepsNaN(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.arrow")
	if err := WriteTable(path, &Table{Name: "n", Columns: []Column{{"v", "", []float64{math.NaN()}}}}); err != nil {
		t.Fatal(err)
	}
	got, err := ReadTable(path)
	if err != nil || !math.IsNaN(got.Columns[0].Data.([]float64)[0]) {
		t.Fatalf("NaN comes back as %v, %v", got, err)
	}
}

func TestWriteTableRefuses(t *testing.T) {
	text := func(s ...string) []Column { return []Column{{"text", "", s}} }
	for _, c := range []struct {
		name  string
		table Table
		want  string
	}{
		{"no name", Table{}, "called \"\""},
		{"name of a trace file", Table{Name: "refs"}, "called \"refs\""},
		{"our own key", Table{Name: "t", Meta: []trace.Arg{{Key: "spoor.kind"}}}, "spoor.kind"},
		{"unequal columns", Table{Name: "t", Columns: []Column{{"a", "", []int32{1}}, {"b", "", []int32{}}}}, "column b has 0 rows, but a has 1"},
		{"two columns of a name", Table{Name: "t", Columns: []Column{{"a", "", []int32{1}}, {"a", "", []int32{1}}}}, "a"},
		{"bytes that are no text", Table{Name: "t", Columns: text("\xff")}, "column text: row 0"},
		{"fact that is no text", Table{Name: "t", Meta: []trace.Arg{{Key: "a", Value: "\xff"}}}, "not UTF-8"},
		{"long text", Table{Name: "t", Columns: text("", strings.Repeat("x", maxText+1))}, "column text: row 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.arrow")
			err := WriteTable(path, &c.table)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want one with %q and the path", err, c.want)
			}
			if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

func TestWriteFileIsWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.arrow")
	if err := os.WriteFile(path+outfile.PartialSuffix, []byte("of a killed run, longer than the new one"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := WriteTable(path, someTable(3)); err != nil {
		t.Fatal(err)
	}
	before := string(read(t, path))
	bad := someTable(3)
	bad.Columns[4].Data.([]string)[1] = "\xff"
	if err := WriteTable(path, bad); err == nil {
		t.Fatal("a bad table was written")
	}
	if string(read(t, path)) != before {
		t.Error("a failed write changed the file")
	}
	for _, c := range []struct{ path, want string }{
		{filepath.Join(dir, "missing", "t.arrow"), "no such file"},
		{dir, "it exists and is a directory"},
		{"", "the name of the file is missing"},
		{dir + "/", "the name of the file is missing"},
	} {
		t.Run(filepath.Base(c.path)+" "+c.want, func(t *testing.T) {
			err := WriteTable(c.path, someTable(3))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "writing "+c.path) && c.want[:3] != "the" {
				t.Errorf("writing %q: error %v, want one with %q", c.path, err, c.want)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}

// Encoders are used again, in an order that depends on who writes at the same time: files must not.
func TestTablesDoNotDependOnThoseBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var tables []*Table
	for i := range 12 {
		rows := []int{0, 1, 100, sampleRows, sampleRows + 1, 3 * sampleRows}[i%6]
		noise, steps, names := make([]float64, rows), make([]uint64, rows), make([]string, rows)
		for j := range rows {
			noise[j], steps[j], names[j] = r.Float64(), uint64(j/7*(1+i)%1000), []string{"load", "store", "upgrade"}[r.IntN(3)]
		}
		tables = append(tables, &Table{Name: "t", Columns: []Column{{Name: "noise", Data: noise}, {Name: "steps", Data: steps}, {Name: "names", Data: names}}})
	}
	write := func(e *encoder, table *Table) []byte {
		var out bytes.Buffer
		b := tableBatch{to: table.Rows(), encoder: e}
		b.encode(table)
		if err := b.write(&container{w: &out}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	used := newEncoder()
	for range 3 {
		r.Shuffle(len(tables), func(i, j int) { tables[i], tables[j] = tables[j], tables[i] })
		for _, table := range tables {
			if !bytes.Equal(write(used, table), write(newEncoder(), table)) {
				t.Fatalf("a table of %d rows is another one after others", table.Rows())
			}
		}
	}
}

// Batches of a table are encoded on several cores, to the same bytes.
func TestTablesOnManyCores(t *testing.T) {
	values := make([]int64, 5*batchRows/2)
	r := rand.New(rand.NewPCG(41, 1))
	for i := range values {
		values[i] = r.Int64N(1000)
	}
	table := &Table{Name: "t", Columns: []Column{{Name: "values", Data: values}}}
	var want []byte
	for _, cores := range []int{1, 2, 3} {
		before := runtime.GOMAXPROCS(cores)
		path := filepath.Join(t.TempDir(), "t.arrow")
		err := WriteTable(path, table)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("%d cores write other bytes", cores)
		}
	}
}
