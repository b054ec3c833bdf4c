package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"spoor/predict/internal/stagetest"
)

// modern is a machine with a shared cache and misses that overlap, each of which can be left out.
func modern(t *testing.T, shared, overlap bool) string {
	t.Helper()
	text := "name = \"m\"\n[processor]\nclock = \"2 GHz\"\ncpi = 1\n"
	if overlap {
		text += "outstanding = 8\nwindow = 64\n"
	}
	text += "[[cache]]\nsize = \"16 KiB\"\nline = \"64 B\"\nways = 4\nlatency = \"0 cycles\"\n"
	if shared {
		text += "[shared_cache]\nsize = \"128 KiB\"\nline = \"64 B\"\nways = 16\nlatency = \"20 cycles\"\n"
	}
	text += "[memory]\nsize = \"1 GiB\"\nlatency = \"80 ns\"\noccupancy = \"4 ns\"\ninvalidate = \"20 ns\"\n[system]\ntarget = \"smp\"\nprocessors = 4\n"
	path := filepath.Join(t.TempDir(), "m.toml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// E(Instr) by mva against simulation on machines with a shared cache, with overlapping misses, and with both: within 10 %, not the 3 % of
// private caches. It takes misses that overlap to come at random, which regular programs' do not; and a shared cache to see all
// uses, while what private caches keep has room there: most where the data are about as large as it, as those of fft here.
func TestModelOfSharedCachesAndOverlap(t *testing.T) {
	bin, dir := stagetest.Build(t, ".."), t.TempDir()
	for _, k := range [][]string{{"fft", "points=4096"}, {"lu", "n=128"}} {
		trace := filepath.Join(dir, k[0])
		stagetest.Run(t, dir, filepath.Join(bin, "tracegen"), k[0], "--procs", "4", "--set", k[1], "-o", trace)
		stagetest.Run(t, dir, filepath.Join(bin, "analyze"), "--run", "reuse,locality,phases", "--sets", "64", "-o", trace+".analysis", trace)
		for _, m := range []struct {
			shared, overlap bool
			tolerance       float64
		}{{false, false, 0.03}, {true, false, 0.1}, {false, true, 0.1}, {true, true, 0.1}} {
			machine := modern(t, m.shared, m.overlap)
			model, simulation := filepath.Join(dir, "model.arrow"), filepath.Join(dir, "simulation.arrow")
			for _, args := range [][]string{{"cluster", "--params", trace + ".analysis", "--model", "mva", "--machine", machine, "-o", model}, {"replay", trace, "--machine", machine, "-o", simulation}} {
				if status, _, errs := predict(args...); status != 0 {
					t.Fatal(errs)
				}
			}
			_, out, errs := predict("compare", model, simulation, "--format", "json")
			var rows []struct{ Simulated, Predicted, Error float64 }
			if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != 1 {
				t.Fatal(err, errs, out)
			}
			r := rows[0]
			t.Logf("%s, shared %v, overlap %v: %.4g ns, simulated %.4g ns, %+.1f %%", k[0], m.shared, m.overlap, r.Predicted, r.Simulated, r.Error)
			if math.Abs(r.Error) > 100*m.tolerance {
				t.Errorf("%s, shared %v, overlap %v: %+.1f %% off", k[0], m.shared, m.overlap, r.Error)
			}
		}
	}
}
