package instrument

import (
	"bytes"
	"maps"
	"path/filepath"
)

// fixedRandom are the places of the runtime that make the order of maps random. These are the seed of a new map, the
// start of an iteration, and the keys of hashes. A recorded program has constants there, and each goroutine has a sequence of random
// numbers of its own: the compiler also takes seeds of maps from it. With one sequence for all, they would depend on the
// order in which ranks run. So recordings of it are the same. The places need each other: a
// version of Go without one of these texts keeps all that it has.
var fixedRandom = []struct{ file, from, to string }{
	{"rand.go", "func maps_rand() uint64 {\n\treturn rand()\n}", "func maps_rand() uint64 {\n\treturn 0x9e3779b97f4a7c15\n}"},
	{"rand.go", "func rand() uint64 {\n\t// Note", fixedSequence},
	{"runtime2.go", "\tparentGoid ", "\tfixedState uint64\n\tparentGoid "},
	{"proc.go", "\tnewg.parentGoid =", "\tnewg.fixedState = fixedNext(callergp)\n\tnewg.parentGoid ="},
	{"alg.go", "hashkey[i] = uintptr(bootstrapRand())", "hashkey[i] = uintptr(i+1) * 0x61c88647"},
	{"alg.go", "key[i] = bootstrapRand()", "key[i] = uint64(i+1) * 0x9e3779b97f4a7c15"},
}

// fixedSequence is the generator splitmix64, before the function that it replaces. A goroutine begins with a number of the
// one that started it.
const fixedSequence = `func rand() uint64 { return fixedNext(getg()) }

//go:nosplit
func fixedNext(of *g) uint64 {
	of.fixedState += 0x9e3779b97f4a7c15
	z := of.fixedState
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

//go:nosplit
func randomRand() uint64 {
	// Note`

// fixRandom adds the changed files of the runtime to the overlay. Root is the folder of the standard library.
func (o overlay) fixRandom(root string) error {
	fixed := maps.Clone(o)
	for _, c := range fixedRandom {
		file := filepath.Join(root, "runtime", c.file)
		text, ok := fixed[file]
		if !ok {
			var err error
			if text, err = readSource(file); err != nil {
				return err
			}
		}
		if !bytes.Contains(text, []byte(c.from)) {
			return nil
		}
		fixed[file] = bytes.Replace(text, []byte(c.from), []byte(c.to), 1)
	}
	maps.Copy(o, fixed)
	return nil
}
