package paraver_test

import (
	"os"
	"path/filepath"
	"slices"
	"spoor/traces/format"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/format/internal/paraver"
	"spoor/traces/internal/input"
	"testing"
)

// Labels beside the trace name the calls.
func TestParaverLabels(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "run.prv.gz") // the content decides about compression
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(trace, formattest.PrvTwo+"2:0:1:1:1:10:50000001:77\n3:0:1:1:1:10:10:0:1:2:1:20:20:8:1\n2:0:1:1:1:12:50000001:0\n")
	write(filepath.Join(dir, "run.pcf"), "DEFAULT_OPTIONS\n\nSTATES\n0    Idle\n\nEVENT_TYPE\n9   50000001    MPI Point-to-point\nVALUES\n77   MPI_Isend\n0   Outside MPI\n\n\nGRADIENT_COLOR\n0 {1,2,3}\n")
	paths, joint, err := format.ExpandFolder(dir, nil)
	if err != nil || joint.Info().Name != "paraver" || !slices.Equal(paths, []string{trace}) {
		t.Fatalf("the folder: %v, %v, %v", paths, joint, err)
	}
	for _, names := range [][]string{{trace}, {filepath.Join(dir, "run.pcf"), trace}} {
		files := input.NewFiles(t.Context(), names, nil, nil)
		sink := new(formattest.MemorySink)
		r, err := paraver.Paraver{}.ImportFiles(files, format.Options{}, sink)
		files.Close()
		if err != nil || len(files.SHA256s()) != 2 {
			t.Fatal(err, files.SHA256s())
		}
		formattest.WantTold(t, &sink.Memory, "compute 10 @0, isend 1 8B r0 @10, wait r0 @12")
		if !slices.Contains(r.Facts, "1 kind of MPI calls named by the labels in the .pcf") {
			t.Errorf("facts %q", r.Facts)
		}
	}
	for _, names := range [][]string{{trace, trace}, {filepath.Join(dir, "run.pcf")}} {
		if _, err := (paraver.Paraver{}).ImportFiles(input.NewFiles(t.Context(), names, nil, nil), format.Options{}, new(formattest.MemorySink)); err == nil {
			t.Errorf("%q are accepted", names)
		}
	}
}
