package stage

import (
	"runtime/debug"
	"testing"
)

func TestCheckMemory(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit memoryLimit
		need  uint64
		want  string
	}{
		{"unknown", memoryLimit{}, 1 << 60, ""},
		{"enough", memoryLimit{8_000_000_000, 7_000_000_000, "'ulimit -v'"}, 7_000_000_000, ""},
		{"limit", memoryLimit{8_000_000_000, 7_000_000_000, "'ulimit -v'"}, 7_500_000_000,
			"the run needs about 7500 MB of memory, but 'ulimit -v' leaves 7000 MB; raise that limit, or do less"},
		{"host", memoryLimit{4_000_000_000, 4_000_000_000, host}, 5_000_000_001, "the run needs about 5001 MB of memory, but this host has 4000 MB; do less"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if err := c.limit.check(c.need, "the run", "do less"); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestGoMemoryLimit(t *testing.T) {
	const limit = 1 << 20
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	t.Setenv("GOMEMLIMIT", "1MiB")
	if m, want := leastMemory(), (memoryLimit{limit, limit, "GOMEMLIMIT"}); m != want {
		t.Errorf("%+v, want %+v", m, want)
	}
}
