package main

import (
	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/sharing"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

func sharingKind() *kind {
	var word string
	return &kind{name: "sharing",
		columns: sharing.Columns,
		perProc: 10 << 10,
		shares:  []string{"refs"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&word, "word", sharing.DefaultWord.String(), "`size` of a word, the unit of true sharing, a power of two; a size above that of the program's items hides false sharing")
		},
		build: func(r *request) (analysis.Analysis, error) {
			size, err := unit.ParseBytes(word)
			if err != nil {
				return nil, stage.Usage("--word: %w", err)
			}
			if !size.IsPowerOfTwo() {
				return nil, stage.Usage("--word: %v is not a power of two", size)
			}
			if largest := r.lines[len(r.lines)-1]; largest/sharing.MaxWords > size {
				return nil, stage.Usage("--line: %v has more than %d words of %v; choose a larger --word", largest, sharing.MaxWords, size)
			}
			return &sharing.Analysis{Lines: r.lines, Refs: r.refs, Word: size, Meta: r.meta}, nil
		}}
}
