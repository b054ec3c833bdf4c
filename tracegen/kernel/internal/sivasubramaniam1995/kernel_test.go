package sivasubramaniam1995

import (
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
)

// cases is what tests know of each kernel.
var cases = map[string]kerneltest.Case{
	"ep":         {Sizes: epSizes, Spoil: spoilEP},
	"is":         {Sizes: isSizes, Spoil: spoilIS},
	"fftblocked": {Sizes: fftBlockedSizes, Spoil: spoilFFTBlocked},
	"cg":         {Sizes: cgSizes, Spoil: spoilCG},
	"cholesky":   {Sizes: choleskySizes, Spoil: spoilCholesky},
}

var kernels = kerneltest.Kernels{All: All, Counted: Counted, Recorded: Recorded, Cases: cases}

func TestNativeRunsAreVerified(t *testing.T) { kernels.NativeRunsAreVerified(t) }

func TestAllFormsAgree(t *testing.T) { kernels.AllFormsAgree(t) }

func TestVerifyFindsOneWrongElement(t *testing.T) { kernels.VerifyFindsOneWrongElement(t) }

func TestRecordingIsTheSameAtAnyGOMAXPROCS(t *testing.T) {
	kernels.RecordingIsTheSameAtAnyGOMAXPROCS(t)
}
