package otf2_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"spoor/traces/format"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/format/internal/otf2"
	"testing"
)

func TestOTF2ArchiveIsItsPrint(t *testing.T) {
	text := formattest.Otf2Head + otf2.Otf2Lines("ENTER 10 5 Region: \"main\" <0>\nENTER 10 9 Region: \"MPI_Waitall\" <1>")
	dir, anchor := otf2.FakeArchive(t)
	printed := filepath.Join(t.TempDir(), "print.txt")
	if err := os.WriteFile(printed, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	otf2.FakePrinter(t, "test \"$1\" = -A && test \"$2\" = "+anchor+" && cat "+printed)
	paths, joint, err := format.ExpandFolder(dir, nil)
	if err != nil || joint.Info().Name != "otf2" || !slices.Equal(paths, []string{anchor}) {
		t.Fatalf("the folder is %v of %v, %v", paths, joint, err)
	}
	got, r, err := formattest.ImportFiles(t, otf2.OTF2{}, format.Options{}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := formattest.MustImport(t, otf2.OTF2Print{}, text, format.Options{})
	if !reflect.DeepEqual(got.EventsOf, want.EventsOf) || r.Procs != 3 || len(formattest.Events(got, 0)) != 1 {
		t.Errorf("%+v, want %+v", got.EventsOf, want.EventsOf)
	}
}
