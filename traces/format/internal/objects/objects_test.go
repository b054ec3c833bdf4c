package objects

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

func TestOracleGeneral(t *testing.T) {
	m, r := formattest.MustImport(t, OracleGeneral{}, formattest.OracleText(7, 9, 7), format.Options{})
	want := []formattest.Row{{Instr: 1, Addr: 7 * 64, Size: 64, Op: trace.Load}, {Instr: 1, Addr: 9 * 64, Size: 64, Op: trace.Load}, {Instr: 1, Addr: 7 * 64, Size: 64, Op: trace.Load}}
	if !slices.Equal(formattest.Rows(m, 0), want) || !slices.Equal(r.Counts, []format.Count{{Name: "requests", N: 3}, {Name: "bytes", N: 192}, {Name: "last requests", N: 2}}) {
		t.Errorf("%v, %v", formattest.Rows(m, 0), r.Counts)
	}
	opns := []byte(formattest.OracleText(7)[:16])
	opns = append(opns, 13, 0, 0)
	opns = binary.LittleEndian.AppendUint64(opns, 1<<63-1)
	m, _ = formattest.MustImport(t, OracleGeneral{}, string(opns), format.Options{Set: map[string]string{"variant": "opns", "block": "4KiB"}})
	if want := []formattest.Row{{Instr: 1, Addr: 7 << 12, Size: 64, Op: trace.Store}}; !slices.Equal(formattest.Rows(m, 0), want) {
		t.Errorf("opns: %v", formattest.Rows(m, 0))
	}
}

// What is written is read back: loads of whole blocks by one processor, an
// instruction each. Every record names the next request for its object.
func TestOracleGeneralRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 100, 5000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			ids := make([]uint64, n)
			for i := range ids {
				ids[i] = rng.Uint64N(uint64(1 + n/3))
			}
			m, _ := formattest.MustImport(t, OracleGeneral{}, formattest.OracleText(ids...), format.Options{})
			var b bytes.Buffer
			notes, err := OracleGeneral{}.Export(m, format.ExportOptions{Set: map[string]string{"rate": "1"}}, &b)
			if err != nil || len(notes) != 0 {
				t.Fatal(notes, err)
			}
			for i := range n { // the time is the instruction, from 1
				at := b.Bytes()[i*oracleRecord:]
				binary.LittleEndian.PutUint32(at, binary.LittleEndian.Uint32(at)-1)
			}
			if b.String() != formattest.OracleText(ids...) {
				t.Fatalf("%d requests are written otherwise", n)
			}
		})
	}
}

func TestOracleGeneralExportNotes(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, 1)}
	m.RefsOf[0].Append(1, 60, 8, trace.Load) // two blocks
	m.RefsOf[0].Append(1, 0, 64, trace.Store)
	m.RefsOf[0].Append(1, 0, 4, trace.Ifetch)
	var b bytes.Buffer
	notes, err := OracleGeneral{}.Export(m, format.ExportOptions{}, &b)
	if err != nil || b.Len() != 3*oracleRecord {
		t.Fatalf("%d bytes, %v", b.Len(), err)
	}
	got := strings.Join(notes, "; ")
	for _, want := range []string{"no ifetch: 1", "1 stores are requests", "1 references have another range"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(got, want) {
				t.Errorf("notes %q do not say %q", got, want)
			}
		})
	}
	m.RefsOf[0].Instr[0] = 1 << 31
	m.RefsOf[0].Instr[1] = 1 << 31
	if _, err := (OracleGeneral{}).Export(m, format.ExportOptions{Set: map[string]string{"rate": "0.5"}}, &b); err == nil || !strings.Contains(err.Error(), "32 bits") {
		t.Errorf("a time over 32 bits: %v", err)
	}
}

// What has left memory can be changed too, also across the border.
func TestPatchwork(t *testing.T) {
	p, err := newEditableFile()
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	piece := make([]byte, 1<<20)
	for range 2*patchworkTail>>20 + 3 {
		if err := p.append(piece); err != nil {
			t.Fatal(err)
		}
	}
	want := make([]byte, p.size)
	border := p.size - int64(len(p.tail))
	for _, at := range []int64{0, border - 8, border - 3, border, p.size - 8} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			if err := p.patch(at, []byte("12345678")); err != nil {
				t.Fatal(err)
			}
			copy(want[at:], "12345678")
		})
	}
	var got bytes.Buffer
	if err := p.copyTo(&got); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the file differs (%v)", err)
	}
}

