package grow

import (
	"testing"

	"spoor/traces/trace"
)

// FuzzPatternsGiveTheirRecordings learns the pattern of arbitrary events. If there is one, it must give the messages that
// were recorded.
func FuzzPatternsGiveTheirRecordings(f *testing.F) {
	f.Add([]byte{3, 1, 2, 1, 12, 1, 4, 1, 5, 0}, uint8(5))
	f.Add([]byte{0, 1, 1, 255, 2, 1, 6, 0}, uint8(4))
	f.Fuzz(func(t *testing.T, code []byte, target uint8) {
		if len(code) > 40 {
			return
		}
		all := program(func(w *writer) { w.interpret(code) }).record(2, 3, 4)
		p, err := Learn(all, int(target)+2)
		if err != nil {
			return
		}
		for _, r := range all {
			if _, err := p.compare(r); err != nil {
				t.Fatalf("%d ranks: %v", len(r.Rows), err)
			}
		}
		for range p.Grow(int(target) + 2).All() {
		}
	})
}

// interpret executes pairs of bytes: what to do, and with whom.
func (w *writer) interpret(code []byte) {
	for i := 0; i+1 < len(code); i += 2 {
		to := modulo(w.rank+int(int8(code[i+1])), w.ranks)
		if code[i]&8 != 0 {
			to = int(code[i+1]) % w.ranks
		}
		if code[i]&16 != 0 && w.rank == to {
			continue
		}
		switch code[i] & 7 {
		case 0:
			w.send(to, int64(code[i+1]))
		case 1:
			w.recv(to, int64(w.ranks))
		case 2:
			w.start(trace.Isend, to, int64(w.rank))
		case 3:
			w.start(trace.Irecv, -1, 8)
		case 4:
			w.waitAll()
		case 5:
			w.compute(int64(code[i+1]) * int64(w.rank))
		case 6:
			w.add(trace.Barrier, -1, -1, 0)
		case 7:
			w.exchange(to, to, 16)
		}
	}
}
