package machine

import (
	"fmt"
	"strings"
	"testing"
)

// numa is a distributed machine with more sections, and its target changed.
func numa(target, sections string) string {
	return strings.Replace(`name = "test"
[processor]
clock = "100 MHz"
cpi = 1
[[cache]]
size = "32 KiB"
line = "32 B"
ways = 4
latency = "1 cycle"
[memory]
size = "64 MiB"
latency = "50 cycles"
occupancy = "50 cycles"
invalidate = "4 cycles"
[network]
model = "ideal"
latency = "100 cycles"
[system]
target = "TARGET"
processors = 2
nodes = 8
`, "TARGET", target, 1) + sections
}

func TestDirectory(t *testing.T) {
	for _, c := range []struct {
		target, sections string
		directory        Directory
		messages         Messages
		tlb              *TLB
	}{
		{"ccnuma", "", Directory{Kind: FullMap}, Messages{8, 40}, nil},
		{"ccnuma", "[directory]\nhints = true\nlatency = \"3 cycles\"\n", Directory{Kind: FullMap, Hints: true, Latency: inCycles(3)}, Messages{8, 40}, nil},
		{"ccnuma", "[directory]\nkind = \"limited\"\npointers = 4\noverflow = \"no-broadcast\"\n[messages]\ndata = \"32 B\"\n",
			Directory{Kind: LimitedPointers, Pointers: 4, Overflow: NoBroadcast}, Messages{8, 32}, nil},
		{"ccnuma", "[directory]\nkind = \"sparse\"\nentries = 4096\nways = 4\n[messages]\ncontrol = \"16 B\"\n",
			Directory{Kind: Sparse, Entries: 4096, Ways: 4}, Messages{16, 48}, nil},
		{"dir1sw", "[directory]\ntrap = \"200 cycles\"\n[tlb]\nentries = 64\npage = \"4 KiB\"\nlatency = \"30 cycles\"\n",
			Directory{Kind: FullMap, Trap: inCycles(200)}, Messages{8, 40}, &TLB{Entries: 64, Ways: 64, Page: 4096, Latency: inCycles(30)}},
	} {
		t.Run(fmt.Sprintf("%v %v", c.target, c.sections), func(t *testing.T) {
			m, err := Parse("m.toml", []byte(numa(c.target, c.sections)))
			if err != nil {
				t.Errorf("%s: %v", c.sections, err)
				return
			}
			if m.Directory != c.directory || m.Messages != c.messages || (m.TLB == nil) != (c.tlb == nil) || m.TLB != nil && *m.TLB != *c.tlb {
				t.Errorf("%s:\n got %+v, %+v, %+v\nwant %+v, %+v, %+v", c.sections, m.Directory, m.Messages, m.TLB, c.directory, c.messages, c.tlb)
			}
		})
	}
}

// TestNoCaches: what is refused where there are none.
func TestNoCaches(t *testing.T) {
	all := numa("logp", "")
	bare := all[:strings.Index(all, "[[cache]]")] + all[strings.Index(all, "[memory]"):]
	if _, err := Parse("m.toml", []byte(bare+"[messages]\ndata = \"4 B\"\n")); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ more, want string }{
		{"protocol = \"msi\"\n", "m.toml:17: system.protocol: has no effect for target logp"},
		{"[messages]\ndata = \"3 B\"\n", "m.toml:18: messages.data: \"3 B\" is less than 4B"},
	} {
		if _, err := Parse("m.toml", []byte(bare+c.more)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.more, err, c.want)
		}
	}
}

func TestBadDirectories(t *testing.T) {
	for _, c := range []struct{ target, sections, want string }{
		{"clogp", "[directory]\nkind = \"full\"\n", "m.toml:22: directory: has no effect for target clogp"},
		{"ccnuma", "[directory]\nkind = \"chained\"\n", `m.toml:23: directory.kind: "chained" is not one of full, limited, sparse`},
		{"ccnuma", "[directory]\npointers = 2\n", "m.toml:23: directory.pointers: has no effect for a full directory"},
		{"ccnuma", "[directory]\nkind = \"limited\"\noverflow = \"broadcast\"\n", "m.toml:22: directory.pointers: is missing; a limited directory needs it"},
		{"ccnuma", "[directory]\nkind = \"limited\"\npointers = 0\noverflow = \"broadcast\"\n", "m.toml:24: directory.pointers: 0 is not from 1 to 64"},
		{"ccnuma", "[directory]\nkind = \"limited\"\npointers = 2\noverflow = \"trap\"\n", "m.toml:25: directory.overflow: "},
		{"ccnuma", "[directory]\nkind = \"sparse\"\nentries = 48\nways = 4\n", "m.toml:24: directory.entries: 48 entries in sets of 4 are not a power of two of sets"},
		{"ccnuma", "[directory]\nkind = \"sparse\"\nentries = 64\n", "m.toml:22: directory.ways: is missing"},
		{"ccnuma", "[directory]\ntrap = \"9 cycles\"\n", "m.toml:23: directory.trap: has no effect for target ccnuma"},
		{"ccnuma", "[directory]\nlatency = \"9\"\n", "m.toml:23: directory.latency: "},
		{"ccnuma", "[directory]\nhints = 1\n", "m.toml:23: "},
		{"ccnuma", "[messages]\ncontrol = \"0 B\"\n", "m.toml:23: messages.control: "},
		{"ccnuma", "[messages]\ndata = \"2 GiB\"\n", "m.toml:23: messages.data: 2GiB is more than 1GiB"},
		{"ccnuma", "[tlb]\nentries = 64\npage = \"4 KiB\"\nlatency = \"3 cycles\"\n", "m.toml:22: tlb: has no effect for target ccnuma"},
		{"logp", "", "m.toml:5: cache[0]: target logp has no caches"},
		{"dir1sw", "protocol = \"mesi\"\n", "m.toml:22: system.protocol: \"mesi\" is not msi"},
		{"dir1sw", "", "m.toml: directory.trap: is missing; target dir1sw has traps"},
		{"dir1sw", "[directory]\nkind = \"full\"\ntrap = \"3 cycles\"\n", "m.toml:23: directory.kind: has no effect for target dir1sw"},
		{"dir1sw", "[directory]\nhints = true\ntrap = \"3 cycles\"\n", "m.toml:23: directory.hints: has no effect for target dir1sw"},
		{"dir1sw", "[directory]\ntrap = \"3 cycles\"\n[tlb]\nentries = 48\nways = 4\npage = \"4 KiB\"\nlatency = \"3 cycles\"\n", "m.toml:25: tlb.entries: "},
		{"dir1sw", "[directory]\ntrap = \"3 cycles\"\n[tlb]\nentries = 4\npage = \"5 KiB\"\nlatency = \"3 cycles\"\n", "m.toml:26: tlb.page: 5KiB is not a power of two"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if m, err := Parse("m.toml", []byte(numa(c.target, c.sections))); err == nil || !strings.HasPrefix(err.Error(), c.want) || m != nil {
				t.Errorf("%s %q:\n got %v\nwant %s", c.target, c.sections, err, c.want)
			}
		})
	}
}
