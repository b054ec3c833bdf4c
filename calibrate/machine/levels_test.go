package machine

import (
	"reflect"
	"strings"
	"testing"
)

// inNodes is a cluster of nodes of 8 processors whose network has more keys.
func inNodes(keys string) string {
	return strings.NewReplacer(`"cow"`, `"clump"`, "processors = 1", "processors = 8", "bandwidth = \"1 Gb/s\"\n", "bandwidth = \"1 Gb/s\"\no = \"1 us\"\n"+keys).Replace(digested)
}

const twoLevels = `[network.local]
L = "300 ns"
o_s = "200 ns"
G = "0.1 ns/B"
S = "4 KiB"
[[network.level]]
name = "cache"
processors = 2
L = "100 ns"
o = "90 ns"
[[network.level]]
name = "socket"
processors = 4
g = "20 ns"
`

func TestLevels(t *testing.T) {
	m, err := Parse("m.toml", []byte(inNodes(twoLevels)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range m.Network.Levels {
		got = append(got, l.Name, strings.Repeat("|", l.Processors))
	}
	if want := []string{"cache", "||", "socket", "||||", "", ""}; !reflect.DeepEqual(got, want) {
		t.Errorf("levels %q, want %q", got, want)
	}
	if l := m.Network.Levels[0]; l.Latency.Value.Picos() != 100_000 || l.Overhead.Value.Picos() != 90_000 || l.Gap.Known || l.GapPerByte.Known || l.RendezvousMin.Known {
		t.Errorf("the nearest level is %+v", l)
	}
	if l := m.Network.Levels[2]; l.Sending.Value.Picos() != 200_000 || l.Receiving.Known || l.GapPerByte.Value.Picos() != 100 || l.RendezvousMin.Value != 4096 {
		t.Errorf("the node is %+v", l)
	}
	again, err := Parse("m.toml", []byte("name = \"m\"\n"+string(m.Network.Text())+inNodes("")[strings.Index(digested, "[processor]"):strings.Index(inNodes(""), "[network]")]))
	if err != nil || !reflect.DeepEqual(again.Network.Levels, m.Network.Levels) {
		t.Errorf("%v: the text\n%s\nreads back as %+v", err, m.Network.Text(), again)
	}
}

func TestBadLevels(t *testing.T) {
	const level = "[[network.level]]\nname = \"a\"\nprocessors = 2\nL = \"1 ns\"\n"
	for keys, want := range map[string]string{
		"[network.local]\n":                                               "network.local: has no cost",
		"[network.local]\nL = \"1\"\n":                                    "network.local.L",
		"[network.local]\nG = \"1 ns\"\n":                                 "is not a time such as",
		"[network.local]\nports = \"both\"\n":                             "ports",
		"[network.local]\nprocessors = 2\n":                               "processors",
		"[network.local]\no = \"1 ns\"\no_s = \"1 ns\"\no_r = \"1 ns\"\n": "has no effect, because o_s and o_r are given",
		strings.Replace(level, "= 2", "= 1", 1):                           "a unit needs several processors",
		strings.Replace(level, "= 2", "= 3", 1):                           "3 does not divide the 8",
		strings.Replace(level, "= 2", "= 16", 1):                          "16 does not divide the 8",
		strings.Replace(level, "= 2", "= 8", 1):                           "give their costs in [network.local]",
		strings.Replace(level, "processors = 2\n", "", 1):                 "network.level[0].processors: is missing",
		strings.Replace(level, "name = \"a\"\n", "", 1):                   "network.level[0].name: is missing",
		strings.Replace(level, "L = \"1 ns\"\n", "", 1):                   "network.level[0]: has no cost",
		level + level: "is the name of an earlier level",
		level + strings.Replace(level, `"a"`, `"b"`, 1):                                            "network.level[1].processors",
		strings.Replace(level, "= 2", "= 4", 1) + strings.NewReplacer("\"a", "\"b").Replace(level): "list the nearest first",
		strings.Repeat(level, 9):                      "at most 8",
		strings.Replace(level, "L =", "latency =", 1): "latency",
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := Parse("m.toml", []byte(inNodes(keys))); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", keys, err, want)
			}
		})
	}
}

// Descriptions without levels have the digest that they had before there were any.
func TestDigestWithoutLevels(t *testing.T) {
	of := func(text string) string {
		m, err := Parse("m.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return m.Digest()
	}
	if got, want := of(digested), "1859cb261923cf38c1f65e660001f6fc7a50a0c362e995afb760bc08b8002c30"; got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	seen := map[string]bool{of(inNodes("")): true}
	for _, keys := range []string{twoLevels, strings.Replace(twoLevels, "= 2\n", "= 4\n", 1)[:strings.LastIndex(twoLevels, "[[")], strings.Replace(twoLevels, "100 ns", "101 ns", 1)} {
		if d := of(inNodes(keys)); seen[d] {
			t.Errorf("%s does not change the digest", keys)
		} else {
			seen[d] = true
		}
	}
}
