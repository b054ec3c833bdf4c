package meshes

import (
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
)

// cases is what tests know of each kernel.
var cases = map[string]kerneltest.Case{
	"transfer":  {Sizes: transferSizes, Spoil: spoilTransfer},
	"scan":      {Sizes: scanSizes, Spoil: spoilScan},
	"convshift": {Sizes: convShiftSizes, Spoil: spoilConvShift},
	"convscan":  {Sizes: convScanSizes, Spoil: spoilConvScan},
	"array":     {Sizes: arraySizes, Spoil: spoilArray},
	"sor":       {Sizes: sorSizes, Spoil: spoilSOR},
	"bps":       {Sizes: bpsSizes, Spoil: spoilBPS},
	"apucs":     {Sizes: apucsSizes, Spoil: spoilAPUCS},
	"pgl":       {Sizes: pglSizes, Spoil: spoilPGL},
}

var kernels = kerneltest.Kernels{All: All, Counted: Counted, Recorded: Recorded, Cases: cases}

func TestNativeRunsAreVerified(t *testing.T) { kernels.NativeRunsAreVerified(t) }

func TestAllFormsAgree(t *testing.T) { kernels.AllFormsAgree(t) }

func TestVerifyFindsOneWrongElement(t *testing.T) { kernels.VerifyFindsOneWrongElement(t) }

func TestRecordingIsTheSameAtAnyGOMAXPROCS(t *testing.T) {
	kernels.RecordingIsTheSameAtAnyGOMAXPROCS(t)
}
