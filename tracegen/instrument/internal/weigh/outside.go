package weigh

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"spoor/tracegen/instrument/internal/assembly"
)

//go:embed outside.txt
var outsideText string

// outsideCalls returns the mean instructions of calls of functions whose source is not instrumented, by name. The sum
// over calls is an estimate and serves notes only. Functions that were not measured add nothing to it.
var outsideCalls = sync.OnceValue(func() map[string]float64 {
	all := map[string]float64{}
	for line := range strings.Lines(outsideText) {
		if name, cost, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && !strings.HasPrefix(line, "#") {
			all[name], _ = strconv.ParseFloat(cost, 64)
		}
	}
	return all
})

// outsideCall returns the mean instructions of a call of a function that is not instrumented.
func outsideCall(name string) float64 {
	name, _, _ = strings.Cut(name, "[")
	return outsideCalls()[name]
}

// callCost returns what a call adds to the estimate of Weights.Outside: nothing, if the function counts itself.
func (l *costTable) callCost(caller, target uint64) float64 {
	name := l.object.symbol(target)
	if name == "" || isCounted(name) || l.lib.contains(name) && !l.object.isAssembly(name) {
		return 0
	}
	cost := outsideCall(name)
	if cost == 0 && !freeCalls.MatchString(name) {
		path := packageOf(l.object.symbol(caller))
		if l.unmeasured[path] == nil {
			l.unmeasured[path] = map[string]bool{}
		}
		head, _, _ := strings.Cut(name, "[go.shape.")
		l.unmeasured[path][head] = true
	}
	return cost
}

// freeCalls matches functions that need no cost: checks of the compiler that end the program, what a program rarely
// calls, what runs functions that count themselves, and the recorder.
var freeCalls = regexp.MustCompile(`^(spoor/|sync\.\(\*Once\)|` +
	`runtime\.(morestack|gcWriteBarrier|deferreturn|wb|panic|goPanic|throw|fatal))|Slow$`)

// unmeasuredNames returns the functions that callCost did not know, by the package that calls them.
func (l *costTable) unmeasuredNames() map[string][]string {
	all := map[string][]string{}
	for path, names := range l.unmeasured {
		all[path] = slices.Sorted(maps.Keys(names))
	}
	return all
}

// isCounted reports whether callers count a function in assembly.
func isCounted(name string) bool {
	name = strings.TrimSuffix(name, ".abi0")
	path := packageOf(name)
	return path != "" && assembly.Find(path, name[len(path)+1:]) != nil
}

// isAssembly reports whether a function of an instrumented package is written in assembly.
func (o *object) isAssembly(name string) bool {
	return strings.HasSuffix(name, ".abi0") || inAssembly[name]
}

// inAssembly are functions in assembly whose wrapper the compiler inlines or omits.
var inAssembly = map[string]bool{
	"math/big.addVV": true, "math/big.subVV": true, "math/big.lshVU": true, "math/big.rshVU": true, "math/big.mulAddVWW": true,
	"math/big.addMulVVWW": true, "hash/crc32.ieeeCLMUL": true, "hash/crc32.castagnoliSSE42": true,
	"math.archLog": true, "math.archExp": true, "math.archHypot": true,
}
