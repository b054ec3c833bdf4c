package main

import (
	"fmt"
	"io"
	"strings"
)

// sequential are tests that make race leaves out, because they take the race detector long. It finds no more in them than in the tests
// that stay. make unit runs them all.
var sequential = []struct{ folder, why, tests string }{
	// One writer, and readers as in TestTraceComesBackAsWritten and TestDamageToLargeFilesIsAnError, which stay.
	{"traces/store", "encodes and decodes rows: no goroutines", "TestArchiveKeepsEveryReference"},
	{"traces/store", "counts bytes", "TestArchiveIsSmall"},
	{"traces/store", "tables are written and read by one goroutine", "TestTableComesBackAsWritten TestArrowLibraryReadsTables"},
	{"traces/store", "the reader is the Arrow library, of one goroutine", "TestArrowLibraryReadsTheSameValues"},
	{"traces/store", "the readers are other programs", "TestForeignReadersAgree"},
	{"traces/store", "measures memory, which the detector takes a lot of", "TestManyProcessorsTakeBoundedMemory"},
	// Two goroutines read and parse every input; inputs of several blocks in each way of parsing stay (TestDelimited,
	// TestDrmemtraceSampleFolders, TestChampSimBlocks, TestManyThreads, TestParaverHoldsLittle, TestRoundTrips).
	{"traces/format", "what a parser keeps, of a long input", "TestOTF2HoldsReceivesBack"},
	{"traces/format", "measures memory", "TestLongestMessages"},
	{"traces/format", "thousands of inputs of one short block", "TestFlippedBitsChangeNothing TestCutContainersAreErrors"},
	{"traces/format", "a parser against another one", "TestLackeyIsNaive"},
	{"traces/format", "a file with patches: no goroutines", "TestPatchwork"},
	{"traces/format", "a parser's counts, of files that TestDrmemtraceSampleFolders reads", "TestDrmemtraceSampleFacts TestDrmemtraceSampleThreadsOfCores"},
	{"traces/format", "a parser's counts", "TestChampSimSamples"},
	{"tracegen/kernel/internal", "recording takes one goroutine at a time; TestNativeRunsAreVerified runs them natively", "TestAllFormsAgree"},
	{"predict/internal/engine", "one worker; each case looks millions of times", "TestLookingInVain"},
	// Simulations of memories run on one goroutine; TestMessagesOnWorkers stays.
	{"predict/internal/replay", "no goroutines", `TestAnyMachine TestTargetsOfNodes TestClusterIsNaive TestReplayIsNaive TestHitsDoNotMatter
		TestAnyTraceEnds TestLatencyLaw TestNoOverlap TestClockIsExact TestMixedIsMessagesBetweenReferences TestMixedIsNaive`},
}

// printSequential prints them as a regular expression for -skip.
func printSequential(_ []string, out io.Writer) error {
	var tests []string
	for _, s := range sequential {
		tests = append(tests, strings.Fields(s.tests)...)
	}
	_, err := fmt.Fprintf(out, "^(%s)$\n", strings.Join(tests, "|"))
	return err
}
