package main

import (
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Tables of other stages can be looked at.
func TestHeadAndInfoOfTables(t *testing.T) {
	t.Chdir(t.TempDir())
	table := &store.Table{Name: "reuse", Meta: []trace.Arg{{Key: "program", Value: "fft"}}, Columns: []store.Column{
		{Name: "proc", Data: []int32{0, 1, 2}}, {Name: "line", Unit: "B", Data: []int64{64, 64, 64}},
		{Name: "ratio", Data: []float64{0.123456789, 0, 1}}, {Name: "bytes", Data: []uint64{1, 2, 3}}, {Name: "array", Data: []string{"x", "y", "z"}}}}
	if err := store.WriteTable("t.arrow", table); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args, want string
		status     int
	}{
		{"head t.arrow -n 2", "proc  line [B]  ratio   bytes  array\n0     64        0.1235  1      x\n1     64        0       2      y\n", stage.Done},
		{"head t.arrow --format csv -n 1", "proc,line,ratio,bytes,array\n0,64,0.123456789,1,x\n", stage.Done},
		{"head t.arrow -n 0 --format csv", "proc,line,ratio,bytes,array\n", stage.Done},
		{"info t.arrow", "what          value\nkind          table\nname          reuse\nrows          3\nprogram       fft\n" +
			"column proc   int32\ncolumn line   int64 B\ncolumn ratio  float64\ncolumn bytes  uint64\ncolumn array  string\n", stage.Done},
		{"head t.arrow --events", "", stage.Failed},
		{"head t.arrow --proc 0", "", stage.Failed},
		{"info t.arrow --by-proc", "", stage.Failed},
		{"check t.arrow", "", stage.Failed},
	} {
		t.Run(row.args, func(t *testing.T) {
			status, out, errs := traces(nil, strings.Fields(row.args)...)
			if status != row.status || out != row.want {
				t.Errorf("status %d, %q; want %d, %q (%s)", status, out, row.status, row.want, errs)
			}
		})
	}
	_, out, _ := traces(nil, "info", "t.arrow", "--format", "json")
	if want := `"kind": "table",`; !strings.Contains(out, want) {
		t.Errorf("JSON %s has no %s", out, want)
	}
}
