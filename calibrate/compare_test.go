package main

import (
	"os"
	"strings"
	"testing"

	"spoor/traces/stage"
)

// Worked by hand: one inside, one outside, one without an interval, one that the other has not.
func TestCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	one := func(name, value, lo, hi string) string {
		return "[" + name + "]\nvalue = " + value + "\nunit = \"s\"\nlo = " + lo + "\nhi = " + hi + "\nn = 3\nmethod = \"m\"\nsource = \"s\"\n"
	}
	write("first.params.toml", one("M1_a", "2.0", "1.0", "3.0")+one("M1_b", "2.0", "1.0", "3.0")+strings.ReplaceAll(one("S_c", "2.0", "nan", "nan"), "lo = nan\nhi = nan\n", "")+one("S_d", "2.0", "1.0", "3.0"))
	write("again.params.toml", one("M1_a", "3.0", "1.0", "3.0")+one("M1_b", "3.5", "1.0", "5.0")+one("S_c", "2.0", "1.0", "3.0"))
	status, out, errs := run("compare", "first.params.toml", "again.params.toml", "--format", "csv")
	want := "again.params.toml,M1,2,1,50,0,M1_b\nagain.params.toml,S,0,0,,2,\nagain.params.toml,all,2,1,50,2,\n"
	if status != stage.Done || !strings.HasSuffix(out, want) {
		t.Errorf("status %d, %s, %s; want %s", status, out, errs, want)
	}
	write("other.params.toml", one("X_a", "3.0", "1.0", "3.0"))
	write("units.params.toml", strings.ReplaceAll(one("M1_a", "3.0", "1.0", "3.0"), `"s"`, `"B"`))
	for file, want := range map[string]string{
		"other.params.toml": "first.params.toml and other.params.toml: no parameter with an interval is in both",
		"units.params.toml": `parameter M1_a has the units "s" and "B"`,
		"none.params.toml":  "none.params.toml",
	} {
		t.Run(file, func(t *testing.T) {
			if status, out, errs := run("compare", "first.params.toml", file); status != stage.Failed || out != "" || !strings.Contains(errs, want) {
				t.Errorf("status %d, %s, %s", status, out, errs)
			}
		})
	}
	// Classes are told by their sizes: 1 to 64 of one run is 1 to 16 of the other; 128 to 4096, whose middle is 724, its third.
	class := func(name, value, sizes string) string {
		return strings.ReplaceAll(one(name, value, "1.0", "3.0"), `"m"`, `"line; `+sizes+`; bootstrap"`)
	}
	write("two.params.toml", class("loggp_half_1", "2.0", "class 1 of 2, sizes 1 to 64")+class("loggp_half_2", "2.0", "class 2 of 2, sizes 128 to 4096")+class("loggp_gap_9", "2.0", "m"))
	write("three.params.toml", class("loggp_half_1", "2.5", "class 1 of 3, sizes 1 to 16")+strings.ReplaceAll(class("loggp_half_2", "9.0", "class 2 of 3, sizes 32 to 256"), "hi = 3.0", "hi = 10.0")+
		class("loggp_half_3", "1.5", "class 3 of 3, sizes 512 to 4096"))
	status, out, errs = run("compare", "two.params.toml", "three.params.toml", "--format", "csv")
	if want := "three.params.toml,loggp,2,2,100,1,\n"; status != stage.Done || !strings.Contains(out, want) {
		t.Errorf("status %d, %s, %s; want %s", status, out, errs, want)
	}
	if status, _, errs := run("compare", "first.params.toml"); status != stage.WrongUsage || !strings.Contains(errs, "give two files or more") {
		t.Errorf("status %d, %s", status, errs)
	}
}