func TestKeyTables(t *testing.T) {
	for _, c := range []struct {
		name string
		im   format.Importer
		text string
		set  map[string]string
		ops  string // and whether the object is the one before
	}{
		{"cachelib", CacheLib{}, "key,op,size\na,GET,5\na,SET,6\nb,DELETE,0\n", nil, "load store= flush"},
		{"other order", CacheLib{}, "op_time,size,x,op,key,op_count\n1,5,,GET_LEASE,a,3\n", nil, "load load= load="},
		{"counts once", CacheLib{}, "size,op,key,op_count\n5,GET,a,3\n", map[string]string{"repeat": "once"}, "load"},
		{"two headers", CacheLib{}, "key,op,size\na,GET,5\nop_time,op,key,size\n1,SET,a,5\n", nil, "load store="},
		{"block trace", CacheLib{}, "op_time,block_id,io_size,op_name\n1,x,9,getChunkData.Permanent\n2,x,9,putChunk.New\n", nil, "load store="},
		{"twitter", Twitter{}, "0,k,1,5,3,get,0\n0,k,1,5,3,incr,0\n", nil, "load store="},
		{"libcachesim", LibCacheSimCSV{}, "time,id\n1,17\n2,17\n2,x\n", nil, "load load= load"},
		{"libcachesim columns", LibCacheSimCSV{}, "17|2a|8\n17|28|8\n", map[string]string{"obj-id-col": "1", "op-col": "2", "obj-size-col": "3"}, "store load="},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := formattest.MustImport(t, c.im, c.text, format.Options{Set: c.set})
			var got []string
			all := formattest.Rows(m, 0)
			for i, r := range all {
				word := r.Op.String()
				if i > 0 && r.Addr == all[i-1].Addr {
					word += "="
				}
				got = append(got, word)
			}
			if strings.Join(got, " ") != c.ops {
				t.Errorf("%v, want %s", got, c.ops)
			}
		})
	}
	m, _ := formattest.MustImport(t, LibCacheSimCSV{}, "1,17\n", format.Options{})
	if want := []formattest.Row{{Instr: 1, Addr: 17 * 64, Size: 1, Op: trace.Load}}; !slices.Equal(formattest.Rows(m, 0), want) {
		t.Errorf("a number: %v", formattest.Rows(m, 0))
	}
}

// A number that does not fit is hashed like text, in every encoding alike. At a block
// of one byte all numbers fit.
func TestHighObjectNumbersAreHashed(t *testing.T) {
	const high, near = 1<<56 + 1, 1<<58 - 1 // 72057594037927937 and 288230376151711743
	text := "72057594037927937\n1\n288230376151711745\n1\n"
	m, r := formattest.MustImport(t, LibCacheSimCSV{}, text, format.Options{Set: map[string]string{"obj-id-col": "1"}})
	seen := map[uint64]bool{}
	all := formattest.Rows(m, 0)
	for _, r := range all {
		seen[r.Addr] = true
	}
	if len(seen) != 3 || all[1].Addr != all[3].Addr || !strings.Contains(strings.Join(r.Notes, "; "), "1 request with a number over 58 bits") {
		t.Errorf("%v, %q", all, r.Notes)
	}
	binary, _ := formattest.MustImport(t, OracleGeneral{}, formattest.OracleText(high, 1, 1<<58+1, near), format.Options{})
	for i, r := range formattest.Rows(binary, 0)[:3] {
		if r.Addr != all[i].Addr {
			t.Errorf("request %d: %#x in oracleGeneral, %#x in text", i, r.Addr, all[i].Addr)
		}
	}
	if last := formattest.Rows(binary, 0)[3].Addr; last != near*64 {
		t.Errorf("the highest number that fits is at %#x", last)
	}
	small, _ := formattest.MustImport(t, LibCacheSimCSV{}, text, format.Options{Set: map[string]string{"obj-id-col": "1", "block": "1B"}})
	if got := formattest.Rows(small, 0)[2].Addr; got != 1<<58+1 {
		t.Errorf("with a block of 1 byte: %#x", got)
	}
}

// The first line is a header only if it cannot be a request.
func TestLibCacheSimHeader(t *testing.T) {
	for _, c := range []struct {
		text, set string
		requests  int
		note      string
	}{
		{"1,obj1\n2,obj2\n3,obj1\n", "obj-id-col=2", 3, ""},
		{"1,obj1\n2,obj2\n3,obj1\n", "obj-id-col=2 time-col=1", 3, ""},
		{"time,id\n1,obj1\n2,obj2\n", "obj-id-col=2", 2, "line 1 is read as a header"},
		{"time,id\n1,obj1\n2,obj2\n", "obj-id-col=2 has-header=false", 3, ""},
		{"time,id\n1,obj1\nx,obj2\n", "obj-id-col=2", 3, "line 1 has no digits"},
		{"id,size\na,5\nb,6\n", "obj-id-col=1 obj-size-col=2", 2, "line 1 is read as a header"},
		{"id\na\nb\n", "obj-id-col=1", 3, "line 1 has no digits but can be a request"},
		{"id\na\nb\n", "obj-id-col=1 has-header=true", 2, ""},
		{"get,a\nget,b\n", "obj-id-col=2 op-col=1", 2, "can be a request"},
		{"op,a\nget,b\n", "obj-id-col=2 op-col=1", 1, "line 1 is read as a header"},
	} {
		t.Run(fmt.Sprintf("%v %v", c.text, c.set), func(t *testing.T) {
			set := map[string]string{}
			for _, s := range strings.Fields(c.set) {
				name, value, _ := strings.Cut(s, "=")
				set[name] = value
			}
			m, r := formattest.MustImport(t, LibCacheSimCSV{}, c.text, format.Options{Set: set})
			notes := strings.Join(r.Notes, "; ")
			if got := len(formattest.Rows(m, 0)); got != c.requests || !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "line 1") {
				t.Errorf("%q, %s: %d requests, %q; want %d, %q", c.text, c.set, got, notes, c.requests, c.note)
			}
		})
	}
}

