package main

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	torturedStudy = flag.String("study", "papers", "the study that is tortured; papers are all of papers")
	kills         = flag.Int("kills", 20, "how often it is killed")
	killSeed      = flag.Int64("seed", 1, "of the moments")
)

// TestTorture kills make, with all it started, at random moments, and lets it run onto a full disk, where one may be mounted. The next
// make completes what was begun, and the files are those of an undisturbed run. SCALE is that of studies, smoke if it is not set.
//
// A make that was killed is started and killed again on its way to the end, on average ten times. So 20 kills and three full disks take
// the time of four or five undisturbed runs, and every file that comes out is compared.
func TestTorture(t *testing.T) {
	if *program == "" {
		return
	}
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	out := filepath.Join(disk, "out") // all runs in one place: reports name it
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	must(t, "..", "build")
	start := time.Now()
	torturedMake(t, out).mustRun("make fails undisturbed")
	length := time.Since(start)
	undisturbed := files(t, out)
	t.Logf("an undisturbed make takes %v", length)
	clear := func() { os.RemoveAll(out) }
	clear()
	killed := killAtRandom(t, out, length, func(when string) { same(t, when, undisturbed, files(t, out)); clear() })
	torturedMake(t, out).mustRun("make fails after the last kill")
	same(t, fmt.Sprintf("after %d kills", killed), undisturbed, files(t, out))
	t.Logf("%d files, compared after %d kills and full disks", len(undisturbed), killed)
	clear()
	fullDisk(t, disk, out, undisturbed)
}

// tortured is a make of its own group of processes.
type tortured struct {
	*testing.T
	cmd *exec.Cmd
	log strings.Builder
}

func torturedMake(t *testing.T, out string) *tortured {
	scale := os.Getenv("SCALE")
	if scale == "" {
		scale = "smoke"
	}
	args := []string{"--no-print-directory", "-j2", "SCALE=" + scale, "OUT=" + out, "-C"}
	if *torturedStudy == "papers" {
		args = append(args, "..", "papers", "GOALS=report comparison")
	} else {
		args = append(args, *torturedStudy, "report", "comparison")
	}
	m := &tortured{T: t, cmd: exec.Command(*program, args...)}
	m.cmd.Stdout, m.cmd.Stderr = &m.log, &m.log
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	return m
}

func (m *tortured) mustRun(what string) {
	m.Helper()
	if err := m.cmd.Run(); err != nil {
		m.Fatalf("%s: %v\n%s", what, err, m.log.String())
	}
}

// killAtRandom kills make, and calls complete each time that one came to its end. It returns the number of kills.
func killAtRandom(t *testing.T, out string, length time.Duration, complete func(when string)) (killed int) {
	random := rand.New(rand.NewSource(*killSeed))
	var there []int // how many files there were at each kill
	for killed < *kills {
		m := torturedMake(t, out)
		if err := m.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- m.cmd.Wait() }()
		select {
		// As long as there is between two of many events at random, ten of them in an undisturbed run.
		case <-time.After(time.Duration(random.ExpFloat64() * float64(length) / 10)):
			syscall.Kill(-m.cmd.Process.Pid, syscall.SIGKILL)
			<-ended
			killed++
			there = append(there, 0)
			filepath.WalkDir(out, func(_ string, e os.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					there[len(there)-1]++
				}
				return nil
			})
		case err := <-ended:
			if err != nil {
				t.Fatalf("make fails after %d kills: %v\n%s", killed, err, m.log.String())
			}
			t.Logf("complete after %d kills, which came with %v files", killed, there)
			there = nil
			complete(fmt.Sprintf("after %d kills", killed))
		}
	}
	return killed
}

// fullDisk lets make run onto a disk that is full, and then gives it space.
func fullDisk(t *testing.T, disk, out string, undisturbed map[string]content) {
	size := 0
	for _, file := range undisturbed {
		size += int(file.size)
	}
	resize := func(kilobytes int) ([]byte, error) {
		return exec.Command("mount", "-o", fmt.Sprintf("remount,size=%dk", kilobytes), disk).CombinedOutput()
	}
	if said, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dk", size/1000/5), "spoor", disk).CombinedOutput(); err != nil {
		t.Logf("note: no tmpfs can be mounted here, so no disk is full: %s", said)
		return
	}
	defer exec.Command("umount", disk).Run()
	for _, share := range []int{20, 50, 80} {
		if said, err := resize(size / 1000 * share / 100); err != nil {
			t.Fatalf("%v, %s", err, said)
		}
		m := torturedMake(t, out)
		if err := m.cmd.Run(); err == nil {
			t.Errorf("make completes on a disk of %d %% of the size of its files", share)
		} else if !strings.Contains(strings.ToLower(m.log.String()), "no space left on device") {
			t.Errorf("no error says that the disk is full:\n%s", m.log.String())
		}
	}
	if said, err := resize(size / 1000 * 4); err != nil {
		t.Fatalf("%v, %s", err, said)
	}
	torturedMake(t, out).mustRun("make fails after there is space again")
	same(t, "after three full disks", undisturbed, files(t, out))
}
