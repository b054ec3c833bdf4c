package locate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spoor/traces/symbols"
)

// followed returns the rows of changes: kind, address, bytes; processor and instructions count from 1.
func followed(t *testing.T, changes ...[3]uint64) (rows []string) {
	t.Helper()
	p := &Places{known: map[mapping]bool{}}
	p.heap = newHeap(func(r symbols.Row) error {
		end := fmt.Sprint(r.End.Instr)
		if r.End == symbols.Never {
			end = "never"
		}
		rows = append(rows, fmt.Sprintf("%s %d+%d %d-%s site %d", r.Kind, r.Addr, r.Bytes, r.Begin.Instr, end, r.Site))
		return nil
	})
	for i, c := range changes {
		var b []byte
		le := binary.LittleEndian
		for _, n := range []uint64{c[1], c[2], 100 + uint64(i), uint64(i) + 1} {
			b = le.AppendUint64(b, n)
		}
		b = le.AppendUint32(le.AppendUint32(b, 0), uint32(c[0]))
		if err := p.Changes(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.heap.finish(); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestChanges(t *testing.T) {
	for name, c := range map[string]struct {
		changes [][3]uint64
		want    []string
	}{
		"used again": {[][3]uint64{{allocated, 1000, 8}, {freed, 1000, 0}, {allocated, 1000, 16}},
			[]string{"heap 1000+8 1-2 site 99", "heap 1000+16 3-never site 101"}},
		"release not seen": {[][3]uint64{{allocated, 1000, 8}, {allocated, 1000, 16}, {freed, 77, 0}},
			[]string{"heap 1000+8 1-2 site 99", "heap 1000+16 2-never site 100"}},
		"middle unmapped": {[][3]uint64{{mappedMemory, 4096, 4096 * 4}, {unmapped, 8192, 4096}},
			[]string{"mapping 4096+16384 1-2 site 99", "mapping 4096+4096 2-never site 99", "mapping 12288+8192 2-never site 99"}},
		"several unmapped": {[][3]uint64{{mappedMemory, 4096, 4096}, {mappedMemory, 8192, 4096}, {mappedMemory, 12288, 8192}, {unmapped, 0, 16384}},
			[]string{"mapping 4096+4096 1-4 site 99", "mapping 8192+4096 2-4 site 100", "mapping 12288+8192 3-4 site 101", "mapping 16384+4096 4-never site 101"}},
		"mapped over": {[][3]uint64{{mappedMemory, 4096, 8192}, {mappedMemory, 8192, 8192}},
			[]string{"mapping 4096+8192 1-2 site 99", "mapping 4096+4096 2-never site 99", "mapping 8192+8192 2-never site 100"}},
		"end of memory": {[][3]uint64{{mappedMemory, 1<<64 - 4096, 1 << 20}, {unmapped, 1<<64 - 8192, 1 << 63}},
			[]string{"mapping 18446744073709547520+4095 1-2 site 99"}},
		"nothing": {[][3]uint64{{mappedMemory, 4096, 0}, {unmapped, 4096, 0}, {unmapped, 0, 1}}, nil},
	} {
		if got := followed(t, c.changes...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestDamagedMessages(t *testing.T) {
	for _, text := range []string{"1 2 3\n", "x 2 3 /a\n", "\n"} {
		if err := New(nil).Maps([]byte(text)); !errors.Is(err, errDamaged) {
			t.Errorf("%q: %v", text, err)
		}
	}
	change := make([]byte, changeBytes)
	change[36] = 77
	if err := New(nil).Changes(change); !errors.Is(err, errDamaged) {
		t.Errorf("an unknown change: %v", err)
	}
}

func TestMaps(t *testing.T) {
	p := New(nil)
	for range 2 {
		if err := p.Maps([]byte("4000 5000 0 /a b\n5000 6000 1000 \n")); err != nil {
			t.Fatal(err)
		}
	}
	if want := []mapping{{0x4000, 0x5000, 0, "/a b"}, {0x5000, 0x6000, 0x1000, ""}}; !slices.Equal(p.mapped, want) {
		t.Errorf("%+v, want %+v", p.mapped, want)
	}
}

func TestPages(t *testing.T) {
	var p Pages
	for _, addr := range []uint64{0x1000, 0x1fff, 1<<30 + 5, 1 << 63, 0x1001} {
		p.Touch(addr)
	}
	var got []string
	for _, r := range [][2]uint64{{0, 0x1000}, {0xfff, 0x1001}, {0x1fff, 0x2000}, {0x2000, 1 << 20}, {1<<30 + 4095, 1<<30 + 4096}, {1 << 63, 1<<63 + 1}, {5, 5}} {
		got = append(got, fmt.Sprint(p.touched(r[0], r[1])))
	}
	if want := "false true true false true true false"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %v", got, want)
	}
}
