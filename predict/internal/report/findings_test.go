package report

import (
	"slices"
	"testing"

	"spoor/predict/internal/report/paired"
)

func TestFindings(t *testing.T) {
	row := func(program, machine string, processors int, ideal, latency, contention, sync float64) paired.Row {
		return paired.Row{Program: program, Machine: machine, Processors: processors, EInstr: ideal + latency + contention + sync,
			Split: paired.Split{Ideal: ideal, Latency: latency, Contention: contention, Sync: sync}}
	}
	s := &Study{Comparison: &paired.Comparison{}, rows: []paired.Row{
		row("lu", "small", 1, 1, 0, 0, 0),
		row("lu", "small", 4, 7, .5, .3, 2.2),
		row("lu", "large", 4, 7, .2, .3, 1.2),
		row("lu", "slow", 2, 9, 0, 0, 0),
		row("fft", "small", 2, 9.95, .05, 0, 0),
		row("fft", "large", 2, 9.96, 0, 0, 0),
		row("fft", "fast", 2, 2, 0, 0, 0),
		{Program: "lu", Machine: "small", Model: "mva", EInstr: 3},
	}}
	want := []string{
		"lu on 4 processors of small loses 22\u00a0% of its time to synchronization; large gains 15\u00a0%.",
		"fft on 2 processors of small loses less than 1\u00a0% of its time to each of memory, contention and synchronization; " +
			"large gains nothing (less than 0.5\u00a0%); fast is 5 times as fast.",
	}
	if got := findings(s); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestWarningsOfOneKindAreOneLine(t *testing.T) {
	c := &paired.Comparison{Models: []string{"mva"}}
	for i, text := range []string{"n = 3 is 1.5e2 times the largest of du2000-smp-256k", "other", "n = 20 is 7 times the largest of du2000-smp-256k"} {
		c.Cases = append(c.Cases, paired.Case{Simulated: paired.Row{Program: "lu", Machine: "m", Processors: i + 1}, Predicted: []paired.Row{{Model: "mva", Warnings: []string{text}}}})
	}
	got := warnings(c)
	if len(got) != 2 || got[0].Text != "n = 3 to 20 is 7 to 1.5e2 times the largest of du2000-smp-256k" || len(got[0].Of) != 2 || got[1].Text != "other" {
		t.Errorf("got %+v", got)
	}
}
