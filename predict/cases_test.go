package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"spoor/predict/internal/stagetest"
	"spoor/traces/stage"
)

// elsewhere is where our traces and the example's prices decide otherwise than [du2000, sec. 6], and why.
var elsewhere = map[string]string{
	"2 lu": "more workstations are ahead of fewer SMPs: the model knows no coherence, and the paper's prices are lost",
}

// The winners of [du2000, sec. 6] in kind, on small traces of its programs scaled from one processor, with the model that has the
// measured stack distances and the example's prices.
func TestCasesOfThePaper(t *testing.T) {
	text, err := os.ReadFile("../data/paper/du2000/cases.tsv")
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := stagetest.Build(t, ".."), t.TempDir()
	for _, k := range [][]string{{"fft", "points=16384"}, {"lu", "n=128"}, {"radix", "keys=65536"}, {"edge", "size=16"}} {
		stagetest.Run(t, dir, filepath.Join(bin, "tracegen"), k[0], "--procs", "1", "--set", k[1], "-o", k[0])
		stagetest.Run(t, dir, filepath.Join(bin, "analyze"), "--run", "reuse,locality", "--line", "64B,256B", "-o", k[0]+".analysis", k[0])
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || f[0] == "case" {
			continue
		}
		args := []string{"budget", "--params", filepath.Join(dir, f[2]+".analysis"), "--prices", shop1999, "--budget", "$" + f[1], "--top", "1", "--format", "json"}
		if f[2] == "fft" || f[2] == "radix" {
			args = append(args, "--power-of-two")
		}
		status, out, errs := predict(args...)
		var best []struct {
			Nodes, Each   int
			Node, Network string
		}
		if err := json.Unmarshal([]byte(out), &best); err != nil || status != stage.Done || len(best) != 1 {
			t.Fatalf("%v %s %s", err, errs, out)
		}
		b := best[0]
		agrees := b.Node == f[4] && (f[5] == "-" || b.Network == f[5]) && (f[3] == "-" || strconv.Itoa(b.Nodes*b.Each) == f[3])
		if why, known := elsewhere[f[0]+" "+f[2]]; agrees == known {
			t.Errorf("case %s, %s: %+v; the paper has %v; known to differ: %q", f[0], f[2], b, f[3:], why)
		}
	}
}