// A request for a key that is also the name of a column is no header.
func TestCacheLibKeyNamedLikeAColumn(t *testing.T) {
	m, _ := formattest.MustImport(t, CacheLib{}, "key,op,size\na,GET,5\nkey,GET,5\n", format.Options{})
	if got := len(formattest.Rows(m, 0)); got != 2 {
		t.Errorf("%d requests", got)
	}
}

func TestRequestsComplaints(t *testing.T) {
	for _, c := range []struct {
		im           format.Importer
		text         string
		set          map[string]string
		place, wrong string
	}{
		{CacheLib{}, "op_time,k,op,size\n", nil, "standard input:1: ", `required column "key" is missing`},
		{CacheLib{}, "key,op,size\na,FROB,5\n", nil, "standard input:2: ", `column op: "FROB" is an unknown operation`},
		{CacheLib{}, "key,op,size\na,GET\n", nil, "standard input:2: ", "2 fields, but the table has 3 columns"},
		{CacheLib{}, "key,op,size\na,GET,-5\n", nil, "standard input:2: ", `column size: "-5" is a negative number`},
		{CacheLib{}, "key,op,size\n,GET,5\n", nil, "standard input:2: ", "the key is empty"},
		{CacheLib{}, "key,op,size,key\na,GET,5,b\n", nil, "standard input:1: ", "column key appears twice"},
		{CacheLib{}, "key,op,size,op_count\na,GET,5,0\n", nil, "standard input:2: ", "not a count from 1"},
		{CacheLib{}, "key,op,size\n", nil, "standard input:1: ", "no requests"},
		{CacheLib{}, "key,op,size\n", map[string]string{"repeat": "x"}, "--set repeat=x", "choose count or once"},
		{Twitter{}, "0,k,1,5,3,get\n", nil, "standard input:1: ", "6 fields, but the table has 7"},
		{LibCacheSimCSV{}, "1,a,-5\n2,b,5\n", map[string]string{"obj-size-col": "3"}, "standard input:1: ", "negative"},
		{LibCacheSimCSV{}, "1,2\n", map[string]string{"obj-id-col": "3"}, "standard input:1: ", "column 3, but the line has 2"},
		{LibCacheSimCSV{}, "1,2\n", map[string]string{"time-col": "2"}, "standard input:1: ", "column 2 is chosen twice"},
		{LibCacheSimCSV{}, "1,2\n", map[string]string{"obj-id-col": "0"}, "--set obj-id-col=0", "number of a column"},
		{OracleGeneral{}, formattest.OracleText(1) + "x", nil, "standard input: record 1, offset 24: ", "1 trailing byte: not a multiple of 24"},
		{OracleGeneral{}, formattest.OracleText(1)[:16] + "\x00\x00\x00\x00\x00\x00\x00\x00", nil, "standard input: record 0, offset 16: ", "next_access_vtime 0 is not after"},
		{OracleGeneral{}, formattest.OracleText(1), map[string]string{"block": "3B"}, "--set block=3B", "power of two"},
		{OracleGeneral{}, "", nil, "standard input: record 0, offset 0: ", "empty"},
	} {
		_, _, err := formattest.ImportText(c.im, c.text, format.Options{Set: c.set})
		formattest.WantError(t, c.im.Info().Name, err, c.place, c.wrong)
	}
	_, r := formattest.MustImport(t, OracleGeneral{}, formattest.OracleText(1, 2)[24:]+formattest.OracleText(1), format.Options{})
	if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, "record 1, offset 24: time goes backwards") {
		t.Errorf("time backwards: %q", notes)
	}
}

