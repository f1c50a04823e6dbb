package orgfile

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// A Property is one key of a property drawer or of "#+PROPERTY:".
type Property struct{ Key, Value string }

// updateProperties sets key to value in props; a key that ends in "+" appends.
func updateProperties(props []Property, key, value string) []Property {
	base, extend := strings.CutSuffix(key, "+")
	for i, p := range props {
		if !strings.EqualFold(p.Key, base) {
			continue
		}
		if extend {
			value = p.Value + " " + value
		}
		props[i].Value = value
		return props
	}
	return append(props, Property{base, value})
}

// A PropertyLine is one line of a property drawer.
type PropertyLine struct {
	Line  Span // without its line break
	Key   string
	Value string
}

// PropertyLines returns the lines of a property drawer as they stand. It is
// empty for a span that is none.
func (f *File) PropertyLines(drawer Span) []PropertyLine {
	if drawer.Empty() {
		return nil
	}
	var out []PropertyLine
	_, at := lineAt(f.Source, int(drawer.Start), f.CRLF)
	for at < int(drawer.End) {
		end, next := lineAt(f.Source, at, f.CRLF)
		line := trimBlanks(f.Source[at:end])
		if n := propertyKey(line, f.Settings.Quirks); n > 0 && next <= int(drawer.End) {
			out = append(out, PropertyLine{Span{int32(at), int32(end)}, string(line[1 : n-1]), string(trimBlanks(line[n:]))})
		}
		at = next
	}
	return out
}

// Properties returns the properties of headline i by upper case key, in the
// order of the drawer, each key once; lines of "KEY+" are appended to KEY. With i
// == -1 they are those of the file's own drawer.
func (f *File) Properties(i int) []Property {
	base := map[string]int{}
	var out []Property
	var extra []Property
	for _, line := range f.PropertyLines(f.drawer(i)) {
		key := strings.ToUpper(line.Key)
		name, extend := strings.CutSuffix(key, "+")
		if extend && name != "" {
			extra = append(extra, Property{name, line.Value})
			if _, ok := base[name]; !ok {
				base[name] = -1 - len(out)
				out = append(out, Property{Key: name})
			}
			continue
		}
		switch at, ok := base[key]; {
		case !ok:
			base[key] = len(out)
			out = append(out, Property{key, line.Value})
		case at < 0:
			base[key] = -1 - at
			out[-1-at].Value = line.Value
		}
	}
	for _, e := range extra {
		p := &out[slices.IndexFunc(out, func(p Property) bool { return p.Key == e.Key })]
		if p.Value != "" {
			p.Value += " "
		}
		p.Value += e.Value
	}
	return out
}

func (f *File) drawer(i int) Span {
	if i < 0 {
		return f.Drawer
	}
	return f.Headlines[i].Drawer
}

// Property returns the value of key in headline i's own drawer, or in the file's
// for i == -1. ok is false if it has none.
func (f *File) Property(i int, key string) (value string, ok bool) {
	value, _, ok = f.propertyParts(i, key)
	return value, ok
}

// propertyParts returns a property's value, and whether a line without "+" set
// it.
func (f *File) propertyParts(i int, key string) (value string, base, ok bool) {
	d := f.drawer(i)
	if d.Empty() || !containsFold(f.Source[d.Start:d.End], key) {
		return "", false, false
	}
	var extra []string
	for _, line := range f.PropertyLines(d) {
		name, extend := strings.CutSuffix(line.Key, "+")
		switch {
		case strings.EqualFold(line.Key, key):
			if !base {
				value, base = line.Value, true
			}
		case extend && strings.EqualFold(name, key):
			extra = append(extra, line.Value)
		}
	}
	if !base && len(extra) == 0 {
		return "", false, false
	}
	if base && value != "" {
		extra = slices.Insert(extra, 0, value)
	}
	return strings.Join(extra, " "), base, true
}

// containsFold says whether text contains word, whatever the case of ASCII
// letters. It may say so wrongly for others.
func containsFold(text []byte, word string) bool {
	if word == "" {
		return true
	}
	for i := 0; i+len(word) <= len(text); i++ {
		if bytes.EqualFold(text[i:i+len(word)], []byte(word)) {
			return true
		}
	}
	for _, c := range []byte(word) {
		if c >= 0x80 {
			return true
		}
	}
	return false
}

// InheritedProperty returns the value of key as headline i takes it over: from
// the nearest entry that sets it, with what entries below it append, then from
// the file's own drawer, "#+PROPERTY:" and "#+CATEGORY:".
func (f *File) InheritedProperty(i int, key string) (value string, ok bool) {
	var parts []string
	for at := i; ; at = int(f.Headlines[at].Parent) {
		v, base, found := f.propertyParts(at, key)
		if found {
			parts, ok = append(parts, v), true
		}
		if base {
			return joinBackwards(parts), true
		}
		if at < 0 {
			break
		}
	}
	for _, p := range f.Settings.Properties {
		if strings.EqualFold(p.Key, key) {
			parts, ok = append(parts, p.Value), true
		}
	}
	return joinBackwards(parts), ok
}

func joinBackwards(parts []string) string {
	slices.Reverse(parts)
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}

// SelectiveProperty returns headline i's own value of key, or the inherited one
// if properties of that name are inherited.
func (f *File) SelectiveProperty(i int, key string) (value string, ok bool) {
	switch strings.ToUpper(key) {
	case "CATEGORY", "ARCHIVE", "COLUMNS", "LOGGING":
		return f.InheritedProperty(i, key)
	}
	if f.Settings.PropertyInheritance.Includes(key) {
		return f.InheritedProperty(i, key)
	}
	return f.Property(i, key)
}

// Category returns the category of headline i: its or an ancestor's property,
// "#+CATEGORY:", or the file's base name.
func (f *File) Category(i int) string {
	if v, ok := f.InheritedProperty(i, "CATEGORY"); ok && v != "" {
		return v
	}
	if f.Path == "" {
		return "???"
	}
	name := filepath.Base(f.Path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}
