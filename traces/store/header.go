package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/trace"
)

// Keys of the metadata of schemas and fields.
const (
	kindKey       = "spoor.kind"
	versionKey    = "spoor.version"
	unitKey       = "spoor.unit"
	enumKey       = "spoor.enum"
	profileKey    = "spoor.profile"    // absent: plain columns
	unrecordedKey = "spoor.unrecorded" // absent: nothing is missing
	reserved      = "spoor."           // prefix of all keys of Spoor
)

// version is the version of the file layout that this package writes. It reads versionOfParts, too: that of footers with entries for the
// processors of a batch, which earlier versions of Spoor take for rows of one processor.
const (
	version        = "1"
	versionOfParts = "2"
)

// known reports whether this package reads a version of the layout.
func known(v string) bool { return v == version || v == versionOfParts }

const archiveProfile = "archive"

// The kinds of file; any other kind is the name of a table.
const (
	kindRefs   = "refs"
	kindEvents = "events"
)

// headerPairs returns h as metadata of a trace file.
func headerPairs(kind string, h trace.Header) []arrowmeta.Pair {
	args := make([][2]string, len(h.Args))
	for i, a := range h.Args {
		args[i] = [2]string{a.Key, a.Value}
	}
	pairs := []arrowmeta.Pair{
		{Key: kindKey, Value: kind}, {Key: versionKey, Value: version},
		{Key: "spoor.program", Value: toUTF8(h.Program)}, {Key: "spoor.format", Value: toUTF8(h.Format)},
		{Key: "spoor.args", Value: jsonText(args)},
		{Key: "spoor.procs", Value: strconv.Itoa(h.Procs)}, {Key: "spoor.seed", Value: strconv.FormatUint(h.Seed, 10)},
		{Key: "spoor.rule", Value: toUTF8(h.Rule)}, {Key: "spoor.work_unit", Value: toUTF8(string(h.WorkUnit))},
		{Key: "spoor.inputs", Value: jsonText(nonNil(h.Inputs))}, {Key: "spoor.tool", Value: toUTF8(h.Tool)},
		{Key: "spoor.notes", Value: jsonText(nonNil(h.Notes))},
		{Key: "spoor.regions", Value: jsonText(regionsJSON(h.Regions))},
	}
	if h.Unrecorded != (trace.Unrecorded{}) {
		pairs = append(pairs, arrowmeta.Pair{Key: unrecordedKey, Value: jsonText(h.Unrecorded)})
	}
	return pairs
}

// toUTF8 returns s as UTF-8, which Arrow requires. The name of a traced command may have
// other bytes.
func toUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// jsonText returns v, which consists of texts, finite numbers and slices, in readable JSON.
func jsonText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // such values always have a JSON form
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// parseHeader returns the header in the metadata of a trace file.
func parseHeader(s *arrowmeta.Schema) (trace.Header, error) {
	r := pairReader{s: s}
	h := trace.Header{
		Program: r.text("program"), Format: r.text("format"), Rule: r.text("rule"),
		WorkUnit: trace.WorkUnit(r.text("work_unit")), Tool: r.text("tool"),
		Procs: int(r.number("procs", maxProcs)), Seed: r.number("seed", 1<<64-1),
	}
	var args [][2]string
	r.json("args", &args)
	r.json("inputs", &h.Inputs)
	r.json("notes", &h.Notes)
	for _, a := range args {
		h.Args = append(h.Args, trace.Arg{Key: a[0], Value: a[1]})
	}
	if _, ok := s.Lookup("spoor.regions"); ok { // old files have no regions
		h.Regions = r.regions()
	}
	if _, ok := s.Lookup(unrecordedKey); ok { // only traces that lack something have it
		r.json("unrecorded", &h.Unrecorded)
		if !h.Unrecorded.Valid() && r.err == nil {
			r.err = fmt.Errorf("its metadata has shares in %s that are not from 0 to 1", unrecordedKey)
		}
	}
	if len(h.Inputs) == 0 {
		h.Inputs = nil
	}
	if len(h.Notes) == 0 {
		h.Notes = nil
	}
	return h, r.err
}

// pairReader reads metadata and stores the first error.
type pairReader struct {
	s   *arrowmeta.Schema
	err error
}

func (r *pairReader) text(name string) string {
	v, ok := r.s.Lookup(reserved + name)
	if !ok && r.err == nil {
		r.err = fmt.Errorf("its metadata has no %s%s", reserved, name)
	}
	return v
}

func (r *pairReader) number(name string, limit uint64) uint64 {
	text := r.text(name)
	v, err := strconv.ParseUint(text, 10, 64)
	if (err != nil || v > limit) && r.err == nil {
		r.err = fmt.Errorf("its metadata has %s%s = %q", reserved, name, text)
	}
	return v
}

func (r *pairReader) json(name string, v any) {
	text := r.text(name)
	if r.err != nil {
		return
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		r.err = fmt.Errorf("its metadata has a malformed %s%s: %v", reserved, name, err)
	}
}

// traceFields returns the columns of a trace file of the given kind and header.
func traceFields(kind string, archive bool, h trace.Header) []arrowmeta.Field {
	switch {
	case kind == kindEvents:
		return eventsFields(h.HasTime, h.WorkUnit)
	case archive:
		return archiveFields(h.HasPC)
	}
	return refsFields(h.HasPC)
}

// traceSchema returns the schema of a trace file. A refs file may be in the archive profile.
func traceSchema(kind string, archive bool, h trace.Header) *arrowmeta.Schema {
	s := &arrowmeta.Schema{Fields: traceFields(kind, archive, h), Meta: headerPairs(kind, h)}
	if archive {
		s.Meta = append(s.Meta, arrowmeta.Pair{Key: profileKey, Value: archiveProfile})
	}
	return s
}

// isArchive reports whether s is the schema of a file in the archive profile.
func isArchive(s *arrowmeta.Schema) bool {
	profile, _ := s.Lookup(profileKey)
	return profile == archiveProfile
}

// parseTraceSchema returns the kind and header of a trace file with schema s.
func parseTraceSchema(s *arrowmeta.Schema) (kind string, h trace.Header, err error) {
	kind, _ = s.Lookup(kindKey)
	if kind != kindRefs && kind != kindEvents {
		return kind, h, fmt.Errorf("it is a %s table, %w", kind, ErrIsTable)
	}
	if profile, ok := s.Lookup(profileKey); ok && (kind != kindRefs || profile != archiveProfile) {
		return kind, h, fmt.Errorf("it is %s in the profile %q, which this version of Spoor does not read; use a newer one", kind, profile)
	}
	if h, err = parseHeader(s); err != nil {
		return kind, h, err
	}
	for _, f := range s.Fields {
		h.HasPC = h.HasPC || (kind == kindRefs && f.Name == "pc")
		h.HasTime = h.HasTime || (kind == kindEvents && f.Name == "time")
	}
	if !arrowmeta.SameFields(s.Fields, traceFields(kind, isArchive(s), h)) {
		return kind, h, fmt.Errorf("its columns are not those of a %s file", kind)
	}
	return kind, h, nil
}
