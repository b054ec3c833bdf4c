package formattest

import (
	"fmt"
	"reflect"
	"testing"

	"spoor/traces/internal/format"
)

// SameImport checks that an importer and its plain definition import a text to the same trace and result, or end with the
// same error.
func SameImport(t *testing.T, fast, naive format.Importer, text string, o format.Options) {
	t.Helper()
	got, gotResult, gotErr := ImportText(fast, text, o)
	want, wantResult, wantErr := ImportText(naive, text, o)
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
		t.Fatalf("%q: got %v, want %v", text, gotErr, wantErr)
	}
	if gotErr == nil && (!reflect.DeepEqual(gotResult, wantResult) || !reflect.DeepEqual(got, want)) {
		t.Fatalf("%q: got %+v, want %+v", text, gotResult, wantResult)
	}
}
