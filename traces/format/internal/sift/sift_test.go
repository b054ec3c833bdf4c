package sift

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// siftOther is a record that is no instruction.
func siftOther(kind byte, data ...byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte{0, kind}, uint32(len(data))), data...)
}

func siftCache(icount, kind byte, pc, value uint64) []byte {
	data := binary.LittleEndian.AppendUint64([]byte{icount, kind}, pc)
	return siftOther(siftCacheOnly, binary.LittleEndian.AppendUint64(data, value)...)
}

func siftWarmUp() []byte {
	return slices.Concat(siftOther(siftLogical, make([]byte, 16)...), siftCache(0, siftFetch, 0x401000, 5), siftCache(3, siftRead, 0x401000, 0x600040),
		siftCache(2, 0, 0x401005, 0x401100), siftCache(1, siftWrite, 0x401004, 0x600048), siftOther(siftIcache, make([]byte, 4104)...), siftOther(siftEnd))
}

func TestSift(t *testing.T) {
	for _, options := range []uint64{0, siftZlib} {
		m, r := formattest.MustImport(t, Sift{}, string(formattest.SiftOf(options, siftWarmUp())), format.Options{PC: true, DefaultSize: 4})
		want := []formattest.Row{{Instr: 0, Addr: 0x401000, Size: 5, Op: trace.Ifetch}, {Instr: 3, Addr: 0x600040, Size: 4, Op: trace.Load}, {Instr: 3, Addr: 0x600048, Size: 4, Op: trace.Store}}
		if got := formattest.Rows(m, 0); !slices.Equal(got, want) || !slices.Equal(m.RefsOf[0].PC, []uint64{0x401000, 0x401000, 0x401004}) {
			t.Errorf("%v, want %v; pcs %#x", got, want, m.RefsOf[0].PC)
		}
		if c := formattest.CountsOf(r); c["CacheOnly read"] != 1 || c["CacheOnly branch taken"] != 1 || c["type 0"] != 1 || r.Lines != 7 {
			t.Errorf("%d records, counts %v", r.Lines, r.Counts)
		}
		formattest.WantNotes(t, r, "2 references without a size counted as 4 bytes", "1 branch record omitted", "1 record omitted that are neither")
	}
	m, r := formattest.MustImport(t, Sift{}, string(formattest.SiftOf(siftPhysical|32, slices.Concat(siftCache(0, siftFetch, 1, 5), siftCache(1, siftRead, 0, 9)))), format.Options{DropIfetch: true})
	if got, want := formattest.Rows(m, 0), []formattest.Row{{Instr: 1, Addr: 9, Size: 1, Op: trace.Load}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	formattest.WantNotes(t, r, "1 reference without a size counted as 1 byte", "physical addresses", "unknown options 0x20", "no End record")
}

func TestBadSift(t *testing.T) {
	file := func(options uint64, records ...[]byte) string {
		return string(formattest.SiftOf(options, slices.Concat(records...)))
	}
	read := siftCache(1, siftRead, 0, 9)
	at := func(n, offset int) string { return fmt.Sprintf("standard input: record %d, offset %d: ", n, offset) }
	zipped := file(siftZlib, read)
	for _, c := range []struct{ text, place, reason string }{
		{"", at(0, 0), "empty"},
		{"SIFX" + strings.Repeat("\x00", 12), at(0, 0), "the magic is not SIFT"},
		{"SIFT1234", at(0, 0), "the header is truncated: 8 bytes of 16"},
		{"SIFT\xff\xff\xff\xff12345678xyz", at(0, 0), "the header is truncated: 19 bytes of 4294967311"},
		{file(0), at(0, 19), "no references"},
		{file(0, siftOther(siftEnd)), at(1, 25), "no references"},
		{file(0, read, []byte{0x13, 1, 2}), at(1, 43), "the record is truncated: 3 bytes of 9"},
		{file(0, read, []byte{0x13, 1, 2, 3, 4, 5, 6, 7, 8}), at(1, 43), "instruction record: SIFT does not store whether it reads or writes"},
		{file(0, read, []byte{0x40, 1, 2}), at(1, 43), "the record is truncated: 3 bytes of 18"},
		{file(0, read, []byte{0x40}), at(1, 43), "the record is truncated: 1 bytes of 10"},
		{file(0, read, []byte{0, 24, 1}), at(1, 43), "the record is truncated: 3 bytes of 6"},
		{file(0, read, []byte{0, 0, 0xff, 0xff, 0xff, 0xff}), at(1, 43), "the record is truncated: 6 bytes of 4294967301"},
		{file(0, read, siftOther(siftCacheOnly, 1, 2)), at(1, 43), "CacheOnly record has 2 bytes, not 18"},
		{file(0, read[:20]), at(0, 19), "the record is truncated: 20 bytes of 24"},
		{file(0, siftCache(1, 5, 0, 0)), at(0, 19), "unknown kind 5"},
		{file(0, siftCache(1, siftFetch, 1, 0)), at(0, 19), "access of 0 bytes"},
		{file(0, siftCache(1, siftFetch, 1, 65536)), at(0, 19), "over the limit"},
		{file(0, read, siftOther(siftEnd), read), at(2, 49), "data after the End record"},
		{zipped + "x", at(1, 43), "data after the end of the zlib stream"},
		{zipped[:len(zipped)-1], at(1, 43), "the zlib stream is truncated"},
		{zipped[:len(zipped)-4] + "1234", at(1, 43), "damaged zlib stream: zlib: invalid checksum"},
		{zipped[:19], at(0, 0), "the zlib stream is truncated"},
		{zipped[:19] + "123456", at(0, 0), "damaged zlib stream: zlib: invalid header"},
	} {
		t.Run(c.text, func(t *testing.T) {
			_, _, err := formattest.ImportText(Sift{}, c.text, format.Options{})
			formattest.WantError(t, fmt.Sprintf("%.40q", c.text), err, c.place, c.reason)
		})
	}
	packed := formattest.Compressors["gzip"](strings.Repeat(file(0, siftWarmUp()), 100))
	_, _, err := formattest.ImportBytes(Sift{}, packed[:len(packed)/2], format.Options{})
	if err == nil {
		t.Error("a cut gzip stream is accepted")
	}
}

func TestSiftSamples(t *testing.T) {
	dir := formattest.Shared(t, "sift")
	for _, name := range []string{"loop100.sift", "loop100_zlib.sift"} {
		file, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = formattest.ImportBytes(Sift{}, file, format.Options{})
		formattest.WantError(t, name, err, "standard input: record 1, offset 34: ", "instruction record: SIFT does not store whether it reads or writes")
		if r := surveySift(t, file); r != (siftSurvey{simple: 200, extended: 100, addresses: 100, branches: 100, icache: 3, cacheOnly: 2, end: 1, payload: 2105,
			options: 4 | uint64(strings.Count(name, "zlib"))}) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	file, err := os.ReadFile(filepath.Join(formattest.Shared(t, filepath.Join("malformed", "address")), "a62_sift_bad_magic.sift"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = formattest.ImportBytes(Sift{}, file, format.Options{})
	formattest.WantError(t, "a62", err, "standard input: record 0, offset 0: ", "the magic is not SIFT")
}

// siftSurvey is what a file holds.
type siftSurvey struct {
	simple, extended, addresses, branches, icache, cacheOnly, end int
	payload                                                       int64
	options                                                       uint64
}

func surveySift(t *testing.T, file []byte) (s siftSurvey) {
	t.Helper()
	r, err := openSift(formattest.Open(t, string(file)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	s.options = r.options
	for {
		rec, err := r.next()
		if err == io.EOF {
			s.payload = r.after - siftHeaderSize - int64(r.extra)
			return s
		}
		if err != nil {
			t.Fatal(err)
		}
		one := map[bool]int{true: 1}
		s.simple += one[rec.instruction && !rec.extended]
		s.extended += one[rec.extended]
		s.addresses += rec.addresses
		s.branches += one[rec.branch]
		s.icache += one[!rec.instruction && rec.kind == siftIcacheVariable]
		s.cacheOnly += one[!rec.instruction && rec.kind == siftCacheOnly]
		s.end += one[!rec.instruction && rec.kind == siftEnd]
	}
}

func FuzzSift(f *testing.F) {
	f.Add(formattest.SiftOf(0, siftWarmUp()), false)
	f.Add(formattest.SiftOf(siftZlib, siftWarmUp()), true)
	f.Add(formattest.SiftOf(0, []byte{0x13, 1, 2, 3, 4, 5, 6, 7, 8, 0x40, 0}), true)
	f.Fuzz(func(t *testing.T, file []byte, dropIfetch bool) {
		m, _, err := formattest.ImportBytes(Sift{}, file, format.Options{DropIfetch: dropIfetch, PC: true})
		formattest.CheckImported(t, m, err)
	})
}

func BenchmarkImportSift(b *testing.B) {
	var records []byte
	const n = 500_000
	for i := range uint64(n) {
		records = append(records, siftCache(3, siftRead+byte(i%2), 0x401000+i%100, 0x600000+i*8)...)
	}
	formattest.BenchmarkRecords(b, Sift{}, formattest.SiftOf(0, records), n, format.Options{})
}
