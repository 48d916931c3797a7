package vad

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// The model file is an ONNX ModelProto in protobuf encoding. Only the few
// fields on the way to the weights are read; the numbers are those of
// onnx.proto (package onnx).
const (
	modelGraph      = 7 // ModelProto.graph
	graphNode       = 1 // GraphProto.node
	nodeOutput      = 2 // NodeProto.output
	nodeOpType      = 4 // NodeProto.op_type
	nodeAttribute   = 5 // NodeProto.attribute
	attributeName   = 1 // AttributeProto.name
	attributeTensor = 5 // AttributeProto.t
	attributeGraph  = 6 // AttributeProto.g
	tensorDims      = 1 // TensorProto.dims
	tensorDataType  = 2 // TensorProto.data_type
	tensorRawData   = 9 // TensorProto.raw_data

	dataTypeFloat = 1 // TensorProto.DataType.FLOAT
)

// Protobuf wire types.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

var errEncoding = errors.New("malformed protobuf encoding")

// tensor is a float32 array with its shape, outermost dimension first.
type tensor struct {
	dims []int
	data []float32
}

// branchTensors returns the constant float tensors of the branch of the
// model's top-level If node that is taken when its condition holds, keyed by
// name without the prefix that the exporter put before it.
func branchTensors(onnx []byte) (map[string]tensor, error) {
	graph, err := message(onnx, modelGraph)
	if err != nil {
		return nil, err
	}
	var branch []byte
	err = fields(graph, func(num int, node []byte, _ uint64) error {
		if num != graphNode {
			return nil
		}
		if op, err := message(node, nodeOpType); err != nil || string(op) != "If" {
			return err
		}
		attr, err := attribute(node, "then_branch")
		if err != nil {
			return err
		}
		branch, err = message(attr, attributeGraph)
		return err
	})
	if err != nil {
		return nil, err
	}
	if branch == nil {
		return nil, errors.New("no If node in the graph")
	}

	tensors := make(map[string]tensor)
	err = fields(branch, func(num int, node []byte, _ uint64) error {
		if num != graphNode {
			return nil
		}
		if op, err := message(node, nodeOpType); err != nil || string(op) != "Constant" {
			return err
		}
		output, err := message(node, nodeOutput)
		if err != nil {
			return err
		}
		attr, err := attribute(node, "value")
		if err != nil {
			return err
		}
		value, err := message(attr, attributeTensor)
		if err != nil {
			return err
		}
		t, err := parseTensor(value)
		if err != nil {
			return fmt.Errorf("constant %q: %w", output, err)
		}
		// "If_0_then_branch__Inline_0__encoder.0..." -> "encoder.0..."
		name := string(output)
		if i := strings.LastIndex(name, "__"); i >= 0 {
			name = name[i+2:]
		}
		tensors[name] = t
		return nil
	})
	return tensors, err
}

// parseTensor reads a TensorProto. A tensor of another type than float comes
// back without data.
func parseTensor(b []byte) (tensor, error) {
	var t tensor
	var raw []byte
	var dataType uint64
	err := fields(b, func(num int, value []byte, n uint64) error {
		switch num {
		case tensorDims:
			if value != nil { // packed
				for len(value) > 0 {
					d, size := binary.Uvarint(value)
					if size <= 0 {
						return errEncoding
					}
					t.dims = append(t.dims, int(d))
					value = value[size:]
				}
				return nil
			}
			t.dims = append(t.dims, int(n))
		case tensorDataType:
			dataType = n
		case tensorRawData:
			raw = value
		}
		return nil
	})
	if err != nil || dataType != dataTypeFloat {
		return t, err
	}
	t.data = make([]float32, len(raw)/4)
	for i := range t.data {
		t.data[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return t, nil
}

// attribute returns the AttributeProto called name of a NodeProto, nil if it
// has none.
func attribute(node []byte, name string) ([]byte, error) {
	var found []byte
	err := fields(node, func(num int, attr []byte, _ uint64) error {
		if num != nodeAttribute {
			return nil
		}
		n, err := message(attr, attributeName)
		if err == nil && string(n) == name {
			found = attr
		}
		return err
	})
	return found, err
}

// message returns the last length-delimited field with number want, nil if
// there is none.
func message(b []byte, want int) ([]byte, error) {
	var found []byte
	err := fields(b, func(num int, value []byte, _ uint64) error {
		if num == want {
			found = value
		}
		return nil
	})
	return found, err
}

// fields calls visit for each field of a protobuf message, with value set for
// length-delimited ones and n for all others.
func fields(b []byte, visit func(num int, value []byte, n uint64) error) error {
	for len(b) > 0 {
		tag, size := binary.Uvarint(b)
		if size <= 0 || tag>>3 > math.MaxInt32 {
			return errEncoding
		}
		b = b[size:]
		var value []byte
		var n uint64
		switch tag & 7 {
		case wireVarint:
			if n, size = binary.Uvarint(b); size <= 0 {
				return errEncoding
			}
		case wireBytes:
			length, prefix := binary.Uvarint(b)
			if prefix <= 0 || length > uint64(len(b)-prefix) {
				return errEncoding
			}
			size = prefix + int(length)
			value = b[prefix:size:size]
		case wire32:
			size = 4
		case wire64:
			size = 8
		default:
			return errEncoding
		}
		if size > len(b) {
			return errEncoding
		}
		if err := visit(int(tag>>3), value, n); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}
