package store

import (
	"fmt"

	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/trace"
)

// refsFields returns the columns of a refs file.
func refsFields(hasPC bool) []arrowmeta.Field {
	fields := []arrowmeta.Field{
		{Name: "proc", Type: arrowmeta.TInt32},
		{Name: "instr", Type: arrowmeta.TUint32, Meta: []arrowmeta.Pair{{Key: unitKey, Value: "instr"}}},
		{Name: "addr", Type: arrowmeta.TUint64, Meta: []arrowmeta.Pair{{Key: unitKey, Value: "B"}}},
		{Name: "size", Type: arrowmeta.TUint16, Meta: []arrowmeta.Pair{{Key: unitKey, Value: "B"}}},
		{Name: "op", Type: arrowmeta.TUint8, Meta: []arrowmeta.Pair{{Key: enumKey, Value: enumNames(trace.Ops)}}},
	}
	if hasPC {
		fields = append(fields, arrowmeta.Field{Name: "pc", Type: arrowmeta.TUint64})
	}
	return fields
}

// enumNames returns "1=load,2=store,...".
func enumNames[T interface {
	~uint8
	String() string
}](values []T) string {
	var b []byte
	for _, v := range values {
		b = fmt.Appendf(b, ",%d=%s", uint8(v), v.String())
	}
	return string(b[1:])
}

// refsBatch holds references of one processor before they are written.
type refsBatch struct {
	trace.Refs
	procs []int32 // scratch: the proc column
}

// add copies rows i to j of b.
func (r *refsBatch) add(b *trace.Refs, i, j int) {
	r.Instr = append(r.Instr, b.Instr[i:j]...)
	r.Addr = append(r.Addr, b.Addr[i:j]...)
	r.Size = append(r.Size, b.Size[i:j]...)
	r.Op = append(r.Op, b.Op[i:j]...)
	if b.PC != nil {
		r.PC = append(r.PC, b.PC[i:j]...)
	}
}

// encode puts the columns of r into e and returns the number of their rows.
func (r *refsBatch) encode(e *encoder, hasPC bool) int {
	if n := r.Len(); len(r.procs) < n || n > 0 && r.procs[0] != int32(r.Proc) {
		r.procs = fillTo(r.procs, n, int32(r.Proc))
	}
	put(e, r.procs[:r.Len()])
	put(e, r.Instr)
	put(e, r.Addr)
	put(e, r.Size)
	put(e, r.Op)
	if hasPC {
		put(e, r.PC)
	}
	return r.Len()
}

// encodeArchive does the same in the archive profile.
func (r *refsBatch) encodeArchive(e *encoder, hasPC bool) int {
	if e.archive == nil {
		e.archive = new(archiver)
	}
	e.archive.encode(e, r, hasPC)
	return 1
}

func (r *refsBatch) weight() int          { return r.Len() }
func (r *refsBatch) setProc(p trace.Proc) { r.Proc = p }
func (r *refsBatch) reset()               { r.Reset() }
func (r *refsBatch) capacity() int        { return cap(r.Addr) }

// expect makes room for slightly more rows than another batch has.
func (r *refsBatch) expect(o *refsBatch) {
	r.Instr, r.Addr, r.Size = alike(r.Instr, o.Instr), alike(r.Addr, o.Addr), alike(r.Size, o.Size)
	r.Op, r.PC = alike(r.Op, o.Op), alike(r.PC, o.PC)
}

func (r *refsBatch) parts() []batchInfo {
	return []batchInfo{{int32(r.Proc), uint64(r.Len()), sum(r.Instr)}}
}

// join returns false: a batch of references has one processor.
func (r *refsBatch) join(*refsBatch) bool { return false }

func sum(instr []uint32) (n uint64) {
	for _, i := range instr {
		n += uint64(i)
	}
	return n
}
