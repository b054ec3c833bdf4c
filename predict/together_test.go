package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Jobs on one bus slow each other down, unless one begins when the other has ended.
func TestReplayTogether(t *testing.T) {
	prefix := recordedKernel(t, "sor", 2, []string{"g=6"})
	machine := writeMachine(t, "bus", "processors = 4", "processors = 1\nnodes = 4", `"smp"`, `"cow"`, "[system]", "[network]\nmodel = \"bus\"\nbandwidth = \"10 MB/s\"\no = \"1 us\"\n[system]")
	run := func(args ...string) (slowdown, time, start []float64) {
		t.Helper()
		rows := csvRows(t, append([]string{"replay", prefix, prefix, "--machine", machine, "--together", "--references=false"}, args...)...)
		column := func(name string) (all []float64) {
			for _, row := range rows[1:] {
				v, err := strconv.ParseFloat(row[slices.Index(rows[0], name)], 64)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, v)
			}
			return all
		}
		return column("slowdown"), column("time"), column("start")
	}
	slow, time, _ := run()
	if len(slow) != 2 || slow[0] <= 1.05 || slow[1] <= 1.05 {
		t.Errorf("slowdowns %v of two jobs on a bus", slow)
	}
	slow, apart, start := run("--start", "0s,10s")
	if slow[0] != 1 || slow[1] != 1 || apart[0] >= time[0] || start[1] != 10 {
		t.Errorf("slowdowns %v, times %v, starts %v of jobs apart", slow, apart, start)
	}
	for want, args := range map[string][]string{
		"needs two traces":                      {prefix, "--together"},
		"--start needs --together":              {prefix, prefix, "--start", "1s,2s"},
		"--start has 1 time for 2 traces":       {prefix, prefix, "--together", "--start", "1s"},
		"omit --phases":                         {prefix, prefix, "--together", "--phases"},
		"no unit":                               {prefix, prefix, "--together", "--start", "1,2"},
		"the traces have 6 processors, and the": {prefix, prefix, prefix, "--together"},
	} {
		t.Run(want, func(t *testing.T) {
			if status, out, errs := predict(append([]string{"replay", "--machine", machine}, args...)...); status == 0 || out != "" || !strings.Contains(errs, want) {
				t.Errorf("%v: status %d, %s%s", args, status, out, errs)
			}
		})
	}
}

// Copies of a program with locks and task queues have locks and queues of their own.
func TestJobsWithTaskQueues(t *testing.T) {
	prefix := recordedKernel(t, "cholesky", 2, []string{"rings=3", "spokes=8"})
	rows := csvRows(t, "replay", prefix, prefix, "--machine", writeMachine(t, "m"), "--together", "--start", "0s,1s")
	if at := slices.Index(rows[0], "slowdown"); len(rows) != 3 || rows[1][at] != "1" || rows[2][at] != "1" {
		t.Errorf("%v", rows)
	}
}
