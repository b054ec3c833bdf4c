package cluster

import (
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// The delays, latency and control delay of clusters are those of pipelines/du2000/Makefile, which were computed by hand.
// There an instruction and a hit take a cycle each.
func TestFlagsForMachines(t *testing.T) {
	run, err := Open(analyzed(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	const node = "x2:0,hit=1,miss=50,hold=50,upgrade=50"
	const block = " --block=256B --placement=interleaved "
	const rest = " --latency=75 --control-delay=0.08897"
	for name, want := range map[string]string{
		"du2000-smp-256k":        "--run=phases --line=64B --sets=2048 --per-node=2 --node=cache=2048" + node,
		"du2000-cow-2-256k-10m":  "--run=phases --line=64B --sets=2048 --per-node=1 --node=cache=2048" + node + block + "--node-network=bus --delay=45035,44990,45080" + rest,
		"du2000-cow-4-256k-100m": "--run=phases --line=64B --sets=2048 --per-node=1 --node=cache=2048" + node + block + "--node-network=bus --delay=4571,4566,4576" + rest,
		"du2000-cow-4-512k-155m": "--run=phases --line=64B --sets=4096 --per-node=1 --node=cache=4096" + node + block + "--node-network=switch --delay=3278,3275,3281" + rest,
		"du2000-pentium-pro-4":   "--run=phases --line=32B --sets=8192,128 --per-node=2 --node=cache=128x2:0,cache=8192x4:7.2165,hit=0,miss=59.7938,",
		"xeon-gold-6140":         "--run=phases --line=64B --sets=1024,64 --per-node=2 --node=cache=64x8:0,cache=1024x16:28,shared=",
		"xeon-gold-6140-2s":      "", // no model is for its target
		"azure-hbv4-ndr":         "", // no model is for its network
	} {
		t.Run(name, func(t *testing.T) {
			m, err := machine.Read("../../data/machine/" + name + ".toml")
			if err != nil {
				t.Fatal(err)
			}
			flags, err := run.PhaseFlags(m, true)
			if got := strings.Join(flags, " "); (err != nil) != (want == "") || !strings.HasPrefix(got, want) {
				t.Errorf("%v, %v\nwant %s", got, err, want)
			}
		})
	}
}

// The sets are those of caches with up to 20 ways.
func TestFlagsOfFewWays(t *testing.T) {
	run, err := Open(analyzed(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	m := smpMachine(t)
	m.Caches[0].Ways = 24
	m.Caches[0].Size = 24 * 64 * 128
	if flags, err := run.PhaseFlags(m, false); err != nil || !strings.Contains(strings.Join(flags, " "), "--sets=256") { // 128 sets of 24 ways as 256 of 12
		t.Error(flags, err)
	}
}

// Caches of one line size are counted together.
func TestJoinPhases(t *testing.T) {
	plain := func(line, sets string) []string { return []string{"--run=phases", "--line=" + line, "--sets=" + sets} }
	for _, c := range []struct {
		a, b []string
		want string // the sets; "": apart
	}{
		{plain("64B", "2048"), plain("64B", "1024,64"), "2048,1024,64"},
		{plain("64B", "2048,64"), plain("64B", "64"), "2048,64"},
		{plain("64B", "2048"), plain("32B", "2048"), ""},
		{plain("64B", "1,2,4,8,16"), plain("64B", "32,64,128,256"), ""},
		{plain("64B", "2048"), append(plain("64B", "2048"), "--per-node=2"), ""},
		{plain("64B", "2048"), []string{"--run=reuse,locality", "--line=64B"}, ""},
	} {
		both, ok := JoinPhases(c.a, c.b)
		if ok != (c.want != "") || ok && !slices.Equal(both, plain("64B", c.want)) {
			t.Errorf("%v and %v: %v, %v", c.a, c.b, both, ok)
		}
	}
}

// The first line is that of memory accesses, and each size is counted once.
func TestDistanceFlags(t *testing.T) {
	m := smpMachine(t)
	inner := m.Caches[0]
	inner.Line = 32
	m.Caches = slices.Insert(m.Caches, 0, inner)
	m.Shared = &machine.Cache{Line: 128, Size: unit.Bytes(1 << 20), Ways: 8}
	if got := strings.Join(DistanceFlags(m, m), " "); got != "--run=reuse,locality --line=64B,32B,128B,256B" {
		t.Error(got)
	}
	pram := &machine.Machine{System: machine.System{Target: machine.PRAM}}
	if got := strings.Join(DistanceFlags(pram), " "); got != "--run=reuse,locality --line=64B,256B" {
		t.Error(got)
	}
}
