package bridge

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// What is taken is exactly one of request, notification and answer, as JSON
// says it; encoding/json is the second opinion.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","method":"m","params":{}}`, `{"method":"m"}`, `{"id":"a","result":null}`, `{"id":"a","error":{"code":"X"}}`,
		`{"id":"a","error":null,"result":1}`, `{"id":"a","id":"b","result":1}`, `{"ID":"a","result":1}`, `[1]`, `"{:\\\":"`, `{"a\"":{"b":[1,{"c":2}]},"id":"x","result":"}"}`,
		strings.Repeat(`[`, 100), "{\"id\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := parseFrame(text, 8)
		if err != nil {
			return
		}
		var again map[string]any
		if json.Unmarshal(text, &again) != nil || !utf8.Valid(text) {
			t.Fatalf("took %q", text)
		}
		asks, answers := got.method != "", got.result != nil || got.failure != nil
		if asks && got.failure != nil || !asks && (!answers || got.id == "") {
			t.Errorf("%q became %+v", text, got)
		}
		if deep, members := measureJSON(text); deep > 8 || members != len(again) {
			t.Errorf("%q: %d deep, %d members of %d", text, deep, members, len(again))
		}
	})
}

// A latency that only wavers is not news; one that a person would notice is.
func TestPaceChanges(t *testing.T) {
	for _, c := range []struct {
		before, now time.Duration
		news        bool
	}{
		{0, time.Millisecond, true},
		{time.Millisecond, 5 * time.Millisecond, false},
		{time.Millisecond, 7 * time.Millisecond, true},
		{40 * time.Millisecond, 59 * time.Millisecond, false},
		{40 * time.Millisecond, 61 * time.Millisecond, true},
		{40 * time.Millisecond, 19 * time.Millisecond, true},
	} {
		k := &conn{metrics: connMetrics{latency: c.before}}
		want := c.before
		if c.news {
			want = c.now
		}
		if got := k.recordLatency(c.now); got != c.news || k.metrics.latency != want {
			t.Errorf("from %s to %s: news %t, shown %s", c.before, c.now, got, k.metrics.latency)
		}
	}
}
