package main

import (
	"crypto/sha256"
	"flag"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Tests that run whole studies need the flag -make: see make smoke and make torture. Without it they do nothing.
var program = flag.String("make", "", "run studies with this make")

// study runs make in a folder of pipelines and returns what it prints.
func study(folder string, args ...string) (string, error) {
	cmd := exec.Command(*program, append([]string{"--no-print-directory", "-C", folder}, args...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must is study for what may not fail.
func must(t *testing.T, folder string, args ...string) string {
	t.Helper()
	out, err := study(folder, args...)
	if err != nil {
		t.Fatalf("make -C %s %s: %v\n%s", folder, strings.Join(args, " "), err, out)
	}
	return out
}

var step = regexp.MustCompile(`(?m)^step .*`)

// TestSmoke runs the small variant of every study.
func TestSmoke(t *testing.T) {
	if *program == "" {
		return
	}
	t.Run("make -n runs nothing", func(t *testing.T) {
		if out := must(t, "..", "-n", "torture"); !strings.Contains(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:], "TestTorture") {
			t.Errorf("make -n torture runs it:\n%s", out)
		}
	})
	t.Run("quickstart", smokeQuickstart)
	folders, _ := filepath.Glob("*/Makefile")
	for _, f := range folders {
		name := filepath.Dir(f)
		if name == "quickstart" || name == "external" || name == "calibration" {
			continue
		}
		t.Run(name, func(t *testing.T) { // needs only to run
			must(t, name, "SCALE=smoke", "clean")
			must(t, name, "SCALE=smoke", "-j2", "report", "comparison")
		})
	}
	t.Run("calibration", smokeCalibration)
	t.Run("external", smokeExternal)
	t.Run("snakemake", smokeSnakemake)
}

// smokeQuickstart tests the promises of rules.mk on the quickstart. A second make does nothing. A touched input rebuilds only what
// follows from it. The bytes do not depend on -j or on the run.
func smokeQuickstart(t *testing.T) {
	must(t, "quickstart", "SCALE=smoke", "clean")
	must(t, "quickstart", "SCALE=smoke", "-j1")
	const out = "quickstart/out/smoke"
	if s, err := os.Stat(out + "/report.html"); err != nil || s.Size() == 0 {
		t.Fatalf("there is no report: %v", err)
	}
	if again := must(t, "quickstart", "SCALE=smoke"); step.MatchString(again) {
		t.Errorf("a second make does something:\n%s", again)
	}
	if err := exec.Command("touch", out+"/matmul.events.arrow").Run(); err != nil {
		t.Fatal(err)
	}
	touched := must(t, "quickstart", "SCALE=smoke")
	follows := 0
	for _, line := range step.FindAllString(touched, -1) {
		if strings.Contains(line, "matmul") {
			follows++
		} else if !strings.Contains(line, ": predict report ") {
			t.Errorf("a touched trace rebuilds more than what follows: %s", line)
		}
	}
	if follows < 3 {
		t.Errorf("a touched trace is not analysed, predicted and simulated again:\n%s", touched)
	}
	first := files(t, out)
	must(t, "quickstart", "SCALE=smoke", "clean")
	must(t, "quickstart", "SCALE=smoke", "-j2")
	same(t, "two runs", first, files(t, out))
	t.Log(must(t, "quickstart", "SCALE=smoke", "comparison"))
}

// content is what a file has.
type content struct {
	size   int64
	digest string
}

// files returns all files below a folder.
func files(t *testing.T, folder string) map[string]content {
	t.Helper()
	contents := map[string]content{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		digest := sha256.New()
		size, err := io.Copy(digest, f)
		contents[strings.TrimPrefix(path, folder)] = content{size, string(digest.Sum(nil))}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return contents
}

func same(t *testing.T, what string, want, got map[string]content) {
	t.Helper()
	for name, file := range want {
		if got[name] != file {
			t.Errorf("%s: %s differs, or is there only once", what, name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d and %d files", what, len(want), len(got))
	}
}

// A host may be too noisy to be measured, which has to be said. What was measured can be fitted on any.
func smokeCalibration(t *testing.T) {
	must(t, "calibration", "SCALE=smoke", "clean")
	out, err := study("calibration", "SCALE=smoke", "DATASETS=ring instructions", "MACHINE=../../data/machine/example-desktop.toml", "report", "refit")
	switch {
	case err == nil && !regexp.MustCompile(`calibration: [1-9][0-9]* files are the same to the byte.*\n$`).MatchString(out):
		t.Errorf("datasets do not give their parameters:\n%s", out)
	case err == nil:
	case strings.Contains(out, "too noisy") && strings.Contains(out, "\ncalibration: there is no dataset"):
		t.Log("note: calibration refuses this host, which does other things")
	default:
		t.Errorf("%v\n%s", err, out)
	}
	must(t, "calibration", "SCALE=smoke", "golden") // stored datasets give the parameters that they always gave
}

// Another engine runs the plan of a study, and then make has nothing to do.
func smokeSnakemake(t *testing.T) {
	if _, err := exec.LookPath("snakemake"); err != nil {
		t.Skip("no snakemake: apt-get install --no-install-recommends snakemake")
	}
	variables := []string{"SCALE=smoke", "SHARDS=2"}
	must(t, "quickstart", append(variables, "clean")...)
	must(t, "quickstart", append(variables, "-j2")...)
	want := files(t, "quickstart/out/smoke")
	must(t, "quickstart", append(variables, "clean")...)
	planned, err := exec.Command("sh", append([]string{"./plan", "quickstart"}, variables...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(file, planned, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("snakemake", "--snakefile", "Snakefile", "--config", "plan="+file, "--cores", "2").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	same(t, "make and Snakemake", want, files(t, "quickstart/out/smoke"))
	if again := must(t, "quickstart", variables...); step.MatchString(again) {
		t.Errorf("make does again what Snakemake has done:\n%s", again)
	}
}

// A trace of references, then another of the same name, from another folder.
func smokeExternal(t *testing.T) {
	t.Cleanup(func() { os.RemoveAll("external/out/smoke") })
	t.Chdir("../data/sample")
	const folder = "../../pipelines/external"
	for _, trace := range []string{"matmul.log.zst", "ring.goal"} {
		must(t, folder, "NAME=smoke", "TRACE="+trace)
		if s, err := os.Stat(folder + "/out/smoke/report.html"); err != nil || s.Size() == 0 {
			t.Errorf("there is no report of %s: %v", trace, err)
		}
	}
	for _, trace := range []string{"", "missing.log", "README.md", "it's"} {
		if out, err := study(folder, "NAME=smoke", "TRACE="+trace); err == nil {
			t.Errorf("TRACE=%s is taken:\n%s", trace, out)
		}
	}
}
