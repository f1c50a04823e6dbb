package logs

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
)

// Limits of one line, so that no caller can flood the log with one call.
const (
	maxText  = 16 << 10 // bytes of message and attributes
	maxValue = 8 << 10  // bytes of one attribute
)

// usualLine is how many bytes the attributes of most lines take.
const usualLine = 512

// A handler is a slog.Handler with the attributes and groups it was given so
// far, already rendered.
type handler struct {
	log       *Log
	level     slog.Leveler
	component string
	prefix    string // of keys, from groups: "request."
	text      string
	attrs     string
}

func (s handler) Enabled(_ context.Context, level slog.Level) bool { return level >= s.level.Level() }

func (s handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	b := s.builder()
	for _, a := range attrs {
		b.add(s.prefix, a)
	}
	s.component, s.text, s.attrs = b.component, b.text.String(), string(b.attrs)
	return s
}

func (s handler) WithGroup(name string) slog.Handler {
	if name != "" {
		s.prefix += name + "."
	}
	return s
}

func (s handler) Handle(_ context.Context, r slog.Record) error {
	s.log.write(s.line(r))
	return nil
}

// line renders r.
func (s handler) line(r slog.Record) line {
	b := s.builder()
	r.Attrs(func(a slog.Attr) bool {
		b.add(s.prefix, a)
		return true
	})
	at := r.Time
	if at.IsZero() {
		at = s.log.now()
	}
	msg := s.log.sanitize(r.Message)
	text := strings.ReplaceAll(msg, "\n", "␊") + b.text.String()
	return line{time: at, level: r.Level, component: b.component, msg: msg, text: truncate(text, maxText), attrs: b.attrs}
}

func (s handler) builder() *attrBuilder {
	b := &attrBuilder{log: s.log, component: s.component, attrs: append(make([]byte, 0, usualLine), s.attrs...)}
	b.text.Grow(usualLine)
	b.text.WriteString(s.text)
	return b
}

// An attrBuilder renders attributes twice: for people and as JSON.
type attrBuilder struct {
	log       *Log
	component string
	text      strings.Builder // ` key=value` for each
	attrs     []byte          // `,"key":value` for each
}

func (b *attrBuilder) add(prefix string, a slog.Attr) {
	v := a.Value.Resolve()
	switch {
	case a.Equal(slog.Attr{}):
		return
	case v.Kind() == slog.KindGroup && namesSecret(a.Key):
		v = slog.StringValue(redacted)
	case v.Kind() == slog.KindGroup:
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, inner := range v.Group() {
			b.add(prefix, inner)
		}
		return
	}
	if prefix == "" && a.Key == "component" {
		b.component = b.log.sanitize(v.String())
		return
	}
	key := b.log.sanitize(prefix + a.Key)
	if namesSecret(a.Key) {
		v = slog.StringValue(redacted)
	}
	value, literal := b.render(v)
	b.text.WriteByte(' ')
	b.text.WriteString(key)
	b.text.WriteByte('=')
	b.text.WriteString(quote(value))
	b.attrs = append(b.attrs, ',')
	b.attrs = appendJSON(b.attrs, key)
	b.attrs = append(b.attrs, ':')
	if literal {
		b.attrs = append(b.attrs, value...)
	} else {
		b.attrs = appendJSON(b.attrs, value)
	}
}

// render returns v as safe text, and whether that is a JSON literal.
func (b *attrBuilder) render(v slog.Value) (text string, literal bool) {
	switch v.Kind() {
	case slog.KindInt64, slog.KindUint64, slog.KindBool:
		return v.String(), true
	case slog.KindAny:
		return b.log.sanitize(anyText(v.Any())), false
	case slog.KindTime:
		return v.Time().Format(timeFormat), false
	default:
		return b.log.sanitize(v.String()), false
	}
}

// anyText never uses fmt's verbs on a struct, because they print unexported
// fields and so secrets too.
func anyText(v any) (text string) {
	defer func() {
		if p := recover(); p != nil { // a nil pointer with a method, mostly
			text = fmt.Sprintf("!PANIC %T", v)
		}
	}()
	switch v := v.(type) {
	case nil:
		return "null"
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	j, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("!ERROR %T: %v", v, err)
	}
	return string(j)
}

// sanitize redacts, escapes and truncates s, in this order: a secret must be
// found while it is whole.
func (l *Log) sanitize(s string) string {
	if len(s) > 2*maxText {
		s = s[:2*maxText] // far more than is kept; the rest need not be searched
	}
	return truncate(l.escape(redact(s)), maxValue)
}

// truncate shortens s to at most n bytes and a note of what is missing.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	kept := strings.ToValidUTF8(s[:n], "") // s is valid: it was escaped
	return fmt.Sprintf("%s… (cut, %d bytes more)", kept, len(s)-len(kept))
}

// quote puts s in quotes if key=value would be ambiguous without them.
func quote(s string) string {
	if s == "" || strings.ContainsAny(s, " =\"\n\t") {
		return strconv.Quote(s)
	}
	return s
}

// appendJSON appends s as a JSON string. Angle brackets stay as they are.
func appendJSON(b []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return append(b, `""`...) // impossible: every string has a JSON form
	}
	return append(b, strings.TrimSuffix(out.String(), "\n")...)
}

// isPlain reports whether s is printable ASCII without quotes and backslashes: it
// needs no escapes, in JSON and elsewhere.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
