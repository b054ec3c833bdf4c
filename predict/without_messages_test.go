package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// withMessages returns a copy of an analysis whose parameters say that the program passes messages, or say nothing.
func withMessages(t *testing.T, dir string, say string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "locality.params.toml"))
	if err != nil {
		t.Fatal(err)
	}
	const before = "[passes_messages]\nvalue = 0.0\n"
	whole := strings.Replace(string(text), before, "[passes_messages]\nvalue = 1.0\n", 1)
	if say == "" {
		whole, _, _ = strings.Cut(string(text), "[passes_messages]")
	}
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, "locality.params.toml"), []byte(whole), 0o666); err != nil {
		t.Fatal(err)
	}
	return to
}

// Models do not know the time of messages. No command treats messages as free without a word.
func TestMessagesAreNeverFree(t *testing.T) {
	plain := writeAnalysis(t, "2", true)
	messages, unknown := withMessages(t, plain, "1"), withMessages(t, plain, "")
	m, have := writeMachine(t, "m"), "../data/machine/du2000-cow-4-256k-100m.toml"
	commands := map[string][]string{
		"cluster": {"cluster", "--machine", m, "--processors", "2", "--format", "csv", "--model", "paper"},
		"budget":  {"budget", "--prices", shop1999, "--budget", "$20000", "--model", "paper"},
		"upgrade": {"upgrade", "--prices", shop1999, "--have", have, "--budget", "$20000", "--model", "paper"},
	}
	const left = "passes messages, and their time is not part of the prediction"
	for name, args := range commands {
		t.Run(name, func(t *testing.T) {
			status, out, errs := predict(append(args, "--params", messages)...)
			if want := "passes messages, and their time is not known: " + messages + " has no paths.arrow; run analyze with --run paths; or simulate the trace with predict replay, or give --without-messages"; status != stage.Failed || out != "" || !strings.Contains(errs, want) {
				t.Errorf("%s with messages: %d %s%s", name, status, out, errs)
			}
			status, out, errs = predict(append(args, "--params", messages, "--without-messages")...)
			if _, first, _ := strings.Cut(out, "warning: "); name != "cluster" && !strings.HasPrefix(first, "the program "+left) {
				t.Errorf("%s --without-messages: the first warning is not that of messages: %s", name, out)
			}
			if status != stage.Done || !strings.Contains(out, left) {
				t.Errorf("%s --without-messages: %d %s%s", name, status, out, errs)
			}
			status, out, errs = predict(append(args, "--params", unknown)...)
			if status != stage.Done || !strings.Contains(errs, "does not say whether the program passes messages") || strings.Contains(out, left) {
				t.Errorf("%s with old parameters: %d %s%s", name, status, out, errs)
			}
			if status, _, errs = predict(append(args, "--params", plain)...); status != stage.Done || strings.Contains(errs, "messages") {
				t.Errorf("%s without messages: %d %s", name, status, errs)
			}
			if _, _, errs = predict(append(args, "--params", plain, "--without-messages")...); !strings.Contains(errs, "--without-messages has no effect") {
				t.Errorf("the flag has no effect, without a note: %s", errs)
			}
		})
	}
}

// An analysis of messages alone is refused for its messages, before other analyses are asked for.
func TestOnlyMessagesAreRefused(t *testing.T) {
	dir, m := t.TempDir(), writeMachine(t, "m")
	comm := &store.Table{Name: "comm", Meta: []trace.Arg{{Key: "program", Value: "prog"}, {Key: "procs", Value: "2"}}, Columns: []store.Column{{Name: "messages", Data: []uint64{3}}, {Name: "bytes", Data: []uint64{24}}}}
	if err := store.WriteTable(filepath.Join(dir, "comm.arrow"), comm); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"cluster --machine " + m:                           "predicting " + dir + ": the analysis has only messages; analyze references too, with analyze --run reuse,locality,phases,paths",
		"budget --prices " + shop1999 + " --budget $20000": "the analysis has only messages",
		"cluster --without-messages --machine " + m:        "make it with analyze --run reuse,locality,phases",
	} {
		t.Run(caseOf(strings.Fields(args)...), func(t *testing.T) {
			status, out, errs := predict(append(strings.Fields(args), "--params", dir)...)
			if status != stage.Failed || out != "" || !strings.Contains(errs, want) {
				t.Errorf("%d %s%s; want %q", status, out, errs, want)
			}
		})
	}
}

// Extrapolated parameters say that they are of a program with messages, so that no model takes them.
func TestScalingOfMessages(t *testing.T) {
	var dirs []string
	for i, dir := range writeSizes(t) {
		if i == 3 {
			dir = withMessages(t, dir, "1")
		}
		dirs = append(dirs, dir)
	}
	file := filepath.Join(t.TempDir(), "large.params.toml")
	status, out, errs := predict("scaling", "--params", strings.Join(dirs, ","), "--processors", "2", "--size", "n=4096", "-o", file)
	if status != stage.Done || !strings.Contains(errs, "the program passes messages: no parameter has their time") || strings.Contains(out, "passes_messages") {
		t.Fatalf("%d %s%s", status, out, errs)
	}
	if status, _, errs = predict("cluster", "--params", file, "--model", "paper", "--machine", writeMachine(t, "m")); status != stage.Failed || !strings.Contains(errs, "passes messages") {
		t.Errorf("%d %s", status, errs)
	}
}
