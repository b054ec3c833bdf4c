package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	registry "spoor/traces/format"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// formatTopics returns the pages of `traces help FORMAT`. The page of a format lists the flags of import that only it uses.
func formatTopics(flags *pflag.FlagSet) (pages []stage.Topic) {
	for _, f := range registry.All {
		t := stage.Topic{Name: f.Info().Name, Short: f.Info().Doc, Text: formatPage(oneFormat(f)), Example: formatExamples[f.Info().Name]}
		for flag, formats := range formatFlags {
			if slices.Contains(formats, f.Info().Name) {
				if t.Flags == nil {
					t.Flags = pflag.NewFlagSet(f.Info().Name, pflag.ContinueOnError)
				}
				t.Flags.AddFlag(flags.Lookup(flag))
			}
		}
		pages = append(pages, t)
	}
	return pages
}

// formatPage sets the table of a format as a page: general facts, the parts of its lines or records, settings, losses.
func formatPage(t *store.Table) string {
	what, _ := store.Data[string](t, "what")
	value, _ := store.Data[string](t, "value")
	general := []string{"also called", "read", "write", "recognised by", "several files", "lost when written"}
	var facts, parts, settings []string
	for i, w := range what {
		setting, isSetting := strings.CutPrefix(w, "--set ")
		switch {
		case w == "name" || w == "description": // in the title of the page
		case isSetting:
			settings = append(settings, entry(setting, value[i]))
		case slices.Contains(general, w):
			facts = append(facts, entry(w, value[i]))
		default:
			parts = append(parts, entry(w, value[i]))
		}
	}
	page := strings.Join(facts, "\n")
	if len(parts) > 0 {
		page += "\n\nContents:\n" + strings.Join(parts, "\n")
	}
	if len(settings) > 0 {
		page += "\n\nSettings (--set NAME=VALUE):\n" + strings.Join(settings, "\n")
	}
	if use := formatUses[value[slices.Index(what, "name")]]; use != "" {
		page += "\n\n" + use
	}
	return page
}

// entryWidth is the width of the first column of a page.
const entryWidth = 26

// entry returns a line with a name and its meaning, which goes on below itself if it is long.
func entry(name, meaning string) string {
	line := fmt.Sprintf("  %-*s", entryWidth, name)
	indent := strings.Repeat(" ", entryWidth+2)
	if len(name) >= entryWidth {
		line += "\n" + indent
	}
	at := len(indent)
	for i, word := range strings.Fields(meaning) {
		switch {
		case i > 0 && at+1+len(word) > stage.Columns:
			line += "\n" + indent
			at = len(indent)
		case i > 0:
			line += " "
			at++
		}
		line += word
		at += len(word)
	}
	return strings.TrimRight(line, " ")
}

// tiny and ring import the trace that an example exports.
const (
	tiny = "  $ traces import data/sample/tiny.log -o tiny\n"
	ring = "  $ traces import data/sample/ring.goal --set unit=1us -o ring\n"
)

// formatExamples are the examples of the pages. Formats without an example need input that only another tool can write.
var formatExamples = map[string]string{
	"lackey":        "  $ traces import data/sample/matmul.log.zst -o matmul\n  $ traces info matmul",
	"din":           tiny + "  $ traces export tiny --to din -o tiny.din\n  $ traces import tiny.din --from din -o back",
	"xdin":          tiny + "  $ traces export tiny --to xdin -o tiny.xdin\n  $ traces import tiny.xdin --from xdin -o back",
	"d4bin":         "  $ printf 'op,addr,size\\nR,0x1000,8\\nW,0x1008,8\\n' > mine.csv\n  $ traces import mine.csv -o mine\n  $ traces export mine --to d4bin -o mine.d4bin\n  $ traces import mine.d4bin --from d4bin -o back",
	"cachelib":      "  $ printf 'op_time,key,op,op_count,size\\n0,user1,GET,1,64\\n1,user2,SET,1,100\\n' > requests.csv\n  $ traces import requests.csv -o requests",
	"csv":           "  $ printf 'time,tid,op,addr,size\\n1,0,R,0x1000,8\\n3,0,W,0x1008,8\\n' > mine.csv\n  $ traces import mine.csv -o mine",
	"champsim":      tiny + "  $ traces export tiny --to champsim -o tiny.champsim\n  $ traces import tiny.champsim --from champsim -o back",
	"drmemtrace":    tiny + "  $ traces export tiny --to drmemtrace -o tiny.trace\n  $ traces import tiny.trace -o back",
	"pinatrace":     "  $ printf '0x401000: R 0x1000\\n0x401004: W 0x1008\\n' > pinatrace.out\n  $ traces import pinatrace.out --default-size 8 --pc -o mine",
	"gem5":          tiny + "  $ traces export tiny --to gem5 -o tiny.gem5\n  $ traces import tiny.gem5 -o back",
	"oracleGeneral": tiny + "  $ traces export tiny --to oracleGeneral -o tiny.oracle\n  $ traces import tiny.oracle --from oracleGeneral -o back",
	"libcachesim-csv": "  $ printf '1,100,8\\n2,101,8\\n3,100,8\\n' > objects.csv\n" +
		"  $ traces import objects.csv --from libcachesim-csv --set time-col=1,obj-size-col=3 -o objects",
	"twitter":    "  $ printf '0,key1,4,100,1,get,0\\n1,key2,4,64,1,set,60\\n' > requests.csv\n  $ traces import requests.csv --from twitter -o requests",
	"goal":       ring + "  $ traces head -n 4 --events ring",
	"simgrid-ti": "  $ printf '0 init\\n1 init\\n0 send 1 0 100\\n1 recv 0 0 100\\n0 finalize\\n1 finalize\\n' > two.ti\n  $ traces import two.ti -o two",
	"paraver":    ring + "  $ traces export ring --to paraver -o ring.prv\n  $ traces import ring.prv -o back",
	"chrome":     ring + "  $ traces export ring --to chrome -o ring.json",
}

// formatUses say how to import traces that only another tool can write.
var formatUses = map[string]string{
	"synchrotrace": "Use: traces import DIR -o PREFIX; DIR has sigil.events.out-1, sigil.events.out-2, ... and sigil.pthread.out.",
	"sift":         "Use: traces import trace.sift -o PREFIX",
	"chakra":       "Use: traces import DIR -o PREFIX; DIR has NAME.0.et, NAME.1.et, ...",
	"otf2":         "Use: traces import scorep-run/traces.otf2 -o PREFIX; otf2-print must be in PATH.",
	"otf2-print":   "Use: otf2-print -A traces.otf2 > run.txt, then traces import run.txt -o PREFIX",
	"dumpi":        "Use: run dumpi2ascii on the file of each rank, then traces import FILE... -o PREFIX",
}
