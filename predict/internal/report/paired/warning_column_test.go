package paired

import (
	"testing"

	"spoor/traces/store"
)

// Tables of older versions call the column of warnings reservations.
func TestWarningColumn(t *testing.T) {
	for _, name := range []string{"warnings", "reservations"} {
		table := &store.Table{Name: "prediction", Columns: []store.Column{{Name: name, Data: []string{"a; b"}}}}
		if got := warningColumn(table); got != name {
			t.Errorf("got column %q, want %q", got, name)
		}
	}
}
