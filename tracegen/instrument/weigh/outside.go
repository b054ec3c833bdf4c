package weigh

import (
	"strings"

	"spoor/tracegen/instrument/assembly"
)

// outsideCalls are mean instructions of calls of functions whose source is not instrumented, by the start of the
// function's name. The longest start counts. Callgrind measured most of them in the programs of ../testdata/library,
// with go1.26 on amd64 and without garbage collection. The general ones are guesses: "", "os.", "time.", "syscall.",
// and those of functions that these programs call rarely. The sum is an estimate and serves notes only.
var outsideCalls = map[string]float64{
	"": 50, "cmpbody": 28, "memeqbody": 25, "countbody": 45, "indexbytebody": 28, "gogo": 0,
	"errors.": 50, "hash/crc32.": 159, "internal/bytealg.": 30, "internal/bytealg.IndexByte": 29, "internal/reflectlite.Swapper": 180,
	"internal/sync.": 147, "math.archExp": 49, "math.archHypot": 24, "math.archLog": 67, "math/big.addMulVVWW": 191,
	"math/big.mulAddVWW": 146, "math/big.": 75, "os.": 500, "reflect.": 40, "reflect.(*MapIter)": 290, "reflect.(*rtype).Implements": 59,
	"reflect.(*rtype).Name": 91, "reflect.(*rtype).ptrTo": 79, "reflect.MakeMapWithSize": 395, "reflect.New": 351,
	"reflect.Value.Addr": 94, "reflect.Value.Grow": 447, "reflect.Value.Set": 183, "reflect.Value.SetMapIndex": 458,
	"reflect.copyVal": 100, "runtime.": 60, "runtime.assert": 20, "runtime.cmpstring": 28, "runtime.conv": 117, "runtime.convTnoptr": 196,
	"runtime.convTslice": 260, "runtime.convTstring": 256, "runtime.concatstring": 120, "runtime.decoderune": 36, "runtime.efaceeq": 25,
	"runtime.growslice": 484, "runtime.ifaceeq": 25, "runtime.interhash": 60, "runtime.intstring": 60, "runtime.makechan": 800,
	"runtime.makemap": 315, "runtime.makeslice": 480, "runtime.mallocgc": 104, "runtime.mapIterNext": 102, "runtime.mapIterStart": 100,
	"runtime.mapaccess": 87, "runtime.mapaccess1_faststr": 146, "runtime.mapaccess2_faststr": 146, "runtime.mapassign": 129,
	"runtime.mapassign_faststr": 257, "runtime.mapdelete": 150, "runtime.memclr": 30, "runtime.memequal": 25, "runtime.memmove": 20,
	"runtime.newobject": 258, "runtime.slicebytetostring": 94, "runtime.stringtoslicebyte": 120, "runtime.typedmemmove": 45,
	"runtime.typedslicecopy": 60, "sync.(*Mutex)": 20, "sync.(*Once)": 20, "sync.(*Pool).Get": 60, "sync.(*Pool).Put": 58,
	"syscall.": 300, "time.": 100,
}

// outsideCall returns the mean instructions of a call of a function that is not instrumented.
func outsideCall(name string) float64 {
	n, longest := outsideCalls[""], 0
	for start, cost := range outsideCalls {
		if len(start) > longest && strings.HasPrefix(name, start) {
			n, longest = cost, len(start)
		}
	}
	return n
}

// callCost returns what a call adds to the estimate of Weights.Outside: nothing, if the function counts itself.
func (l *costTable) callCost(target uint64) float64 {
	name := l.object.symbol(target)
	if name == "" || isCounted(name) || l.lib.contains(name) && !l.object.isAssembly(name) {
		return 0
	}
	return outsideCall(name)
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
