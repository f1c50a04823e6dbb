package cardapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// queryError is for a query that cannot be carried out.
func queryError(field, format string, args ...any) error {
	e := invalid(field, format, args...)
	e.code = "query_error"
	return e
}

// filters are the keys of a query and what they mean.
var filters = map[string]func(*cardstore.Search, json.RawMessage) error{
	"name":     nameFilter,
	"type":     func(f *cardstore.Search, raw json.RawMessage) error { return texts("type", raw, "in", &f.Types) },
	"prefix":   func(f *cardstore.Search, raw json.RawMessage) error { return text("prefix", raw, &f.Prefix) },
	"not_name": func(f *cardstore.Search, raw json.RawMessage) error { return text("not_name", raw, &f.NotName) },
	"tag":      func(f *cardstore.Search, raw json.RawMessage) error { return text("tag", raw, &f.Tag) },
	"content":  contentFilter,
	"updated_at": func(f *cardstore.Search, raw json.RawMessage) error {
		return between("updated_at", raw, &f.UpdatedSince, &f.UpdatedBefore)
	},
	"updated_since": func(f *cardstore.Search, raw json.RawMessage) error {
		return since("updated_since", raw, &f.UpdatedSince)
	},
	"updated_before": func(f *cardstore.Search, raw json.RawMessage) error {
		return since("updated_before", raw, &f.UpdatedBefore)
	},
	"created_at": func(f *cardstore.Search, raw json.RawMessage) error {
		return between("created_at", raw, &f.CreatedSince, &f.CreatedBefore)
	},
}

// nameFilter reads a text that a simple name contains, or ["match", text] for whole
// names.
func nameFilter(f *cardstore.Search, raw json.RawMessage) error {
	if err := texts("name", raw, "match", &f.Names); err != nil {
		return err
	}
	f.SimpleNames = raw[0] == '"'
	return nil
}

func contentFilter(f *cardstore.Search, raw json.RawMessage) error {
	var words []string
	if err := texts("content", raw, "match", &words); err != nil {
		return err
	}
	if len(words) != 1 {
		return invalid("content", "content is one text")
	}
	f.Words, f.In = words[0], "content"
	return nil
}

func text(name string, raw json.RawMessage, into *string) error {
	if json.Unmarshal(raw, into) != nil || *into == "" {
		return invalid("query."+name, "%s must be text", name)
	}
	return nil
}

// texts reads "x", or ["match", "x"], or ["in", "x", "y"].
func texts(name string, raw json.RawMessage, operator string, into *[]string) error {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		*into = []string{one}
		return nil
	}
	var all []string
	if json.Unmarshal(raw, &all) != nil || len(all) < 2 || all[0] != operator {
		return invalid("query."+name, `%s must be text or ["%s", text]`, name, operator)
	}
	*into = all[1:]
	return nil
}

// since reads a date.
func since(name string, raw json.RawMessage, into *time.Time) (err error) {
	var date string
	if err := text(name, raw, &date); err != nil {
		return err
	}
	*into, err = moment("query."+name, date)
	return err
}

// between reads [">=", date], ["<", date] and ["between", date, date].
func between(name string, raw json.RawMessage, since, before *time.Time) error {
	var all []string
	if json.Unmarshal(raw, &all) != nil || len(all) < 2 || len(all) > 3 {
		return invalid("query."+name, `%s must be [">=", date], ["<", date] or ["between", date, date]`, name)
	}
	at, err := moment("query."+name, all[1])
	if err != nil {
		return err
	}
	switch operator := all[0]; {
	case (operator == ">=" || operator == ">") && len(all) == 2:
		*since = at
	case (operator == "<" || operator == "<=") && len(all) == 2:
		*before = at
	case operator == "between" && len(all) == 3:
		*since = at
		*before, err = moment("query."+name, all[2])
	default:
		err = invalid("query."+name, "unknown comparison %q", operator)
	}
	return err
}

// namedQueries are queries for what is asked often: the name, and the filters that a
// caller adds to.
var namedQueries = map[string]map[string]json.RawMessage{
	"recent_changes": {},
	"pointers":       {"type": json.RawMessage(`["in", "Pointer", "List"]`)},
	"files":          {"type": json.RawMessage(`["in", "File", "Image"]`)},
	"types":          {"type": json.RawMessage(`"Cardtype"`)},
}

func runQuery(r *request) (answer, error) {
	var in struct {
		Query    map[string]json.RawMessage `json:"query"`
		Template string                     `json:"template"`
		Limit    *int                       `json:"limit"`
		Offset   *int                       `json:"offset"`
		Sort     string                     `json:"sort"`
		Dir      string                     `json:"dir"`
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	f := cardstore.Search{WithVirtual: true, Limit: usualList, Sort: in.Sort, Descending: in.Dir == "desc"}
	query, err := readQuery(&f, in.Template, in.Query)
	if err != nil {
		return answer{}, err
	}
	if !slices.Contains([]string{"", "name", "created", "updated"}, f.Sort) {
		return answer{}, queryError("sort", "sort must be name, created or updated")
	}
	if in.Limit != nil {
		if *in.Limit < 1 {
			return answer{}, invalid("limit", "limit must be a number of at least 1")
		}
		f.Limit = min(*in.Limit, mostList)
	}
	if in.Offset != nil {
		if *in.Offset < 0 {
			return answer{}, invalid("offset", "offset must be a number of at least 0")
		}
		f.Offset = *in.Offset
	}
	cards, total, err := r.store.Search(r.Context(), r.by(), f)
	if err != nil {
		return answer{}, err
	}
	list := listOf(cards, summary)
	return answer{status: http.StatusOK, value: map[string]any{
		"items": list, "results": list, "total": total, "limit": f.Limit, "offset": f.Offset, "next_offset": next(f.Offset, len(cards), total),
		"query": query,
	}}, nil
}

// readQuery reads the filters of a query, and of its template before them.
func readQuery(f *cardstore.Search, template string, given map[string]json.RawMessage) (query map[string]json.RawMessage, err error) {
	query = maps.Clone(given)
	if template != "" {
		named, known := namedQueries[template]
		if !known {
			return nil, invalid("template", "Unknown template %q; there are %v", template, slices.Sorted(maps.Keys(namedQueries)))
		}
		query = maps.Clone(named)
		maps.Copy(query, given)
		if template == "recent_changes" && f.Sort == "" {
			f.Sort, f.Descending = "updated", true
		}
	}
	if len(query) == 0 && template == "" {
		return nil, invalid("query", "Missing query")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		read, known := filters[name]
		if !known {
			return nil, unknownMember("query", name, slices.Sorted(maps.Keys(filters)))
		}
		if err := read(f, query[name]); err != nil {
			return nil, err
		}
	}
	return query, nil
}
