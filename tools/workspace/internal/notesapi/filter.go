package notesapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// A condition reports whether a note fits.
type condition func(*fields) bool

// fields are the values of a note by the names that filters and sorting use. They are made when
// they are asked for: a query looks at every note.
type fields struct{ record notestore.Record }

func newFields(r notestore.Record) *fields { return &fields{r} }

// fieldNames are what filters may name, besides properties.NAME.
func fieldNames() []string {
	return []string{"class", "created_at", "id", "links", "path", "revision_id", "tag", "tags", "title", "updated_at"}
}

// value is a field's value; nil if the note has none.
func (f *fields) value(name string) any {
	if property, is := strings.CutPrefix(name, "properties."); is {
		switch v := f.record.Properties[property].(type) {
		case int64:
			return float64(v) // as JSON has it
		default:
			return v
		}
	}
	r := &f.record
	switch name {
	case "id":
		return r.ID
	case "revision_id":
		return r.Revision
	case "title":
		return r.Title
	case "class":
		return r.Class
	case "tags", "tag":
		return anyList(r.Tags)
	case "links":
		return anyList(r.Links)
	case "created_at":
		return r.Created.Format(time.RFC3339Nano)
	case "updated_at":
		return r.Updated.Format(time.RFC3339Nano)
	case "path":
		return r.Path
	}
	return nil
}

func anyList(texts []string) []any {
	list := make([]any, len(texts))
	for i, s := range texts {
		list[i] = s
	}
	return list
}

func checkField(name string) error {
	if property, is := strings.CutPrefix(name, "properties."); is && property != "" || slices.Contains(fieldNames(), name) {
		return nil
	}
	return badRequest("there is no field %q (want properties.%s, or one of %s)", name, strings.TrimPrefix(name, "properties."),
		strings.Join(fieldNames(), ", "))
}

// A filter is the conditions of a query, and what narrows the search for notes that
// fit: the class and texts that their JSON holds.
type filter struct {
	fits     condition
	class    string
	contains []string
}

const maxFilterDepth = 20

func parseFilter(raw json.RawMessage) (f filter, err error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{}")
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return f, badRequest("filter cannot be read: %v", err)
	}
	f.fits, err = f.parseObject(tree, 0, true)
	return f, err
}

