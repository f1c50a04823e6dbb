package statustest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// passedOn are the queries that the Client under test passes on to the Fake.
func passedOn(own []string) []status.QueryInfo {
	return slices.DeleteFunc(status.Queries(), func(q status.QueryInfo) bool { return slices.Contains(own, q.Name) })
}

func checkQueries(t *testing.T, f *Fake, c status.Client, own []string) {
	for _, q := range passedOn(own) {
		input, want := sample(q.In), []json.RawMessage{sample(q.Out)}
		if q.Stream {
			for range 40 {
				want = append(want, sample(q.Out))
			}
		}
		f.setAnswers(q.Name, want...)
		ch, err := c.Query(soon(t), status.Request{Query: q.Name, Input: input})
		if err != nil {
			t.Errorf("%s: %v", q.Name, err)
			continue
		}
		got := []json.RawMessage{}
		for _, r := range closes(t, ch) {
			if r.Err != nil {
				t.Errorf("%s: %v", q.Name, r.Err)
			}
			got = append(got, r.Value)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("answers to %s (-want +got):\n%s", q.Name, diff)
		}
		requests := f.Requests()
		if diff := cmp.Diff(status.Request{Query: q.Name, Input: input}, requests[len(requests)-1]); diff != "" {
			t.Errorf("request %s (-want +got):\n%s", q.Name, diff)
		}
	}
}

func checkQueryErrors(t *testing.T, f *Fake, c status.Client, own []string) {
	refused := &status.CallError{Code: "conflict", Msg: "it was edited", Hint: "Read it again.", Data: json.RawMessage(`{"etag":"x"}`)}
	failed := errors.New("the hub is being replaced & comes back (Grüße)")
	for _, q := range passedOn(own) {
		r := status.Request{Query: q.Name, Input: sample(q.In)}
		f.SetErr(refused)
		_, err := c.Query(soon(t), r)
		if got, ok := errors.AsType[*status.CallError](err); !ok || !cmp.Equal(got, refused) {
			t.Errorf("%s is refused with %v, want %v", q.Name, err, refused)
		}
		f.SetErr(failed)
		if _, err := c.Query(soon(t), r); err == nil || !strings.HasSuffix(err.Error(), failed.Error()) {
			t.Errorf("%s fails with %v, want %v", q.Name, err, failed)
		}
	}
	f.SetErr(nil)
	if _, err := c.Query(soon(t), status.Request{Query: "weather", Input: json.RawMessage("{}")}); err == nil ||
		!strings.Contains(err.Error(), `"weather"`) {
		t.Errorf("an unknown query: %v", err)
	}
}

// checkLargest sends what an agent may send at most, and what grows most on the
// way back.
func checkLargest(t *testing.T, f *Fake, c status.Client, _ []string) {
	SetAnswer(f, status.RunToolQuery, json.RawMessage(`{"b":1,"a":"<&>"}`))
	args := json.RawMessage(`{"text":"` + strings.Repeat("x", 4<<20-20) + `"}`)
	got, err := status.Ask(soon(t), c, status.RunToolQuery, status.ToolCall{Source: "notes", Tool: "write_page", Args: args})
	var value struct{ A string }
	if err != nil || json.Unmarshal(got, &value) != nil || value.A != "<&>" {
		t.Errorf("a tool with %d bytes of arguments: %s, %v", len(args), got, err)
	}
	want := status.PageText{Text: strings.Repeat("\x01", status.MaxPageBytes), MIME: "text/plain", Size: status.MaxPageBytes}
	SetAnswer(f, status.PageQuery, want)
	page, err := status.Ask(soon(t), c, status.PageQuery, status.PageRef{Source: "notes", Name: "long"})
	if err != nil || page != want {
		t.Errorf("a page of %d bytes: %d, %v", len(want.Text), len(page.Text), err)
	}
}

// sample is the JSON of a value of v's type with every field set.
func sample(v any) json.RawMessage {
	out := reflect.New(reflect.TypeOf(v)).Elem()
	fill(out, new(int))
	return mustMarshal(out.Interface())
}

// sampleOf is a T with every field set.
func sampleOf[T any]() (v T) {
	fill(reflect.ValueOf(&v).Elem(), new(int))
	return v
}

func fill(v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, *n, 6000, time.UTC)))
		return
	case json.RawMessage:
		v.SetBytes(fmt.Appendf(nil, `{"b":%d,"a":"x"}`, *n))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("Grüße <&> \x1b[2J\u202e %d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			ofItsOwn := f.Type.Kind() == reflect.Slice && f.Type.Elem() == v.Type()
			if f.Name != "Follow" && !ofItsOwn { // the answers are to end, and so is what holds others of its kind
				fill(v.Field(i), n)
			}
		}
	default:
		panic("statustest: a query has a field of kind " + v.Kind().String() + "; teach fill about it")
	}
}
