package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"spoor/predict/internal/stagetest"
	"spoor/traces/stage"
)

// amounts are what a stage says that a trace holds: instructions, loads and stores.
type amounts struct{ instr, refs uint64 }

// All stages agree on what a trace holds, whatever its times are.
func TestStagesAgreeOnAmounts(t *testing.T) {
	bin, dir := stagetest.Build(t, ".."), t.TempDir()
	desktop, err := filepath.Abs("../data/machine/example-desktop.toml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	offset := "time,tid,op,addr,size\n1000001,0,R,0x0,8\n1000002,0,R,0x40,8\n1000003,0,W,0x0,8\n1000004,0,R,0x80,8\n"
	rng := rand.New(rand.NewPCG(35, 6))
	for i := range 6 {
		text, csvTime := offset, "instructions"
		if i > 0 {
			text, csvTime = randomRows(rng), "exact"
		}
		if err := os.WriteFile("t.csv", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		stagetest.Run(t, dir, filepath.Join(bin, "traces"), "import", "t.csv", "--csv-time", csvTime, "-o", "t")
		stagetest.Run(t, dir, filepath.Join(bin, "analyze"), "t", "--run", "reuse,locality,phases", "--sets", "1024", "-o", "a")
		info := amountsOfInfo(t, filepath.Join(bin, "traces"))
		if i == 0 && info != (amounts{4, 4}) {
			t.Errorf("the shifted trace holds %+v", info)
		}
		if got := amountsOfParams(t); got != info {
			t.Errorf("analyze says %+v, traces info %+v, of\n%s", got, info, text)
		}
		if got := amountsOfReplay(t, desktop); got != info {
			t.Errorf("predict replay says %+v, traces info %+v, of\n%s", got, info, text)
		}
		if i > 0 {
			continue
		}
		status, out, errs := predict("cluster", "--params", "a", "--machine", desktop, "--model", "curve")
		if status != stage.Done || !strings.Contains(out, " 60.13 ") {
			t.Errorf("curve does not give 60.13 ns: %s%s", out, errs)
		}
	}
}

// randomRows is a trace with ifetches, and with gaps that need Compute events.
func randomRows(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("time,tid,op,addr,size\n")
	for time, i := uint64(0), 0; i < 40; i++ {
		time += []uint64{1, 1, 3, 1 << 20, 1 << 33}[rng.IntN(5)]
		fmt.Fprintf(&b, "%d,%d,%c,%d,8\n", time, rng.IntN(2), "RWI"[rng.IntN(3)], 64*rng.IntN(32))
	}
	return b.String()
}

func amountsOfInfo(t *testing.T, traces string) (a amounts) {
	t.Helper()
	stagetest.Run(t, ".", "sh", "-c", traces+" info t --format json >info.json")
	text, err := os.ReadFile("info.json")
	if err != nil {
		t.Fatal(err)
	}
	var i struct {
		Instructions uint64
		Refs         struct{ Load, Store uint64 }
	}
	if err := json.Unmarshal(text, &i); err != nil {
		t.Fatal(err)
	}
	return amounts{i.Instructions, i.Refs.Load + i.Refs.Store}
}

var paramValue = regexp.MustCompile(`\[(instructions|references)\]\nvalue = (\S+)`)

func amountsOfParams(t *testing.T) (a amounts) {
	t.Helper()
	text, err := os.ReadFile("a/locality.params.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range paramValue.FindAllStringSubmatch(string(text), -1) {
		v, _ := strconv.ParseFloat(m[2], 64)
		if m[1] == "instructions" {
			a.instr = uint64(v)
		} else {
			a.refs = uint64(v)
		}
	}
	return a
}

func amountsOfReplay(t *testing.T, desktop string) (a amounts) {
	t.Helper()
	status, out, errs := predict("replay", "t", "--machine", desktop)
	if status != stage.Done {
		t.Fatal(errs)
	}
	_, table, _ := strings.Cut(out, "\nproc ")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(strings.TrimRight(table, "\n"), "\n")
	names := regexp.MustCompile(`  +`).Split("proc "+rows[0], -1)
	for _, row := range rows[1:] {
		for i, v := range strings.Fields(row) {
			n, _ := strconv.ParseUint(v, 10, 64)
			switch names[i] {
			case "instructions":
				a.instr += n
			case "references":
				a.refs += n
			}
		}
	}
	return a
}
