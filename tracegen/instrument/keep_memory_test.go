package instrument

import (
	"slices"
	"testing"
)

func TestMemoryIsKeptWithinTheLimit(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	for available, want := range map[uint64][]string{0: {"GOGC=off", "GOMEMLIMIT=2147483648"}, 1000: {"GOGC=off", "GOMEMLIMIT=500"}} {
		if got := keepMemory(available); !slices.Equal(got, want) {
			t.Errorf("%d bytes: %q, want %q", available, got, want)
		}
	}
	t.Setenv("GOGC", "100")
	if got := keepMemory(1000); got != nil {
		t.Errorf("with GOGC: %q", got)
	}
}
