package main

import (
	"fmt"
	"io"
	"strings"
)

// tables are what pages show, by study and name of the part. print prints nothing if its rows are not there. Those that are alone
// are printed only by name.
var tables = []struct {
	study, part string
	alone       bool
	print       func(*markdown, []row)
}{
	{"quickstart", "errors", false, quickstartErrors},
	{"quickstart", "sentences", true, quickstartSentences},
	{"dickens1996", "times", false, func(m *markdown, rows []row) { timesOn(m, rows, "16") }},
	{"dickens1996", "times-64", true, func(m *markdown, rows []row) { timesOn(m, rows, "64") }},
	{"dickens1996", "windows", false, windows},
	{"dickens1996", "windows-processors", true, windowsOver},
	{"du2000", "errors", false, clusterErrors},
	{"du2000", "clusters", false, clusterSentence},
	{"du2000", "unequal", false, unequalNodes},
	{"du2000", "unequal-mean", false, unequalSentence},
	{"du2000", "coherence", false, coherence},
	{"du2000", "laws", false, lawErrors},
	{"du2000", "others", true, otherPrograms},
	{"du2000", "deep", true, deepCaches},
	{"du2000", "fetched", true, fetched},
	{"falsafi1997", "trace", false, func(m *markdown, rows []row) { hosts(m, rows, false) }},
	{"falsafi1997", "simulated", false, func(m *markdown, rows []row) { hosts(m, rows, true) }},
	{"falsafi1997", "claims", false, hostClaims},
	{"falsafi1997", "intervals", true, hostIntervals},
	{"falsafi1997", "together", true, together},
	{"hur1999", "gains", false, gains},
	{"hur1999", "machines", false, machineErrors},
	{"hur1999", "takes", false, machineTakes},
	{"hur1999", "learning", false, learning},
	{"hur1999", "squares", false, squareErrors},
	{"hur1999", "columns", false, columnsOverRows},
	{"hur1999", "scans", false, scanErrors},
	{"hur1999", "figures", true, figureSentences},
	{"hur1999", "sentences", true, gainSentences},
	{"hur1999", "intervals", true, messageIntervals},
	{"sivasubramaniam1995", "differences", false, differences},
	{"sivasubramaniam1995", "programs", false, programs32},
	{"sivasubramaniam1995", "contention", false, contentionSentence},
	{"sivasubramaniam1995", "figures", false, everyFigure},
	{"sivasubramaniam1995", "agreement", false, agreement},
	{"sivasubramaniam1995", "ideal", false, idealTimes},
	{"calibration", "exposed", true, exposed},
	{"realruns", "errors", true, realRuns},
	{"realruns", "references", true, recordedReferences},
	{"unseen", "errors", false, unseenErrors},
	{"unseen", "intervals", false, unseenIntervals},
	{"unseen", "programs", false, unseenPrograms},
	{"unseen", "list", true, unseenList},
}

// printTables prints tables. Its arguments are STUDY or STUDY.PART, and files with the rows; - is the standard input.
func printTables(args []string, out io.Writer) error {
	if len(args) < 2 {
		return fmt.Errorf("give STUDY[.PART] FILE")
	}
	rows, err := readRows(args[1:])
	if err != nil {
		return err
	}
	study, part, _ := strings.Cut(args[0], ".")
	known, printed := false, false
	for _, t := range tables {
		if t.study != study || part != t.part && (part != "" || t.alone) {
			continue
		}
		known = true
		var m markdown
		if t.print(&m, rows); m.Len() > 0 && printed {
			fmt.Fprintln(out)
		}
		printed = printed || m.Len() > 0
		io.WriteString(out, m.String())
	}
	if !known {
		return fmt.Errorf("there is no table %s", args[0])
	}
	return nil
}
