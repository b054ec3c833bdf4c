package falsafi1997

import (
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
)

// cases is what tests know of each kernel.
var cases = map[string]kerneltest.Case{
	"appbt":   {Sizes: appbtSizes, Spoil: spoilAppbt},
	"barnes":  {Sizes: barnesSizes, Spoil: spoilBarnes},
	"sparse":  {Sizes: sparseSizes, Spoil: spoilSparse},
	"tomcatv": {Sizes: tomcatvSizes, Spoil: spoilTomcatv},
	"water":   {Sizes: waterSizes, Spoil: spoilWater},
}

var kernels = kerneltest.Kernels{All: All, Counted: Counted, Recorded: Recorded, Cases: cases}

func TestNativeRunsAreVerified(t *testing.T) { kernels.NativeRunsAreVerified(t) }

func TestAllFormsAgree(t *testing.T) { kernels.AllFormsAgree(t) }

func TestVerifyFindsOneWrongElement(t *testing.T) { kernels.VerifyFindsOneWrongElement(t) }

func TestRecordingIsTheSameAtAnyGOMAXPROCS(t *testing.T) {
	kernels.RecordingIsTheSameAtAnyGOMAXPROCS(t)
}
