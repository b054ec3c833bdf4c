package csv

import (
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

// naive is CSV without the fast path.
type naive struct{ CSV }

func (naive) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return newCSVParser(o, sink).run(in, func([]byte) int { return 0 })
}

// checkFast compares the import of a text with that without the fast path.
func checkFast(t *testing.T, text string, o format.Options) {
	t.Helper()
	formattest.SameImport(t, CSV{}, naive{}, text, o)
}

func TestFastIsNaive(t *testing.T) {
	const header = "time,tid,op,addr,size\n"
	for name, text := range map[string]string{
		"plain":                 header + "1,0,R,0x10,8\n2,0,W,0x18,8\n",
		"two threads":           header + "1,0,R,0x10,8\n1,1,W,16,8\n",
		"other columns":         "a,addr,b\nx,0x10,y\nx,0x18,y\n",
		"empty ignored column":  "addr,b\n0x10,\n0x18,\n",
		"blank within a column": "addr,b\n0x10,a b\n0x18,c\n",
		"quotes":                "addr,b\n0x10,\"a,b\"\n\"0x18\",c\n",
		"carriage returns":      "addr,op\r\n0x10,R\r\n0x18,W\r\n",
		"tabs":                  "addr\top\n0x10\tR\n0x18\tW\n",
		"words":                 "addr,op\n0x10,load\n0x18,rmw\n0x18,M\n",
		"no digits":             header + "1,0,R,0x,8\n",
		"17 digits":             header + "1,0,R,0x12345678123456781,8\n",
		"19 decimal digits":     header + "1,0,R,1234567890123456789,8\n",
		"20 decimal digits":     header + "1,0,R,99999999999999999999,8\n",
		"a field too few":       header + "1,0,R,0x10,8\n2,0,R,0x10\n",
		"a field too many":      header + "1,0,R,0x10,8\n2,0,R,0x10,8,9\n",
		"time goes backwards":   header + "5,0,R,0x10,8\n4,0,R,0x10,8\n",
		"time leaps":            header + "5,0,R,0x10,8\n4000000,0,R,0x10,8\n",
		"size 0":                header + "5,0,R,0x10,0\n",
		"wraps":                 header + "5,0,R,0xffffffffffffffff,2\n",
		"unknown operation":     header + "5,0,X,0x10,8\n",
		"no line end":           header + "5,0,R,0x10,8\n6,0,R,0x10,8",
		"NUL":                   header + "5,0,R,0x10,8\n6,0,R,0x1\x00,8\n",
	} {
		t.Run(name, func(t *testing.T) {
			checkFast(t, text, format.Options{})
			checkFast(t, text, format.Options{AddrBase: 16, DropIfetch: true, TimeIsRows: true})
		})
	}
}

func FuzzFastIsNaive(f *testing.F) {
	f.Add("time,tid,op,addr,size\n1,0,R,0x10,8\n2,1,W,24,8\n")
	f.Add("addr;x\n0x10;y\n\"16\";z\n")
	f.Fuzz(func(t *testing.T, text string) { checkFast(t, text, format.Options{}) })
}
