package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/champsim"
	"spoor/traces/format/internal/csv"
	"spoor/traces/format/internal/din"
	"spoor/traces/format/internal/drmemtrace"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/format/internal/gem5"
	"spoor/traces/format/internal/goal"
	"spoor/traces/format/internal/lackey"
	"spoor/traces/format/internal/objects"
	"spoor/traces/format/internal/pinatrace"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// exported writes a trace with its format's exporter.
func exported(ex format.Exporter, m *trace.Memory, set map[string]string) string {
	var b bytes.Buffer
	if _, err := ex.Export(m, format.ExportOptions{Set: set}, &b); err != nil {
		panic(ex.Info().Name + ": " + err.Error())
	}
	return b.String()
}

// table is lines of columns; each gives the values of its column in order.
func table(rng *rand.Rand, sep string, columns ...func(row int) any) string {
	var b strings.Builder
	for row := range 1 + rng.IntN(30) {
		for i, value := range columns {
			if i > 0 {
				b.WriteString(sep)
			}
			fmt.Fprint(&b, value(row))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// any of these words.
func pick[T any](rng *rand.Rand, some ...T) func(int) any {
	return func(int) any { return some[rng.IntN(len(some))] }
}

func below(rng *rand.Rand, n int) func(int) any { return func(int) any { return rng.IntN(n) } }

// clock never goes back.
func clock(rng *rand.Rand) func(int) any {
	now := rng.IntN(3)
	return func(int) any {
		now += rng.IntN(3)
		return now
	}
}

// references are of the operations that all formats of data and fetches have.
func references(rng *rand.Rand, size uint16, bits int) *trace.Memory {
	m := formattest.RandomTrace(rng, []trace.Op{trace.Load, trace.Store, trace.Ifetch}, bits)
	for i := range m.RefsOf[0].Size {
		if size > 0 {
			m.RefsOf[0].Size[i] = size
		}
	}
	return m
}

// program is instructions that mostly follow each other, some with a load.
func program(rng *rand.Rand) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, 1)}
	for ip := uint64(0x401000); ip < 0x401000+4*uint64(2+rng.IntN(100)); ip += 4 {
		m.RefsOf[0].Append(1, ip, 4, trace.Ifetch)
		if rng.IntN(2) == 0 {
			m.RefsOf[0].Append(0, 1+rng.Uint64N(1<<46), 1, trace.Load)
		}
	}
	return m
}

// objectColumns is a table as libCacheSim reads it: its columns are in any order.
func objectColumns(rng *rand.Rand) string {
	sep := []string{",", "\t", "|", ";", " "}[rng.IntN(5)]
	columns := []func(int) any{clock(rng), below(rng, 1<<(1+rng.IntN(40))), below(rng, 1<<(1+rng.IntN(16))), below(rng, 6)}
	if sep != " " {
		columns = append(columns, pick(rng, "r", "w", "R", "W"), pick(rng, "get", "set"), pick(rng, "28", "2a"))
	}
	swap := func(i, j int) { columns[i], columns[j] = columns[j], columns[i] }
	rng.Shuffle(len(columns)-2, func(i, j int) { swap(i+2, j+2) })
	columns = columns[:2+rng.IntN(len(columns)-1)] // the time and the object are always among them
	rng.Shuffle(len(columns), swap)
	return table(rng, sep, columns...)
}

