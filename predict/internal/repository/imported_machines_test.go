package repository

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/predict/internal/stagetest"
)

// A message takes the time on an imported machine that the other simulator gives it: its overheads, latency and bytes by hand,
// in us.
func TestMessagesOnImportedMachines(t *testing.T) {
	bin, dir := stagetest.Build(t, root), t.TempDir()
	whole, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "one.goal"), "num_ranks 2\nrank 0 {\ns: send 60001b to 1\n}\nrank 1 {\nr: recv 60001b from 0\n}\n")
	run := func(args ...string) string {
		cmd := exec.Command(filepath.Join(bin, args[0]), args[1:]...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v %s", args, err, err.(*exec.ExitError).Stderr)
		}
		return string(out)
	}
	run("traces", "import", "one.goal", "-o", "one")
	for _, c := range []struct {
		description, ranks string
		time               string
	}{
		// o_s 1.1, twice 1.5 by 1.9, 60001 B at 1.25 GB/s by 0.94, o_r 0.8.
		{filepath.Join(whole, "data/sample/cluster.xml"), "1", "5.8664681e-05"},
		// o_s 1.1, 0.2, 60000 B at 6 GB/s, o_r 0.8.
		{filepath.Join(whole, "data/sample/cluster.xml"), "2", "1.21e-05"},
		// o_s 2.5, 60001 B at 1024 of 2^20 B.
		{filepath.Join(whole, "data/sample/dimemas.cfg"), "1", "5.8380286e-05"},
		// o_s 0.4, 60000 B at 8192 of 2^20 B.
		{filepath.Join(whole, "data/sample/dimemas.cfg"), "2", "7.384919e-06"},
	} {
		t.Run(filepath.Base(c.description)+" "+c.ranks, func(t *testing.T) {
			run("calibrate", "import", c.description, "-o", "m.toml")
			out := run("predict", "replay", "one", "--machine", "m.toml", "--ranks-per-node", c.ranks, "--format", "csv")
			lines := strings.Split(out, "\n")
			column := slices.Index(strings.Split(lines[0], ","), "time")
			if got := strings.Split(lines[1], ",")[column]; got != c.time {
				t.Errorf("%s s, want %s", got, c.time)
			}
		})
	}
}
