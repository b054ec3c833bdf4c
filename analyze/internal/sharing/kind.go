package sharing

import (
	_ "embed"
	"fmt"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/unit"
)

//go:embed help.txt
var helpText string

//go:embed tables.txt
var tablesText string

// Kind describes the analysis.
func Kind() *kind.Kind {
	var word string
	return &kind.Kind{Name: "sharing", Help: helpText, Tables: tablesText,
		NamesMemory: true,
		PerProc:     10 << 10,
		Shares:      []string{"refs", "line"},
		Flags: func(f *pflag.FlagSet) {
			f.StringVar(&word, "word", defaultWord.String(), "`size` of a word, the unit of true sharing, a power of two; a size above that of the program's items hides false sharing")
		},
		Build: func(r *kind.Request) (analysis.Analysis, error) {
			size, err := unit.ParseBytes(word)
			if err != nil {
				return nil, fmt.Errorf("--word: %w", err)
			}
			if !size.IsPowerOfTwo() {
				return nil, fmt.Errorf("--word: %v is not a power of two", size)
			}
			if largest := r.Lines[len(r.Lines)-1]; largest/maxWords > size {
				return nil, fmt.Errorf("--line: %v has more than %d words of %v; choose a larger --word", largest, maxWords, size)
			}
			return &Analysis{Lines: r.Lines, Refs: r.Refs, Word: size, Meta: r.Meta}, nil
		}}
}
