package machine

import (
	"slices"
	"strings"
	"testing"
)

// A machine of LogGP is its five numbers: the fifth, the number of processors, is that of the trace.
func TestPartOfAMachine(t *testing.T) {
	t.Chdir(t.TempDir())
	const five = "[network]\nmodel = \"loggp\"\nL = \"2 us\"\no = \"0.5 us\"\ng = \"0.7 us\"\nG = \"1 ns/B\"\n"
	put(t, "five.toml", five)
	m, err := ReadPart("five.toml")
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "five" || m.NodeOf(1000) != 1000 || !slices.Equal(m.Assumed, []string{"[system] not given: each rank has a node of its own"}) {
		t.Errorf("got %+v", m)
	}
	if err := m.Need("replaying lu", NetworkSection); err != nil {
		t.Error(err)
	}
	if err := m.Need("replaying lu", ProcessorSection, NetworkSection); err == nil || err.Error() != `replaying lu: machine "five" lacks 1 section; add [processor] for instructions` {
		t.Error(err)
	}
	want := `replaying lu: machine "five" lacks 4 sections; add [processor] for instructions, [memory] for references, [[cache]] for references, [system] for the target and its size`
	if err := m.NeedReferences("replaying lu"); err == nil || err.Error() != want {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"[memory]\nsize = \"1 GiB\"\nlatency = \"9 cycles\"\n":       `memory.latency: "9 cycles" is in cycles of the clock, but the section [processor] is missing`,
		"[tlb]\nentries = 4\npage = \"4 KiB\"\nlatency = \"9 ns\"\n": "tlb: needs the section [system], which is missing",
		"[[node]]\nname = \"x\"\n":                                   "five.toml: the machine lacks 4 sections; add [processor]",
	} {
		t.Run(text, func(t *testing.T) {
			put(t, "five.toml", five+text)
			if _, err := ReadPart("five.toml"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("with %q: %v", text, err)
			}
		})
	}
	for text, lack := range map[string][]Section{
		"[system]\ntarget = \"logp\"\nprocessors = 1\nnodes = 4\n":  {ProcessorSection, MemorySection},
		"[system]\ntarget = \"clump\"\nprocessors = 2\nnodes = 4\n": {ProcessorSection, MemorySection, cacheSection},
	} {
		put(t, "five.toml", five+text)
		if m, err := ReadPart("five.toml"); err != nil || !slices.Equal(m.Missing, lack) {
			t.Errorf("with %q: %+v, %v", text, m, err)
		}
		put(t, "five.toml", text)
		if m, err := ReadPart("five.toml"); err != nil || !slices.Equal(m.Missing, append(lack, NetworkSection)) {
			t.Errorf("with %q alone: %+v, %v", text, m, err)
		}
	}
}