// parseObject reads {field: condition, …}, all of which must hold. required means
// that a note which does not fit it does not fit the filter.
func (f *filter) parseObject(tree any, depth int, required bool) (condition, error) {
	object, is := tree.(map[string]any)
	if !is || depth > maxFilterDepth {
		return nil, badRequest("filter must be an object of fields and conditions, at most %d deep", maxFilterDepth)
	}
	var all []condition
	for _, key := range slices.Sorted(maps.Keys(object)) {
		c, err := f.parseEntry(key, object[key], depth+1, required)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return every(all), nil
}

func every(all []condition) condition {
	return func(n *fields) bool { return !slices.ContainsFunc(all, func(c condition) bool { return !c(n) }) }
}

func (f *filter) parseEntry(key string, value any, depth int, required bool) (condition, error) {
	switch key {
	case "$and", "$or":
		return f.parseList(key, value, depth, required && key == "$and")
	case "$not":
		c, err := f.parseObject(value, depth, false)
		if err != nil {
			return nil, err
		}
		return func(n *fields) bool { return !c(n) }, nil
	}
	if err := checkField(key); err != nil {
		return nil, err
	}
	operators, is := value.(map[string]any)
	if !is || !slices.ContainsFunc(slices.Collect(maps.Keys(operators)), func(k string) bool { return strings.HasPrefix(k, "$") }) {
		f.narrow(key, value, required)
		return func(n *fields) bool { return equals(n.value(key), value) }, nil
	}
	var all []condition
	for _, operator := range slices.Sorted(maps.Keys(operators)) {
		c, err := f.parseOperator(key, operator, operators[operator], depth+1, required)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return every(all), nil
}

// parseList reads the filters of $and or $or.
func (f *filter) parseList(key string, value any, depth int, required bool) (condition, error) {
	list, is := value.([]any)
	if !is || len(list) == 0 {
		return nil, badRequest("%s must be a list of filters", key)
	}
	var all []condition
	for _, one := range list {
		c, err := f.parseObject(one, depth, required)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if key == "$and" {
		return every(all), nil
	}
	return func(n *fields) bool { return slices.ContainsFunc(all, func(c condition) bool { return c(n) }) }, nil
}

func (f *filter) parseOperator(key, operator string, want any, depth int, required bool) (condition, error) {
	holds := map[string]func(order int) bool{
		"$gt": func(o int) bool { return o > 0 }, "$gte": func(o int) bool { return o >= 0 },
		"$lt": func(o int) bool { return o < 0 }, "$lte": func(o int) bool { return o <= 0 },
	}
	switch operator {
	case "$eq":
		f.narrow(key, want, required)
		return func(n *fields) bool { return equals(n.value(key), want) }, nil
	case "$ne":
		return func(n *fields) bool { return !equals(n.value(key), want) }, nil
	case "$in":
		list, is := want.([]any)
		if !is {
			return nil, badRequest("%s.$in must be a list of values", key)
		}
		return func(n *fields) bool {
			v := n.value(key)
			return slices.ContainsFunc(list, func(w any) bool { return equals(v, w) })
		}, nil
	case "$not":
		c, err := f.parseEntry(key, want, depth, false)
		if err != nil {
			return nil, err
		}
		return func(n *fields) bool { return !c(n) }, nil
	case "$gt", "$gte", "$lt", "$lte":
		switch want.(type) {
		case string, float64:
		default:
			return nil, badRequest("%s.%s must be a number or text", key, operator)
		}
		return func(n *fields) bool { return compares(n.value(key), want, holds[operator]) }, nil
	}
	return nil, badRequest("there is no operator %q (want $eq, $ne, $gt, $gte, $lt, $lte, $in, $not, and $and, $or, $not over whole filters)",
		operator)
}

// narrow keeps what the notes that fit have in common.
func (f *filter) narrow(key string, want any, required bool) {
	text, is := want.(string)
	if !is || !required || text == "" { // a missing value equals ""
		return
	}
	if key == "class" {
		f.class = text
		return
	}
	property, isProperty := strings.CutPrefix(key, "properties.")
	if !isProperty && key != "tag" && key != "tags" && key != "title" && key != "id" {
		return
	}
	f.contains = append(f.contains, jsonText(text))
	if isProperty {
		f.contains = append(f.contains, jsonText(property)+":")
	}
}

// jsonText is a text as it is kept in records.
func jsonText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("notesapi: marshal text: %v", err)) // it is a string
	}
	return string(b)
}

// equals compares a value with one that is wanted. A list has a value if one of its
// entries is it.
func equals(v, want any) bool {
	if v == nil || want == nil {
		return v == nil && (want == nil || want == "")
	}
	if list, is := v.([]any); is {
		if _, both := want.([]any); both {
			return reflect.DeepEqual(v, want)
		}
		return slices.ContainsFunc(list, func(one any) bool { return equals(one, want) })
	}
	if n, is := v.(int64); is {
		v = float64(n)
	}
	return reflect.DeepEqual(v, want)
}

// compares reports whether a value, or one entry of a list, is in an order to another.
// Numbers are compared with numbers, and texts with texts.
func compares(v, want any, holds func(int) bool) bool {
	if list, is := v.([]any); is {
		return slices.ContainsFunc(list, func(one any) bool { return compares(one, want, holds) })
	}
	order, comparable := compareValues(v, want)
	return comparable && holds(order)
}

// compareValues compares two numbers, two moments or days, or two other texts.
func compareValues(a, b any) (order int, comparable bool) {
	switch a := a.(type) {
	case int64:
		return compareValues(float64(a), b)
	case float64:
		if b, is := b.(float64); is {
			switch {
			case a < b:
				return -1, true
			case a > b:
				return 1, true
			}
			return 0, true
		}
	case string:
		if b, is := b.(string); is {
			at, aIs := parseTime(a)
			bt, bIs := parseTime(b)
			if aIs && bIs {
				return at.Compare(bt), true
			}
			return strings.Compare(a, b), true
		}
	}
	return 0, false
}

func parseTime(s string) (time.Time, bool) {
	if len(s) < len(time.DateOnly) || s[4] != '-' {
		return time.Time{}, false
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
