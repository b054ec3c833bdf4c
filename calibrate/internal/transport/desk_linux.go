package transport

import (
	"errors"
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"spoor/calibrate/internal/marshalling"
	"spoor/calibrate/packing"
)

// desk has the buffers of a side.
type desk struct {
	message []byte // for experiments without layout
	mapped  []byte
	matrix  []int32 // in small pages
	packed  []int32
}

func newDesk() *desk {
	d := &desk{message: make([]byte, largestSize)}
	for i := range d.message {
		d.message[i] = byte(i) // touch it before it is timed
	}
	return d
}

func (d *desk) laid() bool { return d.mapped != nil }

// lay allocates memory for a matrix and a packed block, once.
func (d *desk) lay() (err error) {
	if d.laid() {
		return nil
	}
	d.mapped, err = syscall.Mmap(-1, 0, marshalling.Matrix+marshalling.Packed, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return fmt.Errorf("mapping memory for a matrix: %w", err)
	}
	_ = syscall.Madvise(d.mapped, syscall.MADV_NOHUGEPAGE) // fails on kernels without huge pages
	items := unsafe.Slice((*int32)(unsafe.Pointer(&d.mapped[0])), len(d.mapped)/marshalling.Item)
	for i := 0; i < len(items); i += 1024 { // touch them before they are timed
		items[i] = 1
	}
	d.matrix, d.packed = items[:marshalling.Matrix/marshalling.Item], items[marshalling.Matrix/marshalling.Item:]
	return nil
}

// clear releases the memory.
func (d *desk) clear() error {
	if !d.laid() {
		return nil
	}
	err := syscall.Munmap(d.mapped)
	d.mapped, d.matrix, d.packed = nil, nil, nil
	return err
}

// bytes returns the bytes of items.
func bytes(items []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(items))), len(items)*marshalling.Item)
}

// perform does the part of the other side in an experiment.
func (d *desk) perform(c conn, j *job) error {
	send, receive := c.send, c.receive
	var once func() error
	switch j.task {
	case taskAnswer:
		once = func() error {
			for range j.count {
				if err := receive(d.message[:j.size]); err != nil {
					return err
				}
			}
			return send(d.message[:j.size])
		}
	case taskExchange:
		once = func() error { return errors.Join(send(d.message[:j.size]), receive(d.message[:j.size])) }
	case taskTransfer:
		packed := d.packed[:j.size/marshalling.Item]
		once = func() error {
			err := receive(bytes(packed))
			j.layout.Unpack(d.matrix, packed)
			j.layout.Pack(packed, d.matrix)
			return errors.Join(err, send(bytes(packed)))
		}
	case taskScan:
		carry := d.packed[:j.size/marshalling.Item]
		once = func() error {
			err := receive(bytes(carry))
			j.layout.Scan(d.matrix, carry)
			return errors.Join(err, send(bytes(carry)))
		}
	}
	for range j.repeat {
		if err := once(); err != nil {
			return err
		}
	}
	return nil
}

// side returns the part of the measuring side for a point, and the number of one-way transfers in it.
func (d *desk) side(c conn, p *packing.Point) (once func() error, ways int64, err error) {
	layout := marshalling.LayoutOf(p)
	if p.Rows > 0 {
		if err := marshalling.Check(p); err != nil {
			return nil, 0, err
		}
	}
	packed := d.packed[:min(int(p.Bytes)/marshalling.Item, len(d.packed))]
	switch p.Experiment {
	case packing.Transfer:
		return func() error {
			layout.Pack(packed, d.matrix)
			err := errors.Join(c.send(bytes(packed)), c.receive(bytes(packed)))
			layout.Unpack(d.matrix, packed)
			return err
		}, 2, nil
	case packing.Scan:
		return func() error {
			layout.Scan(d.matrix, packed)
			return errors.Join(c.send(bytes(packed)), c.receive(bytes(packed)))
		}, 2, nil
	case packing.Array:
		statement, err := marshalling.StatementOf(p)
		return func() error {
			statement.Run(d.matrix, layout)
			return nil
		}, 1, err
	}
	message := d.message[:p.Bytes]
	return func() error { return burstOf(c, p, message) }, 1, nil
}

// burstOf performs a round trip of p.Count messages, or an exchange.
func burstOf(c conn, p *packing.Point, message []byte) error {
	for i := range p.Count {
		if i > 0 && p.Delay > 0 {
			pause(time.Duration(float64(p.Delay) * 1e9))
		}
		if err := c.send(message); err != nil {
			return err
		}
	}
	return c.receive(message)
}
