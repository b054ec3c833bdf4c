package reuse

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/format"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Distances of loads, stores and fetches together are those that DynamoRIO's reuse_distance prints for its test
// file. It counts only the line of a reference's first byte.
func TestAllReferencesAreThoseOfDynamoRIO(t *testing.T) {
	root := os.Getenv("SPOOR_SAMPLES")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "samples")
	}
	path := filepath.Join(root, "drmemtrace", "drmemtrace.small.x64.trace")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no samples at %s; SPOOR_SAMPLES names their folder", path)
	}
	in, err := format.Open(context.Background(), path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	im, err := format.ImporterByName("drmemtrace")
	if err != nil {
		t.Fatal(err)
	}
	var m firstBytes
	if _, err := im.Import(in, format.Options{}, &m); err != nil {
		t.Fatal(err)
	}
	m.Head.Procs = 1
	all := trace.DataOps | trace.FetchOps
	a := &Analysis{Lines: []unit.Bytes{64}, Refs: all}
	results, err := analysis.Run(context.Background(), &m.Memory, analysis.Options{Refs: all}, a)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0,64,-1,5", "0,64,0,103", "0,64,1,42", "0,64,2,13", "0,64,3,13", "0,64,4,53"}
	if got := rows(t, results[0].Full); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// firstBytes is a trace in memory of one processor, with the first byte of each reference.
type firstBytes struct{ trace.Memory }

func (m *firstBytes) Refs(b *trace.Refs) error {
	if m.RefsOf == nil {
		m.RefsOf = make([]trace.Refs, 1)
	}
	for i, addr := range b.Addr {
		m.RefsOf[0].Append(b.Instr[i], addr, 1, b.Op[i])
	}
	return nil
}

func (m *firstBytes) Events(*trace.Events) error { return nil }
