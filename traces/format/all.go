// Package format lists the foreign trace formats. It recognises the format of an input,
// and finds a format by its name. A new format is a package of format/internal and one
// line in All.
package format

import (
	"spoor/traces/format/internal/chakra"
	"spoor/traces/format/internal/champsim"
	"spoor/traces/format/internal/chrome"
	"spoor/traces/format/internal/csv"
	"spoor/traces/format/internal/dimemas"
	"spoor/traces/format/internal/din"
	"spoor/traces/format/internal/drmemtrace"
	"spoor/traces/format/internal/dumpi"
	"spoor/traces/format/internal/gem5"
	"spoor/traces/format/internal/goal"
	"spoor/traces/format/internal/lackey"
	"spoor/traces/format/internal/mpicalls"
	"spoor/traces/format/internal/objects"
	"spoor/traces/format/internal/otf2"
	"spoor/traces/format/internal/paraver"
	"spoor/traces/format/internal/pinatrace"
	"spoor/traces/format/internal/sift"
	"spoor/traces/format/internal/simgridti"
	"spoor/traces/format/internal/synchrotrace"
	"spoor/traces/internal/format"
)

// All lists every format, in the order of `traces formats`.
var All = []format.Format{
	lackey.Lackey{},
	din.Din{},
	din.XDin{},
	din.D4Bin{},
	objects.CacheLib{},
	csv.CSV{},
	champsim.ChampSim{},
	drmemtrace.Drmemtrace{},
	pinatrace.Pinatrace{},
	gem5.Gem5{},
	synchrotrace.SynchroTrace{},
	sift.Sift{},
	objects.OracleGeneral{},
	objects.LibCacheSimCSV{},
	objects.Twitter{},
	goal.Goal{},
	simgridti.SimGridTI{},
	paraver.Paraver{},
	dimemas.Dimemas{},
	chakra.Chakra{},
	chrome.Chrome{},
	otf2.OTF2{},
	otf2.OTF2Print{},
	dumpi.Dumpi{},
	mpicalls.MPI{},
}

// CSVImporter reads CSV. Only it has columns without names.
var CSVImporter format.Importer = csv.CSV{}

// ParseColumns reads the meaning of the columns of a CSV file without a header.
func ParseColumns(s string) ([]string, error) { return csv.ParseCSVColumns(s) }

// IsSchedule reports whether path is a schedule of drmemtrace, which has no references.
func IsSchedule(path string) bool { return drmemtrace.IsSchedule(path) }
