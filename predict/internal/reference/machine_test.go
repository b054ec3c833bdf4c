package reference

import (
	"slices"
	"testing"

	"spoor/calibrate/machine"
)

// The list has every key that a reader accepts, once, and no other key.
func TestEveryKeyOfAFileIsListed(t *testing.T) {
	kinds, err := fileKinds()
	if err != nil {
		t.Fatal(err)
	}
	accepted := map[string][]string{"machine": machine.Keys(), "price": machine.PriceKeys()}
	for _, k := range kinds {
		var rows []fileKey
		for _, s := range k.Sections {
			rows = append(rows, s.Keys...)
		}
		for _, key := range accepted[k.Name] {
			n := 0
			for _, row := range rows {
				if row.Matches(key) {
					n++
				}
			}
			if n != 1 {
				t.Errorf("machine.txt: file %s has %d rows for key %s, not one", k.Name, n, key)
			}
		}
		for _, row := range rows {
			if !slices.ContainsFunc(accepted[k.Name], row.Matches) {
				t.Errorf("machine.txt: file %s has a row for %s, which no reader accepts", k.Name, row.Name)
			}
		}
		delete(accepted, k.Name)
	}
	if len(accepted) > 0 {
		t.Errorf("machine.txt lacks the keys of %v", accepted)
	}
}
