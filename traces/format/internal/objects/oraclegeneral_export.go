package objects

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"spoor/traces/format/internal/export"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// Export writes the loads and stores of one processor. Each block that a reference
// touches is a request for the object of that number.
//
// A record contains the number of the next request for its object, which comes later.
// Therefore records are written to a temporary file and changed when their next request
// comes.
func (f OracleGeneral) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	block, err := newObjects(nil, format.Options{Set: o.Set}, f)
	if err != nil {
		return nil, err
	}
	rate, err := strconv.ParseFloat(o.Setting(f, "rate"), 64)
	if err != nil || !(rate > 0) || math.IsInf(rate, 0) {
		return nil, format.BadSetting("rate=%s: give a number of instructions over 0", o.Setting(f, "rate"))
	}
	proc, err := export.OneProc(src, o, "oracleGeneral")
	if err != nil {
		return nil, err
	}
	later, err := newEditableFile()
	if err != nil {
		return nil, err
	}
	defer later.close()
	e := oracleExport{Objects: block, rate: rate, out: later, latest: map[uint64]int64{}}
	if err := e.run(src, proc); err != nil {
		return nil, err
	}
	if err := e.lost.CountEvents(src, []trace.Proc{proc}); err != nil {
		return nil, err
	}
	return append(e.lost.Notes("oracleGeneral"), e.notes()...), later.copyTo(w)
}

type oracleExport struct {
	Objects
	rate   float64 // instructions per second
	out    *editableFile
	latest map[uint64]int64 // the latest request for each object
	lost   export.Losses
	stores uint64
	other  uint64 // references other than one whole block
}

func (e *oracleExport) run(src trace.Source, proc trace.Proc) error {
	c, err := export.NewCursor(src, proc)
	defer c.Stop()
	for ; err == nil && c.Refs != nil; err = c.Advance() {
		addr, size, op := c.Refs.Addr[c.At], c.Refs.Size[c.At], c.Refs.Op[c.At]
		if !op.Data() {
			e.lost.Drop(op)
			continue
		}
		if op == trace.Store {
			e.stores++
		}
		if addr%e.block != 0 || uint64(size) != e.block {
			e.other++
		}
		seconds := float64(c.Pos) / e.rate
		if seconds > math.MaxUint32 {
			return fmt.Errorf("reference %d is at second %.0f, which exceeds 32 bits; make seconds longer with --set rate=", c.Row, seconds)
		}
		for id := addr >> e.shift; id <= (addr+uint64(size)-1)>>e.shift; id++ {
			if err := e.request(uint32(seconds), id); err != nil {
				return err
			}
		}
	}
	return err
}

func (e *oracleExport) request(now uint32, id uint64) error {
	never := int64(oracleNever)
	var r [oracleRecord]byte
	binary.LittleEndian.PutUint32(r[:], now)
	binary.LittleEndian.PutUint64(r[4:], id)
	binary.LittleEndian.PutUint32(r[12:], uint32(e.block))
	binary.LittleEndian.PutUint64(r[16:], uint64(never))
	n := e.out.size / oracleRecord
	if before, again := e.latest[id]; again {
		var next [8]byte
		binary.LittleEndian.PutUint64(next[:], uint64(n+1))
		if err := e.out.patch(before*oracleRecord+16, next[:]); err != nil {
			return err
		}
	}
	e.latest[id] = n
	return e.out.append(r[:])
}

func (e *oracleExport) notes() (all []string) {
	if e.stores > 0 {
		all = append(all, fmt.Sprintf("oracleGeneral has no operations: %d stores are requests like loads", e.stores))
	}
	if e.other > 0 {
		all = append(all, fmt.Sprintf("every request is for a block of %d bytes: %d references have another range", e.block, e.other))
	}
	return all
}

// editableFile is a growing file whose written bytes can be changed. Its latest part is in
// memory, where most changes are.
type editableFile struct {
	file *os.File
	tail []byte // bytes from size-len(tail) on
	size int64
}

const patchworkTail = 16 << 20

func newEditableFile() (*editableFile, error) {
	f, err := os.CreateTemp("", "spoor-*")
	if err != nil {
		return nil, err
	}
	return &editableFile{file: f}, os.Remove(f.Name()) // removed now, so that it disappears when it is closed
}

func (p *editableFile) append(b []byte) error {
	if len(p.tail) >= 2*patchworkTail {
		if _, err := p.file.WriteAt(p.tail[:patchworkTail], p.size-int64(len(p.tail))); err != nil {
			return err
		}
		p.tail = p.tail[:copy(p.tail, p.tail[patchworkTail:])]
	}
	p.tail = append(p.tail, b...)
	p.size += int64(len(b))
	return nil
}

// patch changes the bytes at an offset. They may span the start of the tail.
func (p *editableFile) patch(at int64, b []byte) error {
	start := p.size - int64(len(p.tail))
	if at >= start {
		copy(p.tail[at-start:], b)
		return nil
	}
	inFile := b[:min(int64(len(b)), start-at)]
	copy(p.tail, b[len(inFile):])
	_, err := p.file.WriteAt(inFile, at)
	return err
}

func (p *editableFile) copyTo(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	_, err := io.Copy(out, io.NewSectionReader(p.file, 0, p.size-int64(len(p.tail))))
	_, err2 := out.Write(p.tail)
	return errors.Join(err, err2, out.Flush())
}

func (p *editableFile) close() { p.file.Close() }
