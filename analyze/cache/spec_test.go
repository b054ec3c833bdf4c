package cache

import (
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"L1d=32KiB/8/64B,LL=8MiB/16/64B", ""},
		{"D1=32KiB/8/64B/write-back/lru/write-allocate/non-inclusive", "D1=32KiB/8/64B"},
		{"L1i=48KiB/12/64B/fifo, L2=36MiB/full/128B/no-allocate/inclusive/random", "L1i=48KiB/12/64B/fifo,L2=36MiB/full/128B/random/inclusive/no-allocate"},
		{"dtlb=64/4/4KiB,stlb=1536/12/4KiB/plru", "ways are no power of two"},
		{"dtlb=64/4/4KiB,stlb=1536/12/4KiB/exclusive/with-opt", "opt is not defined"},
		{"dtlb=64/4/4KiB/private,stlb=1536/12/4KiB", ""},
		{"L1=4KiB/64/64B", "L1=4KiB/full/64B"},
		{"L1=4KiB/128/64B/plru", "cannot be divided into sets of 128 ways"},
		{"L1=8KiB/full/64B/plru", "no power of two up to 64"},
		{"L1=100B/1/64B", "not a whole number of lines"},
		{"L1=96B/1/48B", "48B is not a power of two"},
		{"L1=4B/1/2B", "2B is not"},
		{"L1=32/8/64B", "has no unit"},
		{"dtlb=4KiB/4/4KiB", "number of entries"},
		{"dtlb=0/4/4KiB", "0 lines"},
		{"L1=0B/4/64B", "0 lines"},
		{"L1=1TiB/4/64B", "not from 1 to 2^28"},
		{"L1=32KiB/x/64B", "is not a number of ways"},
		{"L1=32KiB/0/64B", "is not a number of ways"},
		{"L1=32KiB/8", "NAME=SIZE/WAYS/LINE"},
		{"", "NAME=SIZE/WAYS/LINE"},
		{"L1=32KiB/8/64B/lur", `unknown option "lur"; did you mean "lru"? (known: exclusive, fifo,`},
		{"L1=32KiB/8/64B/fifo/lru", "fifo and lru exclude each other"},
		{"L1=32KiB/8/64B/private/private", "exclude each other"},
		{"L1=32KiB/8/64B,L1=64KiB/8/64B", "two levels are called L1"},
		{"L1d=32KiB/8/64B,L2=64KiB/8/64B/exclusive", ""}, // nothing is fetched: L2 is nobody's first level
		{"dtlb=64/4/4KiB,stlb=1536/12/4KiB/exclusive", ""},
		{"L1d=32KiB/8/64B,L1i=32KiB/8/64B,L2=64KiB/8/64B/exclusive", ""},
		{"L1=32KiB/8/64B/exclusive", "first level cannot be exclusive"},
		{"L1=32KiB/8/64B,L2=64KiB/8/128B/exclusive", "have the same lines"},
		{"L1=32KiB/8/64B/write-through,L2=64KiB/8/64B/exclusive", "must be write-back"},
		{"L1=32KiB/8/64B,L2=64KiB/8/64B/exclusive,L3=1MiB/8/64B/inclusive", "cannot be mixed"},
		{"L1=32KiB/8/64B,L2=64KiB/8/32B", "shorter than the lines of L1"},
		{"L1=32KiB/8/64B/opt,L2=64KiB/8/64B", "opt is allowed only in the last level"},
		{"L1=32KiB/8/64B,L2d=64KiB/8/64B", "cannot follow L1, which is unified"},
		{"L1=32KiB/8/64B,L2=64KiB/8/64B/private", "cannot follow L1, which is shared"},
		{"L1=32KiB/8/64B/no-allocate/opt", "omit no-allocate"},
		{"L1=32KiB/8/64B,L2=64KiB/8/64B/opt/inclusive", "cannot be opt"},
	} {
		t.Run(fmt.Sprintf("%v %v", c.text, c.want), func(t *testing.T) {
			s, err := Parse(c.text)
			if c.want == "" {
				c.want = c.text
			}
			if err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: %v", c.text, err)
			}
			if err != nil {
				return
			}
			if got := s.String(); got != c.want {
				t.Errorf("%q: got %q, want %q", c.text, got, c.want)
			}
			if again, err := Parse(s.String()); err != nil || again.String() != s.String() {
				t.Errorf("%q is read as %v (%v)", s, again, err)
			}
		})
	}
}

// Whose references a level serves is in its name; those of a side without a first level are left out.
func TestSides(t *testing.T) {
	for _, c := range []struct {
		text                    string
		data, instr, dTLB, iTLB bool
	}{
		{"L1=1KiB/1/64B", true, true, false, false},
		{"L1d=1KiB/1/64B,LL=1KiB/1/64B", true, false, false, false},
		{"I1=1KiB/1/64B,LL=1KiB/1/64B,dtlb=1/1/4KiB,stlb=1/1/4KiB", false, true, true, false},
		{"L1D=1KiB/1/64B,L1I=1KiB/1/64B,LL=1KiB/1/64B,itlb=1/1/4KiB,TLBd=1/1/4KiB", true, true, true, true},
	} {
		t.Run(c.text, func(t *testing.T) {
			s, err := Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range []struct {
				tlb  bool
				side Side
				want bool
			}{{false, data, c.data}, {false, instr, c.instr}, {true, data, c.dTLB}, {true, instr, c.iTLB}} {
				if got := s.enters(x.tlb, x.side); got != x.want {
					t.Errorf("TLB %t, side %d: enters %t", x.tlb, x.side, got)
				}
			}
		})
	}
}

// Every policy is in the list, and in the grammar.
func TestGrammarHasAll(t *testing.T) {
	for _, p := range policies() {
		if !strings.Contains(levelsHelp, p.Name) {
			t.Errorf("the help does not say %s", p.Name)
		}
	}
	for name := range options {
		if !strings.Contains(levelsHelp, name) {
			t.Errorf("the help does not say %s", name)
		}
	}
}
