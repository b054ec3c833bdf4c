package main

import (
	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/sharing"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

func sharingKind() *kind {
	var word string
	return &kind{name: "sharing", doc: "misses by true and false sharing, and who communicates with whom: sharing.arrow, sharing_*.arrow",
		details: sharing.Columns,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&word, "word", sharing.DefaultWord.String(), "sharing: `bytes` of a word, a power of two: what processors share truly; larger than the program's items it hides false sharing")
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
				return nil, stage.Usage("--line: %v has more than %d words of %v", largest, sharing.MaxWords, size)
			}
			return &sharing.Analysis{Lines: r.lines, Word: size, Meta: r.meta}, nil
		}}
}
