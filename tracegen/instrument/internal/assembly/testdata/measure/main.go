// Measure calls a function in assembly with operands of a length, many times.
package main

import (
	"bytes"
	_ "hash/crc32"
	"math"
	_ "math/big"
	"os"
	"strconv"
	"strings"
	_ "unsafe"
)

type word uint

//go:linkname addVV math/big.addVV
func addVV(z, x, y []word) (c word)

//go:linkname subVV math/big.subVV
func subVV(z, x, y []word) (c word)

//go:linkname lshVU math/big.lshVU
func lshVU(z, x []word, s uint) (c word)

//go:linkname rshVU math/big.rshVU
func rshVU(z, x []word, s uint) (c word)

//go:linkname mulAddVWW math/big.mulAddVWW
func mulAddVWW(z, x []word, m, a word) (c word)

//go:linkname addMulVVWW math/big.addMulVVWW
func addMulVVWW(z, x, y []word, m, a word) (c word)

//go:linkname ieeeCLMUL hash/crc32.ieeeCLMUL
func ieeeCLMUL(crc uint32, p []byte) uint32

//go:linkname castagnoliSSE42 hash/crc32.castagnoliSSE42
func castagnoliSSE42(crc uint32, p []byte) uint32

var (
	sink  int
	fsink float64
)

// routines are the calls by name. Floating-point arguments vary with i.
var routines = map[string]func(n int) func(i int){
	"addVV":                vectors(func(x, y, z []word) { addVV(z, x, y) }),
	"subVV":                vectors(func(x, y, z []word) { subVV(z, x, y) }),
	"lshVU":                vectors(func(x, y, z []word) { lshVU(z, x, 3) }),
	"rshVU":                vectors(func(x, y, z []word) { rshVU(z, x, 3) }),
	"mulAddVWW":            vectors(func(x, y, z []word) { mulAddVWW(z, x, 3, 1) }),
	"addMulVVWW":           vectors(func(x, y, z []word) { addMulVVWW(z, x, y, 3, 1) }),
	"ieeeCLMUL":            texts(func(a, b []byte, s, t string) { ieeeCLMUL(0, a) }),
	"castagnoliSSE42":      texts(func(a, b []byte, s, t string) { castagnoliSSE42(0, a) }),
	"IndexByte":            texts(func(a, b []byte, s, t string) { sink += bytes.IndexByte(a, 'b') }),
	"IndexByteString":      texts(func(a, b []byte, s, t string) { sink += strings.IndexByte(s, 'b') }),
	"Count":                texts(func(a, b []byte, s, t string) { sink += bytes.Count(a, letter) }),
	"CountString":          texts(func(a, b []byte, s, t string) { sink += strings.Count(s, "b") }),
	"Compare":              texts(func(a, b []byte, s, t string) { sink += bytes.Compare(a, b) }),
	"CompareString":        texts(func(a, b []byte, s, t string) { sink += strings.Compare(s, t) }),
	"Index":                texts(func(a, b []byte, s, t string) { sink += bytes.Index(a, letters) }),
	"IndexString":          texts(func(a, b []byte, s, t string) { sink += strings.Index(s, "bc") }),
	"memmove":              texts(func(a, b []byte, s, t string) { copy(a, b) }),
	"memclrNoHeapPointers": texts(func(a, b []byte, s, t string) { clear(a) }),
	"archLog":              func(int) func(int) { return func(i int) { fsink += math.Log(float64(i) + 1.5) } },
	"archExp":              func(int) func(int) { return func(i int) { fsink += math.Exp(float64(i%7) + 0.5) } },
	"archHypot":            func(int) func(int) { return func(i int) { fsink += math.Hypot(float64(i), 2) } },
}

var letter, letters = []byte("b"), []byte("bc")

func vectors(call func(x, y, z []word)) func(int) func(int) {
	return func(n int) func(int) {
		x, y, z := make([]word, n), make([]word, n), make([]word, n)
		return func(int) { call(x, y, z) }
	}
}

func texts(call func(a, b []byte, s, t string)) func(int) func(int) {
	return func(n int) func(int) {
		a, b := bytes.Repeat([]byte("a"), n), bytes.Repeat([]byte("a"), n)
		s, t := string(a), string(b)
		return func(int) { call(a, b, s, t) }
	}
}

func main() {
	n, _ := strconv.Atoi(os.Args[2])
	times, _ := strconv.Atoi(os.Args[3])
	call := routines[os.Args[1]](n)
	for i := range times {
		call(i)
	}
}
