package objects

import (
	"strings"

	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// words counts the operations of a table by their words, in the order of their first lines. It also keeps their meanings,
// because a table has few words and many lines.
type words struct {
	counts []format.Count
	ops    []trace.Op
}

// maxWords is the number of words that are counted separately.
const maxWords = 64

// operation counts a word and returns its meaning, which it asks of op once for each word.
func (w *words) operation(word []byte, op func(word []byte) (trace.Op, bool)) (trace.Op, bool) {
	for i := range w.counts {
		if string(word) == w.counts[i].Name {
			w.counts[i].N++
			return w.ops[i], true
		}
	}
	is, known := op(word)
	if known && len(w.counts) < maxWords {
		w.counts, w.ops = append(w.counts, format.Count{Name: string(word), N: 1}), append(w.ops, is)
	}
	return is, known
}

// keyOperations are the operations of key-value caches, in lower case.
var keyOperations = []struct {
	op    trace.Op
	words []string
}{
	{trace.Load, []string{"get", "gets", "get_lease", "read", "getchunkdata"}},
	{trace.Store, []string{"set", "set_lease", "add", "replace", "cas", "append", "prepend", "incr", "decr", "write", "update", "putchunk"}},
	{trace.Flush, []string{"delete"}},
}

// KeyWords maps each word to its operation.
var KeyWords = func() map[string]trace.Op {
	all := map[string]trace.Op{}
	for _, o := range keyOperations {
		for _, word := range o.words {
			all[word] = o.op
		}
	}
	return all
}()

// keyOpDoc describes the values of a column of operations.
func keyOpDoc() string {
	var all []string
	for _, o := range keyOperations {
		all = append(all, o.op.String()+": "+strings.Join(o.words, " "))
	}
	return strings.Join(all, "; ") + "; upper or lower case; a point and the text after it are ignored"
}

// keyWord returns the operation of a word. A suffix after a point only describes how it
// was done.
func keyWord(word []byte) (trace.Op, bool) {
	name, _, _ := strings.Cut(strings.ToLower(string(word)), ".")
	op, known := KeyWords[name]
	return op, known
}
