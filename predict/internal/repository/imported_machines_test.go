package repository

import (
	"fmt"
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
	for ranks, bytes := range map[int]int{2: 60001, 12: 1, 16: 1, 120: 1} {
		text := fmt.Sprintf("num_ranks %d\nrank 0 {\ns: send %db to %d\n}\n", ranks, bytes, ranks-1)
		for rank := 1; rank < ranks-1; rank++ {
			text += fmt.Sprintf("rank %d {\n}\n", rank)
		}
		write(t, filepath.Join(dir, fmt.Sprintf("last%d.goal", ranks)), text+fmt.Sprintf("rank %d {\nr: recv %db from 0\n}\n", ranks-1, bytes))
	}
	write(t, filepath.Join(dir, "work.ti"), "0 init\n1 init\n0 compute 8000000\n0 send 1 0 1000 6\n1 recv 0 0 1000 6\n0 finalize\n1 finalize\n")
	for name, topology := range map[string]string{
		"torus": `radical="0-11" topology="TORUS" topo_parameters="3,2,2"`, "fattree": `radical="0-15" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2"`,
		"dragonfly": `radical="0-119" topology="DRAGONFLY" topo_parameters="3,4;4,3;5,1;2"`,
	} {
		write(t, filepath.Join(dir, name+".xml"), `<platform version="4.1"><cluster id="c" prefix="n" suffix="" speed="1Gf" bw="125MBps" lat="50us" `+topology+`/></platform>`)
	}
	run := func(t *testing.T, args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, args[0]), args[1:]...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v %s", args, err, err.(*exec.ExitError).Stderr)
		}
		return string(out)
	}
	cluster, pair := filepath.Join(whole, "data/sample/cluster.xml"), filepath.Join(whole, "data/sample/dimemas.cfg")
	for _, c := range []struct{ description, trace, perNode, time string }{
		// o_s 1.1, twice 1.5 by 1.9, 60001 B at 1.25 GB/s by 0.94, o_r 0.8.
		{cluster, "last2.goal", "1", "5.8664681e-05"},
		// o_s 1.1, 0.2, 60000 B at 6 GB/s, o_r 0.8.
		{cluster, "last2.goal", "2", "1.21e-05"},
		// o_s 2.5, 60001 B at 1024 of 2^20 B.
		{pair, "last2.goal", "1", "5.8380286e-05"},
		// o_s 0.4, 60000 B at 8192 of 2^20 B.
		{pair, "last2.goal", "2", "7.384919e-06"},
		// 8000 kflop at 8 Gflop/s, o_s 1.1, twice 1.5 by 1.9, 1000 B at 1.25 GB/s by 0.94, o_r 0.8.
		{cluster, "work.ti", "1", "0.001008451064"},
		// From the first to the last host: three links of 50, four, and six; a byte at 125 MB/s.
		{"torus.xml", "last12.goal", "1", "0.000150008"},
		{"fattree.xml", "last16.goal", "1", "0.000200008"},
		{"dragonfly.xml", "last120.goal", "1", "0.000300008"},
	} {
		t.Run(filepath.Base(c.description)+" "+c.trace+" "+c.perNode, func(t *testing.T) {
			run(t, "calibrate", "import", c.description, "-o", "m.toml")
			run(t, "traces", "import", c.trace, "-o", "x")
			out := run(t, "predict", "replay", "x", "--machine", "m.toml", "--ranks-per-node", c.perNode, "--format", "csv")
			lines := strings.Split(out, "\n")
			column := slices.Index(strings.Split(lines[0], ","), "time")
			if got := strings.Split(lines[1], ",")[column]; got != c.time {
				t.Errorf("%s s, want %s", got, c.time)
			}
		})
	}
}
