package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"spoor/predict/internal/stagetest"
	"spoor/predict/internal/windtunnel"
)

// hostWithoutMisses is a host whose caches hold everything.
const hostWithoutMisses = `t_cxsw = { value = 60.0, unit = "cycles" }
n_win = { value = 1.0, unit = "1" }
t_win = { value = 40.0, unit = "cycles" }
t_fp = { value = 60.0, unit = "cycles" }
t_quantum_overhead = { value = 50.0, unit = "cycles" }
`

// The programs of [falsafi1997, sec. 4] on 32 targets, at reduced sizes: speedups on 2 to 32 hosts by the default model are within 10 %
// of those of the critical path through their quanta with targets in blocks, as the project promises; the
// paper has 16 %. Its eq. 1 underestimates every one of them here, up to a third, for it knows no quantum.
func TestWindtunnelAgainstQuantaOfThePapersPrograms(t *testing.T) {
	bin := stagetest.Build(t, "..")
	for _, k := range [][]string{
		{"appbt", "--set", "iterations=1"}, {"barnes", "--set", "bodies=256", "--set", "steps=1"}, {"sparse", "--set", "n=64"},
		{"tomcatv", "--set", "size=96", "--set", "iterations=2"}, {"water", "--set", "molecules=64", "--set", "steps=1"},
	} {
		t.Run(k[0], func(t *testing.T) {
			dir := t.TempDir()
			stagetest.Run(t, dir, filepath.Join(bin, "tracegen"), append(k, "--procs", "32", "-o", "x")...)
			stagetest.Run(t, dir, filepath.Join(bin, "analyze"), "--run", "quanta", "-o", "a", "x")
			host := filepath.Join(dir, "host.params.toml")
			if err := os.WriteFile(host, []byte(hostWithoutMisses), 0o666); err != nil {
				t.Fatal(err)
			}
			r, err := windtunnel.Open([]string{filepath.Join(dir, "a"), host})
			if err != nil {
				t.Fatal(err)
			}
			m, err := windtunnel.OpenMeasured(r, filepath.Join(dir, "a"))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := m.Compare()
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				if row.Placement != "block" {
					continue
				}
				processing, whole := row.Processing.Error(), row.Whole.Error()
				switch row.Model {
				case "bounded":
					if !(math.Abs(processing) < 0.1 && math.Abs(whole) < 0.1) {
						t.Errorf("%d hosts: processing %+.1f %%, all %+.1f %%", row.Hosts, 100*processing, 100*whole)
					}
				case "paper":
					if !(processing < 0 && processing > -0.4) {
						t.Errorf("%d hosts: eq. 1 is off by %+.1f %%", row.Hosts, 100*processing)
					}
				}
			}
		})
	}
}
