package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/testsize"
)

// A sample is recorded, and everything that comes of it says so. Parts of it merge to the whole.
func TestSample(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "x", 4, 3, 20_000)
	const args = "--run reuse,locality --interleaved=false --line 32B,64B --assoc 4x4 --sample 0.2 --sample-least 64 --sample-seed 7"
	status, out, errs := analyze(append(strings.Fields(args), "-o", "whole", "x")...)
	if status != stage.Done || !strings.Contains(out, "sampled") || strings.Count(errs, "is an estimate, sampled: rate 0.2, 64 lines at least, seed 7; exact where sampled is 1") != 2 {
		t.Fatalf("status %d:\n%s%s", status, out, errs)
	}
	for _, name := range []string{"reuse", "curve", "locality_curve", "locality_assoc"} {
		t.Run(name, func(t *testing.T) {
			table := read(t, filepath.Join("whole", name+".arrow"))
			if table.Fact("sample_rate") != "0.2" || table.Fact("sample_least") != "64" || table.Fact("sample_seed") != "7" {
				t.Errorf("facts %v", table.Meta)
			}
		})
	}
	if params := text(t, "whole/locality.params.toml"); !strings.Contains(params, ", sampled: rate 0.2, 64 lines at least, seed 7") {
		t.Errorf("parameters do not say that they are of a sample:\n%s", params)
	}
	must(t, args+" --procs 0-1 -o a x")
	must(t, args+" --procs 2-3 -o b x")
	must(t, "merge -o merged a b")
	for _, name := range []string{"reuse.arrow", "curve.arrow", "locality_curve.arrow", "locality.params.toml"} {
		t.Run(name, func(t *testing.T) {
			if text(t, filepath.Join("whole", name)) != text(t, filepath.Join("merged", name)) {
				t.Errorf("%s differs after a merge", name)
			}
		})
	}
	for _, wrong := range []string{"--sample 0", "--sample -1", "--sample 2", "--sample nan", "--sample-lines 63", "--sample-lines -1", "--sample-least 63", "--sample-least -1"} {
		t.Run(wrong, func(t *testing.T) {
			for _, run := range []string{"reuse", "locality"} {
				if status, out, _ := analyze(append(strings.Fields(wrong), "--run", run, "-o", "wrong", "x")...); status != stage.WrongUsage || out != "" {
					t.Errorf("%s %s: status %d", run, wrong, status)
				}
			}
		})
	}
}

// A share that would be few lines is more of them: what has no more than the least is exact.
func TestSampleOfFewLines(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "x", 2, 3, 500)
	exact := must(t, "--run reuse --format csv -o exact x")
	if sampled := must(t, "--run reuse --format csv --sample 0.01 -o sampled x"); sampled != exact {
		t.Errorf("a sample of few lines is not exact:\n%s\nand not\n%s", sampled, exact)
	}
}

// What is legal, if only just, is sampled without numbers that are none.
func TestNastySamples(t *testing.T) {
	t.Chdir(t.TempDir())
	names := slices.Sorted(maps.Keys(nastyTraces))
	for i := 0; i < len(names); i += testsize.Cases(1, 3) {
		name, n := names[i], nastyTraces[names[i]]
		t.Run(name, func(t *testing.T) {
			n.write(t, name)
			dir := filepath.Join(t.TempDir(), "d")
			statusOfAll, _, _ := analyze("--run", "reuse", "-o", dir, name)
			all := []string{"--sample 0.3", "--sample-lines 64", "--sample 0.00001", "--sample 0.00001 --sample-least 0"}
			for _, args := range all[:testsize.Cases(len(all), 1)] {
				for _, run := range []string{"reuse", "locality"} {
					exact, dir := statusOfAll, filepath.Join(t.TempDir(), "d")
					status, out, errs := analyze(append(strings.Fields(args), "--run", run, "-o", dir, name)...)
					if run == "locality" && n.fails[run] == "" {
						exact = stage.Done // it wants no interleaved order
					}
					if name == "prefetches" {
						exact = stage.Failed // no sample follows lines that move
					}
					if status != exact {
						t.Errorf("%s %s of %q: status %d: %s", run, args, name, status, errs)
					}
					if m := notNumber.FindString(out); m != "" {
						t.Errorf("%s %s of %q prints %s:\n%s", run, args, name, m, out)
					}
					files, err := filepath.Glob(filepath.Join(dir, "*"))
					if err != nil {
						t.Fatal(err)
					}
					for _, f := range files {
						checkNumbers(t, name, f)
					}
				}
			}
		})
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
