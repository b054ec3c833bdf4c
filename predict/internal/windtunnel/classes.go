package windtunnel

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/traces/store"
	"spoor/traces/unit"
)

// windowsTable is the name of a table of analyze with footprints by quantum.
const windowsTable = "footprint_windows"

// maxClasses is the largest number of classes of quanta.
const maxClasses = 24

// window is a sampled quantum: the number of targets in it and their mean footprints.
type window struct{ users, shared, private float64 }

// readWindows reads how footprints vary from quantum to quantum.
func (r *Run) readWindows(path string) error {
	t, err := store.ReadTable(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if hash := t.Fact("trace"); t.Name != windowsTable || r.Trace != "" && hash != r.Trace {
		return fmt.Errorf("%s: a %s table of trace %.12s, but the parameters are of %.12s; analyze one trace for both", path, t.Name, hash, r.Trace)
	}
	for _, level := range []struct {
		name string
		*Level
	}{{"cache", &r.Parameters.Cache}, {"tlb", &r.Parameters.TLB}} {
		block, known := r.Params.Lookup("block_" + level.name)
		if level.Miss == 0 || !known {
			continue
		}
		all, err := windowsOf(t, unit.Bytes(block.Value))
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		level.Classes = classes(all)
	}
	return nil
}

// windowsOf returns the windows of one block size.
func windowsOf(t *store.Table, block unit.Bytes) (out []window, err error) {
	size, e1 := store.Data[int64](t, "block")
	users, e2 := store.Data[int32](t, "processors")
	shared, e3 := store.Data[float64](t, "shared")
	private, e4 := store.Data[float64](t, "private")
	if err := errors.Join(e1, e2, e3, e4); err != nil {
		return nil, err
	}
	for i := range size {
		if w := (window{float64(users[i]), shared[i], private[i]}); size[i] == int64(block) {
			if !(w.users >= 1 && w.shared >= 0 && w.private >= 0) || math.IsInf(w.shared+w.private, 0) {
				return nil, fmt.Errorf("row %d: %v processors with %v shared blocks and %v others", i, w.users, w.shared, w.private)
			}
			out = append(out, w)
		}
	}
	return out, nil
}

// classes orders windows by private footprint and divides them into classes of equal numbers of targets.
func classes(all []window) (out []Class) {
	slices.SortFunc(all, func(a, b window) int {
		return cmp.Or(cmp.Compare(a.private, b.private), cmp.Compare(a.shared, b.shared))
	})
	var total window // sums over targets
	for _, w := range all {
		total.add(w)
	}
	var open window
	done := 0.0
	for i, w := range all {
		open.add(w)
		if i < len(all)-1 && (done+open.users)*maxClasses < total.users*float64(len(out)+1) {
			continue
		}
		share := open.users / total.users
		out = append(out, Class{share, quotient(open.shared, total.shared*share), quotient(open.private, total.private*share)})
		done += open.users
		open = window{}
	}
	return out
}

func (w *window) add(o window) {
	w.users += o.users
	w.shared += o.users * o.shared
	w.private += o.users * o.private
}
