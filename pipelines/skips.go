package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// skips prints what was skipped according to the log of a verbose make test. It fails if that was not for the want of something that is
// known not to be here.
//
//	skips LOG [WORD...]     # reasons in which such a WORD is
func skips(args []string, out io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("give LOG")
	}
	log, err := os.ReadFile(args[0])
	if err == nil && !judgeSkips(string(log), args[1:], out) {
		err = errDiffers
	}
	return err
}

var (
	logged = regexp.MustCompile(`^\s*\S+_test\.go:[0-9]+: `)
	unrun  = regexp.MustCompile(`^note: .*so nothing runs`)
)

// judgeSkips reports whether all reasons are known.
func judgeSkips(log string, words []string, out io.Writer) bool {
	known := true
	judge := func(what, why string) {
		for _, word := range words {
			if strings.Contains(strings.ToLower(why), strings.ToLower(word)) {
				fmt.Fprintf(out, "note: skipped, as this is not here: %s: %s\n", what, why)
				return
			}
		}
		fmt.Fprintf(out, "FAILED: skipped, though what it needs has to be here: %s: %s\n", what, why)
		known = false
	}
	// What a test logs stands below a line that names it; several may run at once.
	test, reasons := "", map[string]string{}
	for line := range strings.Lines(log) {
		f := strings.Fields(line)
		switch {
		case len(f) > 2 && f[0] == "===":
			test = f[2]
		case logged.MatchString(line):
			reasons[test] = strings.TrimSpace(line)
		case len(f) > 2 && f[0] == "---":
			// Inputs of fuzz targets are skipped for what is in them.
			if why := reasons[f[2]]; f[1] == "SKIP:" && strings.HasPrefix(f[2], "Test") {
				if why == "" {
					why = "no reason is given"
				}
				judge(f[2], why)
			} else {
				delete(reasons, f[2])
			}
		case unrun.MatchString(line): // what is no test in Go
			judge("make", strings.TrimSpace(line))
		}
	}
	return known
}
