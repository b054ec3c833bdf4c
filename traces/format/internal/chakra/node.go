package chakra

import (
	"fmt"
	"math"
	"spoor/traces/internal/input"

	"google.golang.org/protobuf/encoding/protowire"
)

// The types of nodes [Chakra's et_def.proto, NodeType].
const (
	chakraInvalid = iota
	chakraMetadata
	chakraMemLoad
	chakraMemStore
	ChakraComp
	chakraSend
	chakraRecv
	chakraColl
)

var chakraTypes = []string{"INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"}

// chakraNode holds the used fields of a node. An absent attribute has the zero value,
// as in protocol buffers.
type chakraNode struct {
	id       uint64
	offset   int64 // of the length of its message
	kind     uint64
	micros   uint64   // duration
	data     []uint64 // ids of dependencies
	ctrl     []uint64
	needs    []int32 // indices in the file of the dependencies that count
	size     uint64  // comm_size, or tensor_size
	src, dst uint64
	tag      uint64
	coll     uint64 // comm_type
	isColl   bool   // comm_type is present
	cpu      bool
	group    string // pg_name
}

// read decodes a message; problem says why it is not a node.
func (n *chakraNode) read(message []byte) (problem string) {
	for len(message) > 0 {
		f, rest, problem := input.NextField(message)
		if problem != "" {
			return problem
		}
		message = rest
		switch f.Number {
		case 1:
			n.id, problem = varintOf(f)
		case 3:
			n.kind, problem = varintOf(f)
		case 4:
			n.ctrl, problem = idsOf(f, n.ctrl)
		case 5:
			n.data, problem = idsOf(f, n.data)
		case 7:
			n.micros, problem = varintOf(f)
		case 10:
			if f.Kind != protowire.BytesType {
				return input.BadField(f, protowire.BytesType)
			}
			problem = n.attribute(f.Bytes)
		}
		if problem != "" {
			return problem
		}
	}
	return ""
}

func varintOf(f input.Field) (uint64, string) {
	if f.Kind != protowire.VarintType {
		return 0, input.BadField(f, protowire.VarintType)
	}
	return f.Value, ""
}

// idsOf appends dependencies to ids: a single id, or a packed list.
func idsOf(f input.Field, ids []uint64) (all []uint64, problem string) {
	if f.Kind == protowire.VarintType {
		return append(ids, f.Value), ""
	}
	if f.Kind != protowire.BytesType {
		return ids, input.BadField(f, protowire.BytesType)
	}
	for b := f.Bytes; len(b) > 0; {
		id, size := protowire.ConsumeVarint(b)
		if size < 0 {
			return ids, fmt.Sprintf("the list in field %d is truncated", f.Number)
		}
		ids, b = append(ids, id), b[size:]
	}
	return ids, ""
}

// attribute reads a named value of any type, because producers use different types for
// the same name.
func (n *chakraNode) attribute(message []byte) (problem string) {
	var name, text string
	var value uint64
	for len(message) > 0 {
		f, rest, problem := input.NextField(message)
		if problem != "" {
			return "attribute: " + problem
		}
		message = rest
		switch {
		case f.Number == 1:
			name = string(f.Bytes)
		case f.Number == 29:
			text = string(f.Bytes)
		case f.Number >= 7 && f.Number <= 27 && f.Number%2 == 1:
			value = f.Value
			if f.Number == 15 || f.Number == 17 {
				value = uint64(protowire.DecodeZigZag(f.Value))
			}
		}
	}
	n.set(name, value, text)
	return ""
}

func (n *chakraNode) set(name string, value uint64, text string) {
	switch name {
	case "is_cpu_op":
		n.cpu = value != 0
	case "comm_type":
		n.coll, n.isColl = value, true
	case "comm_size":
		n.size = value
	case "tensor_size":
		if n.size == 0 {
			n.size = value
		}
	case "comm_src":
		n.src = value
	case "comm_dst":
		n.dst = value
	case "comm_tag":
		n.tag = value
	case "pg_name":
		n.group = text
	}
}

// check reports a problem if no event can represent the node.
func (n *chakraNode) check(ranks int) (problem string) {
	peer := n.dst
	if n.kind == chakraRecv {
		peer = n.src
	}
	switch {
	case n.kind == chakraInvalid:
		return "its type is INVALID_NODE"
	case n.kind > chakraColl:
		return fmt.Sprintf("unknown type %d", n.kind)
	case n.micros > math.MaxInt64/1_000_000:
		return fmt.Sprintf("its duration of %d us is too long", n.micros)
	case n.size > math.MaxInt64:
		return fmt.Sprintf("its size of %d bytes is too large", n.size)
	case n.kind != chakraSend && n.kind != chakraRecv:
		return ""
	case peer >= uint64(ranks):
		return fmt.Sprintf("its peer is rank %d, but there are files of %d ranks", int64(peer), ranks)
	case n.tag > math.MaxInt32:
		return fmt.Sprintf("its tag %d is out of range", int64(n.tag))
	}
	return ""
}