// What the READMEs of the samples say, counted independently.
func TestRequestSamples(t *testing.T) {
	for _, c := range []struct {
		file    string
		im      format.Importer
		set     map[string]string
		counts  string
		objects int
	}{
		{"cachelib/kv_traces_1.csv", CacheLib{}, nil, "[{DELETE 2} {GET 51} {GET_LEASE 37} {SET 7} {SET_LEASE 2} {op_count 691} {rows 99} {size 48482}]", 52},
		{"cachelib/kv_traces_2.csv", CacheLib{}, nil, "[{DELETE 1} {GET 55} {GET_LEASE 29} {SET 9} {SET_LEASE 5} {op_count 433} {rows 99} {size 32507}]", 62},
		{"cachelib/block_traces_1.csv", CacheLib{}, nil, "[{getChunkData.NotInitialized 96} {getChunkData.Permanent 503} {op_count 1023} {putChunk.NotInitialized 262} {putChunk.Permanent 138} {rows 999} {size 3469145050}]", 625},
		{"libcachesim/cloudPhysicsIO.oracleGeneral.bin.zst", OracleGeneral{}, nil, "[{bytes 4368040448} {last requests 48974} {requests 113872}]", 48974},
		{"libcachesim/cloudPhysicsIO.csv.zst", LibCacheSimCSV{}, map[string]string{"obj-id-col": "5", "obj-size-col": "4", "time-col": "2", "op-col": "3"},
			"[{28 46974} {2a 66898} {rows 113872} {size 4205978112}]", 48974},
	} {
		t.Run(c.file, func(t *testing.T) {
			in, err := input.Open(context.Background(), formattest.Shared(t, c.file), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			sink := new(formattest.MemorySink)
			r, err := c.im.Import(in, format.Options{Set: c.set}, sink)
			in.Close()
			if err != nil {
				t.Fatalf("%v", err)
			}
			slices.SortStableFunc(r.Counts, func(a, b format.Count) int { return strings.Compare(a.Name, b.Name) })
			if got := fmt.Sprint(r.Counts); got != c.counts {
				t.Errorf("%s, want %s", got, c.counts)
			}
			seen := map[uint64]bool{}
			for _, r := range formattest.Rows(&sink.Memory, 0) {
				seen[r.Addr] = true
			}
			if len(seen) != c.objects {
				t.Errorf("%d objects, want %d", len(seen), c.objects)
			}
		})
	}
}

// The two encodings have the same requests in the same order.
func TestCloudPhysicsAgrees(t *testing.T) {
	var all [2][]formattest.Row
	for i, c := range []struct {
		file string
		im   format.Importer
		set  map[string]string
	}{
		{"cloudPhysicsIO.oracleGeneral.bin.zst", OracleGeneral{}, nil},
		{"cloudPhysicsIO.csv.zst", LibCacheSimCSV{}, map[string]string{"obj-id-col": "5"}},
	} {
		in, err := input.Open(context.Background(), formattest.Shared(t, filepath.Join("libcachesim", c.file)), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		sink := new(formattest.MemorySink)
		if _, err := c.im.Import(in, format.Options{Set: c.set}, sink); err != nil {
			t.Fatal(err)
		}
		in.Close()
		all[i] = formattest.Rows(&sink.Memory, 0)
		for j := range all[i] {
			all[i][j].Size = 0
		}
	}
	if !slices.Equal(all[0], all[1]) {
		t.Error("oracleGeneral and CSV differ")
	}
}

func FuzzRequests(f *testing.F) {
	f.Add([]byte(formattest.OracleText(1, 2, 1)), uint8(0))
	f.Add([]byte("key,op,size,op_count\na,GET,5,2\n"), uint8(1))
	f.Add([]byte("0,k,1,5,3,get,0\n"), uint8(2))
	f.Add([]byte("time,id\n1,17\n"), uint8(3))
	f.Fuzz(func(t *testing.T, file []byte, which uint8) {
		im := []format.Importer{OracleGeneral{}, CacheLib{}, Twitter{}, LibCacheSimCSV{}}[which%4]
		o := format.Options{Set: map[string]string{}}
		if which%4 == 1 {
			o.Set["repeat"] = "once"
		}
		in, err := input.Open(context.Background(), "-", bytes.NewReader(file), nil)
		if err != nil || in.Container != nil {
			return // FuzzImport looks at containers
		}
		defer in.Close()
		sink := new(formattest.MemorySink)
		r, err := im.Import(in, o, sink)
		sink.Head = trace.Header{Procs: r.Procs, WorkUnit: trace.WorkInstr}
		if err == nil {
			err = trace.Check(&sink.Memory)
		} else if strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 600 {
			t.Errorf("%q", err)
			return
		}
		if err != nil && r.Procs > 0 {
			t.Error(err)
		}
	})
}

func BenchmarkImportOracleGeneral(b *testing.B) {
	formattest.BenchmarkRecords(b, OracleGeneral{}, []byte(strings.Repeat(formattest.OracleText(1), 1<<20)), 1<<20, format.Options{})
}
