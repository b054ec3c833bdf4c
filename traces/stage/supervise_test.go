package stage

import (
	"testing"
)

func TestOutOfMemorySaysTheNeed(t *testing.T) {
	m := memoryLimit{bytes: 800_000_000, from: "'ulimit -v'"}
	for said, want := range map[string]string{
		"runtime: out of memory: cannot allocate 25165824-byte block (105952000 in use)\nfatal error: out of memory\n\ngoroutine 1": "out of memory: more than the 800 MB that 'ulimit -v' allows are needed (106 MB of data when 26 MB more were needed); raise that limit",
		"": "out of memory: more than the 800 MB that 'ulimit -v' allows are needed; raise that limit",
	} {
		if got := m.outOfMemory(said).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, said := range []string{"fatal error: runtime: cannot allocate memory", "runtime/cgo: pthread_create failed: Resource temporarily unavailable",
		"fatal error: failed to reserve page summary memory"} {
		t.Run(said, func(t *testing.T) {
			if !exhausted.MatchString(said) {
				t.Errorf("%q is not taken for a lack of memory", said)
			}
		})
	}
	if exhausted.MatchString("panic: runtime error: index out of range [5] with length 3") {
		t.Error("a panic is taken for a lack of memory")
	}
}