// generators makes files of formats. Those of other formats are parts of their samples, see generatorOf.
var generators = map[string]func(rng *rand.Rand) string{
	"lackey": func(rng *rand.Rand) string { return exported(lackey.Lackey{}, references(rng, 0, 63), nil) },
	"din":    func(rng *rand.Rand) string { return exported(din.Din{}, references(rng, 4, 1+rng.IntN(63)), nil) },
	"xdin":   func(rng *rand.Rand) string { return exported(din.XDin{}, references(rng, 0, 1+rng.IntN(63)), nil) },
	"d4bin":  func(rng *rand.Rand) string { return exported(din.D4Bin{}, references(rng, 0, 32), nil) },
	"csv": func(rng *rand.Rand) string {
		text := exported(csv.CSV{}, references(rng, 0, 63), nil)
		if rng.IntN(2) == 0 {
			_, text, _ = strings.Cut(text, "\n")
		}
		return strings.ReplaceAll(text, ",", []string{",", "\t", "|", ";"}[rng.IntN(4)])
	},
	"champsim":      func(rng *rand.Rand) string { return exported(champsim.ChampSim{}, program(rng), nil) },
	"drmemtrace":    func(rng *rand.Rand) string { return exported(drmemtrace.Drmemtrace{}, references(rng, 4, 40), nil) },
	"pinatrace":     func(rng *rand.Rand) string { return exported(pinatrace.Pinatrace{}, formattest.RandomPin(rng), nil) },
	"gem5":          func(rng *rand.Rand) string { return exported(gem5.Gem5{}, references(rng, 0, 40), nil) },
	"oracleGeneral": func(rng *rand.Rand) string { return exported(objects.OracleGeneral{}, references(rng, 64, 40), nil) },
	"cachelib": func(rng *rand.Rand) string {
		return "op_time,key,op,size\n" + table(rng, ",", clock(rng), below(rng, 50), pick(rng, "GET", "SET"), below(rng, 1000))
	},
	"twitter": func(rng *rand.Rand) string {
		return table(rng, ",", clock(rng), pick(rng, "a", "zyA:1", "77"), below(rng, 50), below(rng, 1000), below(rng, 9), pick(rng, "get", "set", "delete"), below(rng, 3600))
	},
	"libcachesim-csv": objectColumns,
	"synchrotrace": func(rng *rand.Rand) string {
		lines := strings.SplitAfter(formattest.SyncOne+formattest.SyncTwo, "\n")
		lines = lines[:len(lines)-1]
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		return strings.Join(lines[:1+rng.IntN(len(lines))], "")
	},
	"sift": func(rng *rand.Rand) string {
		return string(formattest.SiftOf(0, []byte(formattest.RandomBytes(rng.IntN(100)))))
	},
	"goal": func(rng *rand.Rand) string {
		return exported(goal.Goal{}, formattest.RandomGraph(rng), map[string]string{"unit": "1ps", "binary": fmt.Sprint(rng.IntN(2) == 0)})
	},
	"simgrid-ti": func(rng *rand.Rand) string {
		bodies := make([]string, 1+rng.IntN(4))
		for i := range bodies {
			bodies[i] = strings.Repeat([]string{"compute 5;", "barrier;", "bcast 8 0 6;", "sleep 1.5;"}[rng.IntN(4)], rng.IntN(20))
		}
		return formattest.TiOf(bodies...)
	},
	"dimemas": func(rng *rand.Rand) string {
		text := "#DIMEMAS:\"x\":0:1(1),1\nd:1:1:1:0\n"
		for range rng.IntN(30) {
			text += []string{"1:0:0:0.5\n", "2:0:0:0:-1:8:3:1:2\n", "3:0:0:0:-1:8:3:1:0\n", "10:0:0:11:1:0:0:8:8:1\n", "20:0:0:1:2\n"}[rng.IntN(5)]
		}
		return text
	},
	"paraver": func(rng *rand.Rand) string { return string(formattest.PrvRing(1 + rng.IntN(50))) },
	"chakra": func(rng *rand.Rand) string {
		var nodes []formattest.EtNode
		for i := range 1 + rng.IntN(20) {
			nodes = append(nodes, formattest.EtNode{Id: uint64(i), Kind: 4 + rng.Uint64N(4), Micros: rng.Uint64N(1000)})
		}
		return formattest.EtFile(nodes...)
	},
	"otf2":       func(rng *rand.Rand) string { return "\x03BOTF2" + formattest.RandomBytes(rng.IntN(100)) },
	"otf2-print": func(rng *rand.Rand) string { return formattest.Otf2Head + formattest.RandomBytes(rng.IntN(3)) },
	"mpi": func(rng *rand.Rand) string {
		b := []byte("SPOORMPI")
		for range rng.IntN(200) {
			b = append(b, byte(rng.IntN(256)))
		}
		return string(b)
	},
	"dumpi": func(rng *rand.Rand) string {
		return formattest.DumpiText("MPI_Init argc=1\n" + strings.Repeat("MPI_Barrier comm=2\n", rng.IntN(20)))
	},
}

