package store

import (
	"bufio"
	"os"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"

	"spoor/traces/trace"
)

// lackeyRefs reads the references in a log of valgrind's lackey tool: enough of
// the format to measure with.
func lackeyRefs(t testing.TB, path string) *trace.Refs {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Skip("the sample is not there: ", err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	refs := new(trace.Refs)
	for s := bufio.NewScanner(z); s.Scan(); {
		line := s.Text()
		if len(line) < 6 || line[2] != ' ' || line[0] == '=' {
			continue
		}
		comma := 3
		for comma < len(line) && line[comma] != ',' {
			comma++
		}
		addr, err := strconv.ParseUint(line[3:comma], 16, 64)
		if err != nil || comma >= len(line)-1 { // the last line may be cut
			continue
		}
		size, _ := strconv.ParseUint(line[comma+1:], 10, 16)
		switch line[:2] {
		case "I ":
			refs.Append(1, addr, uint16(size), trace.Ifetch)
		case " L":
			refs.Append(0, addr, uint16(size), trace.Load)
		case " S":
			refs.Append(0, addr, uint16(size), trace.Store)
		case " M":
			refs.Append(0, addr, uint16(size), trace.Load)
			refs.Append(0, addr, uint16(size), trace.Store)
		}
	}
	return refs
}

func fileSize(b *testing.B, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// benchEvents is a ring of processors that send, receive and compute.
func benchEvents() *trace.Events {
	b := new(trace.Events)
	for i := range uint64(1 << 18) {
		e := trace.NewEvent([]trace.Kind{trace.Compute, trace.Send, trace.Recv}[i%3])
		e.Instr, e.Refs, e.Peer, e.Tag, e.Bytes = uint32(i*i%1000), i*50, int32(i%7), int32(i%11), int64(i%3*4096)
		b.Rows = append(b.Rows, e)
	}
	return b
}
