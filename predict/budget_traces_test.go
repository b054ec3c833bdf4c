package main

import (
	"path/filepath"
	"strings"
	"testing"

	"spoor/predict/internal/stagetest"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// Budget and upgrade count what their model needs, once. With curve they decide as from the results of analyze.
func TestBudgetOfTraces(t *testing.T) {
	prefix := writeTrace(t, "prog", 2, locked)
	have := "../data/machine/du2000-cow-4-256k-100m.toml"
	for name, args := range map[string][]string{
		"budget":  {"budget", prefix, "--prices", shop1999, "--budget", "$8000"},
		"upgrade": {"upgrade", prefix, "--prices", shop1999, "--budget", "$8000", "--have", have},
	} {
		for _, model := range []string{"paper", "curve", "mva"} {
			t.Run(name+" "+model, func(t *testing.T) {
				all := append(args, "--model", model)
				status, first, errs := predict(all...)
				if status != stage.Done || strings.Contains(first+errs, "run analyze") {
					t.Fatalf("status %d: %s%s", status, errs, first)
				}
				if _, again, errs := predict(all...); again != first || strings.Contains(errs, "analyzing") {
					t.Errorf("the second time: %s%s\nthe first time\n%s", errs, again, first)
				}
			})
		}
	}
}

func TestBudgetOfTracesEqualsTheLongWay(t *testing.T) {
	bin, prefix := stagetest.Build(t, ".."), writeTrace(t, "prog", 2, nil)
	dir := filepath.Join(t.TempDir(), "results")
	stagetest.Run(t, ".", filepath.Join(bin, "analyze"), "--line", "64B,256B", "-o", dir, prefix)
	args := []string{"budget", "--prices", shop1999, "--budget", "$20000"}
	_, want, _ := predict(append(args, "--params", dir)...)
	_, got, errs := predict(append(args, prefix)...)
	if got != want {
		t.Errorf("%s%s\nthe long way:\n%s", errs, got, want)
	}
	if note := "machines with as many processors as a trace (2)"; !strings.Contains(errs, note) {
		t.Errorf("no note of model mva: %s", errs)
	}
}

// Wrong input of commands that take traces or parameters.
func TestTracesOrParameters(t *testing.T) {
	prefix, dir := writeTrace(t, "prog", 2, nil), writeAnalysis(t, "2", true)
	message := trace.NewEvent(trace.Bcast)
	message.Bytes, message.Peer = 8, 0
	messages := writeEvents(t, []trace.Event{message})
	for name, args := range map[string][]string{
		"cluster": {"cluster", "--machine", smpFile},
		"budget":  {"budget", "--prices", shop1999, "--budget", "$8000"},
		"upgrade": {"upgrade", "--prices", shop1999, "--budget", "$8000", "--have", "../data/machine/du2000-cow-4-256k-100m.toml"},
	} {
		for _, c := range []struct {
			more   []string
			status int
			say    string
		}{
			{nil, stage.WrongUsage, "no trace and no parameters"},
			{[]string{prefix, "--params", dir}, stage.WrongUsage, "give traces or --params, not both"},
			{[]string{prefix, prefix}, stage.Failed, "both have 2 processors"},
			{[]string{dir}, stage.WrongUsage, "is a folder, not a trace; give results of analyze with --params"},
			{[]string{prefix + "nowhere"}, stage.Failed, "nowhere.refs.arrow"},
			{[]string{messages}, stage.Failed, "counts no instructions"},
		} {
			t.Run(name+" "+c.say, func(t *testing.T) {
				status, out, errs := predict(append(args, c.more...)...)
				if status != c.status || out != "" || !strings.Contains(errs, c.say) {
					t.Errorf("status %d: %s%s", status, errs, out)
				}
			})
		}
	}
}