// generatorOf returns what makes files of a format: without a line in generators, some lines of its sample.
func generatorOf(t *testing.T, name string) func(rng *rand.Rand) string {
	t.Helper()
	if generators[name] != nil {
		return generators[name]
	}
	samples, err := filepath.Glob("internal/*/testdata/" + name + ".sample")
	if err != nil || len(samples) != 1 {
		t.Fatalf("%s has %d samples (%v); put one into testdata/%s.sample of its package", name, len(samples), err, name)
	}
	text, err := os.ReadFile(samples[0])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	return func(rng *rand.Rand) string {
		first := rng.IntN(len(lines))
		return strings.Join(lines[first:first+1+rng.IntN(len(lines)-first)], "")
	}
}

// A file of a format is recognised as that format, or refused with its name among
// others; also if it is cut, it is never taken for another format.
func TestNoFormatIsTakenForAnother(t *testing.T) {
	rounds := testsize.Cases(2000, 30)
	for _, im := range able[format.Importer]() {
		make := generatorOf(t, im.Info().Name)
		rng := rand.New(rand.NewPCG(35, 6))
		for range rounds {
			text := make(rng)
			if text == "" {
				continue // an empty file is of no format
			}
			got, _, err := Detect(formattest.Open(t, text))
			if err == nil && got.Info().Name != im.Info().Name || err != nil && !strings.Contains(strings.Split(err.Error(), ", begins")[0], im.Info().Name) {
				t.Fatalf("%s is taken for %v, %v:\n%.1000q", im.Info().Name, got, err, text)
			}
			text = text[:rng.IntN(len(text)+1)]
			if got, _, err := Detect(formattest.Open(t, text)); err == nil && got.Info().Name != im.Info().Name {
				t.Fatalf("%s, cut, is taken for %s:\n%.1000q", im.Info().Name, got.Info().Name, text)
			}
		}
	}
}

// Bytes of no format, and records of 24 bytes in any order, are no trace.
func TestRandomBytesAreNoTrace(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 7))
	for range testsize.Cases(2000, 200) {
		var b []byte
		for range 1 + rng.IntN(40) {
			b = binary.LittleEndian.AppendUint64(b, rng.Uint64()>>rng.IntN(64))
		}
		if got, _, err := Detect(formattest.Open(t, string(b))); err == nil {
			t.Fatalf("%x is taken for %s", b, got.Info().Name)
		}
	}
}

// sampleFormats names the format of each folder of samples, and of files with others.
var sampleFormats = map[string]string{"cachelib": "cachelib", "chakra": "chakra", "champsim": "champsim", "csv": "csv", "din": "din", "drmemtrace": "drmemtrace",
	"dumpi": "dumpi", "gem5": "gem5", "goal": "goal", "lackey": "lackey", "libcachesim": "libcachesim-csv", "otf2": "otf2", "paraver": "paraver",
	"pinatrace": "pinatrace", "sift": "sift", "simgrid-ti": "simgrid-ti", "synchrotrace": "synchrotrace"}

// No sample is taken for another format.
func TestNoSampleIsTakenForAnother(t *testing.T) {
	root := formattest.Shared(t, "")
	n := 0
	for folder, name := range sampleFormats {
		filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			in, err := input.Open(context.Background(), path, nil, nil)
			if err != nil {
				return nil
			}
			defer in.Close()
			im, _, err := Detect(in)
			if err == nil {
				n++
				others := []string{name, strings.Split(filepath.Base(path), ".")[len(strings.Split(filepath.Base(path), "."))-1]}
				for _, also := range []string{"xdin", "oracleGeneral", "otf2-print", "d4bin"} {
					if strings.Contains(path, also) || also == "otf2-print" && folder == "otf2" {
						others = append(others, also)
					}
				}
				if !slices.Contains(others, im.Info().Name) {
					t.Errorf("%s is taken for %s", path, im.Info().Name)
				}
			}
			return nil
		})
	}
	if n < 50 {
		t.Errorf("only %d samples are recognised", n)
	}
}
