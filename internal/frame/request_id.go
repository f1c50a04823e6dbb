package frame

import (
	"bytes"
	"encoding/json"
	"regexp"
	"sync"
)

// A TooLongError is the [ErrTooLong] of one frame.
type TooLongError struct {
	// ID is the id of the request that the frame was, as it stands there; nil: it was
	// none, or its id is not near the beginning or the end.
	ID json.RawMessage
}

// Error implements error.
func (*TooLongError) Error() string { return ErrTooLong.Error() }

// Is makes errors.Is find [ErrTooLong].
func (*TooLongError) Is(target error) bool { return target == ErrTooLong }

// requestID finds the id of a request in its beginning, or else in its end: clients
// write it before what is long, or last of all. A frame whose beginning has no method
// is a response, and its id is one of ours.
func requestID(begin, end []byte) json.RawMessage {
	id, request := readBegin(begin)
	if !request || id != nil {
		return id
	}
	if m := idAtEnd().FindSubmatch(end); m != nil && json.Valid(m[1]) {
		return bytes.Clone(m[1])
	}
	return nil
}

// readBegin reads the members of an object until one is not whole.
func readBegin(begin []byte) (id json.RawMessage, request bool) {
	d := json.NewDecoder(bytes.NewReader(begin))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for id == nil || !request {
		key, err := d.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			break
		}
		switch key {
		case "id":
			id = asID(value)
		case "method":
			request = true
		}
	}
	if !request {
		return nil, false
	}
	return id, true
}

// asID is value if a request may have it as its id.
func asID(value json.RawMessage) json.RawMessage {
	if len(value) > 0 && (value[0] == '"' || value[0] == '-' || '0' <= value[0] && value[0] <= '9') {
		return value
	}
	return nil
}

// idAtEnd matches an object whose last member is an id, or the version after it. An
// object within it would end in two braces.
var idAtEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[,{]\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
})
