package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// object is a JSON object under decoding. Its methods return a member in its Go
// type and keep the first fault; a member that is absent or null is the zero
// value. Names match exactly, unlike with encoding/json's own struct decoding.
type object struct {
	path    string
	members map[string]json.RawMessage
	err     *Error
}

func parseObject(b []byte) (*object, error) {
	if at := invalidUTF8(b); at >= 0 {
		return nil, fault(ErrMalformed, at, "", "not UTF-8")
	}
	o := &object{}
	err := json.Unmarshal(b, &o.members)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, fault(ErrMalformed, int(syntax.Offset), "", "broken JSON: %v", syntax)
	case err != nil || o.members == nil:
		return nil, fault(ErrMalformed, 0, "", "a control message is a JSON object")
	}
	return o, nil
}

func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	at := 0
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	return at
}

func (o *object) name(member string) string {
	if o.path == "" {
		return member
	}
	return o.path + "." + member
}

// fail keeps the first fault.
func (o *object) fail(err *Error) {
	if o.err == nil {
		o.err = err
	}
}

func (o *object) has(member string) bool {
	raw, ok := o.members[member]
	return ok && string(raw) != "null"
}

// require faults when one of the members is absent or null.
func (o *object) require(members ...string) {
	for _, m := range members {
		if !o.has(m) {
			o.fail(fault(ErrMalformed, -1, o.name(m), "missing"))
		}
	}
}

// value decodes a member into v; want names the expected type in the fault.
func (o *object) value(member string, v any, want string) {
	if !o.has(member) {
		return
	}
	if err := json.Unmarshal(o.members[member], v); err != nil {
		o.fail(fault(ErrMalformed, -1, o.name(member), "%s, want %s", quote(string(o.members[member])), want))
	}
}

func (o *object) str(member string) (s string) {
	o.value(member, &s, "a string")
	return s
}

func (o *object) flag(member string) (b bool) {
	o.value(member, &b, "true or false")
	return b
}

// count decodes an integer of 0 to 2^32-1.
func (o *object) count(member string) (n uint32) {
	o.value(member, &n, "an integer of 0 to 4294967295")
	return n
}

// optional decodes an integer that may be absent.
func (o *object) optional(member string) *uint32 {
	if !o.has(member) {
		return nil
	}
	n := o.count(member)
	return &n
}

// raw returns a member as it stands; nil when absent or null.
func (o *object) raw(member string) json.RawMessage {
	if !o.has(member) {
		return nil
	}
	return o.members[member]
}

// object decodes a member object; its faults are those of the parent. An absent
// one has no members.
func (o *object) object(member string, decode func(*object)) {
	inner := &object{path: o.name(member)}
	o.value(member, &inner.members, "an object")
	decode(inner)
	if inner.err != nil {
		o.fail(inner.err)
	}
}

// list decodes an array of objects.
func (o *object) list(member string, decode func(*object)) {
	var items []map[string]json.RawMessage
	o.value(member, &items, "an array of objects")
	for i, members := range items {
		item := &object{path: fmt.Sprintf("%s[%d]", o.name(member), i), members: members}
		decode(item)
		if item.err != nil {
			o.fail(item.err)
			return
		}
	}
}
