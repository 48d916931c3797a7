package operator

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// eventReader reads server-sent events, as the HTML standard has it under
// "Server-sent events": as much of it as the operators' API uses.
type eventReader struct {
	lines *bufio.Scanner
	id    string
}

// event is one event. data is nil for one that only moves the id on.
type event struct {
	id   string
	data []byte
}

// maxEventLine bounds a line of a stream and the data of an event, in bytes: twice
// a line of the log.
const maxEventLine = 2 << 20

var errTooLong = fmt.Errorf("operator: an event is longer than %d bytes", maxEventLine)

func newEventReader(r io.Reader) *eventReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxEventLine)
	return &eventReader{lines: lines}
}

// next returns the next event, io.EOF at the end. An event that the end cuts off
// is not returned.
func (r *eventReader) next() (event, error) {
	var data []byte
	for r.lines.Scan() {
		line := r.lines.Bytes()
		if len(line) == 0 {
			return event{r.id, data}, nil
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "id":
			r.id = string(value)
		case "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
			if data == nil {
				data = []byte{}
			}
			if len(data) > maxEventLine {
				return event{}, errTooLong
			}
		}
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return event{}, errTooLong
	case err != nil:
		return event{}, fmt.Errorf("operator: the connection was lost: %w", err)
	}
	return event{}, io.EOF
}
