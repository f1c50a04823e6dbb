package notestore

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Records are read as encoding/json reads them, and those that a database has without it.
func FuzzDecodeRecord(f *testing.F) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC)
	for _, r := range []Record{
		{},
		{ID: "n", Revision: "r", Title: "The title", Class: "Task", Tags: []string{}, Links: []string{}, Canvas: json.RawMessage("null"), Created: at, Updated: at},
		{
			ID: "n", Title: `"<ü>"`, Tags: []string{"a", "ä\n"}, Links: []string{"One", "Two\\"}, Canvas: json.RawMessage("7"), Path: "a/b.md", Created: at,
			Properties: map[string]any{"Date": "2026-11-28", "n": 1.5, "big": 1e300, "list": []any{"a", "b"}, "none": nil, "yes": true, "no": false, "": ""},
		},
	} {
		data, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		d := recordDecoder{rest: string(data), valid: true}
		if d.record(); !d.valid || d.rest != "" {
			f.Errorf("%s is left to encoding/json", data)
		}
	}
	for _, text := range []string{
		`{"id":"a","id":"b"}`, `{}`, `null`, ``, "{\"id\":\"\xff\"}", `{"id":"a\`, `{"id":"a","revision_id":"\ud800","title":"","class":"","tags":null,"properties":{"a":[[1]],"b":{"c":1},"d":01},"links":null,` +
			`"canvas_position":{"x":1},"created_at":"0001-01-01T00:00:00Z","updated_at":"x"}`,
		`{"id":"a","revision_id":"b","title":"c","class":"d","tags":[],"properties":{"a":-0,"a":"` + "\xff" + `"},"links":["a"],"canvas_position":null,"created_at":"2026-01-01T00:00:00+01:00","updated_at":"2026-01-01T00:00:00Z","path":"p"}`,
		`{"id":"a","revision_id":"b","title":"c","class":"d","tags":["a",],"properties":{},"links":["a"],"canvas_position":null,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want Record
		err, wantErr := decodeRecord(data, &got), json.Unmarshal(data, &want)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, encoding/json says %v", data, err, wantErr)
		}
		if diff := cmp.Diff(want, got); err == nil && diff != "" {
			t.Errorf("%q: %s", data, diff)
		}
	})
}

func BenchmarkDecodeRecord(b *testing.B) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC)
	data, err := json.Marshal(Record{
		ID: "n7", Revision: "00000000-0000-4000-8000-000000000000", Title: "Meeting 7", Class: "Meeting", Tags: []string{"t1"}, Links: []string{"n5"}, Created: at, Updated: at,
		Canvas: json.RawMessage("null"), Properties: map[string]any{"Date": "2026-11-28", "Status": "s1"},
	})
	if err != nil {
		b.Fatal(err)
	}
	for name, decode := range map[string]func([]byte, *Record) error{"ours": decodeRecord, "encoding-json": func(data []byte, r *Record) error { return json.Unmarshal(data, r) }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var r Record
				if err := decode(data, &r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
