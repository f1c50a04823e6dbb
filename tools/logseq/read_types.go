package logseq

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Block is a block as an agent reads it. Content has references resolved;
// Raw is the stored text where it differs.
type Block struct {
	UUID        UUID           `json:"uuid"`
	PageName    string         `json:"page_name"`
	PageUUID    UUID           `json:"page_uuid"`
	Parent      UUID           `json:"parent_uuid,omitempty"`
	Content     string         `json:"content"`
	Raw         string         `json:"raw,omitempty"`
	Properties  map[string]any `json:"properties,omitempty"`
	Tags        []string       `json:"tags,omitempty"`
	Marker      string         `json:"marker,omitempty"`
	Priority    string         `json:"priority,omitempty"`
	Scheduled   any            `json:"scheduled,omitempty"`
	Deadline    any            `json:"deadline,omitempty"`
	HasChildren bool           `json:"has_children,omitempty"`
	Children    Blocks         `json:"children,omitempty"`
}

const blockFields = "uuid, page_name, page_uuid, parent_uuid, content, raw (stored text, if different), properties, tags, marker, priority, scheduled, deadline, has_children, children"

// JSONSchema implements tools.Typed: a block holds blocks, which inference
// does not know, and the words are paid for once a tool.
func (Block) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Description: blockFields}
}

// Blocks are siblings, or what a list answers.
type Blocks []Block

// JSONSchema implements tools.Typed.
func (Blocks) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object", Description: blockFields}}
}

// A Page is a page as an agent reads it, without its blocks.
type Page struct {
	Name       string         `json:"page_name"`
	UUID       UUID           `json:"uuid"`
	Kind       string         `json:"kind"`
	JournalDay string         `json:"journal_day,omitempty"`
	Properties map[string]any `json:"properties,omitempty"`
	Tags       []string       `json:"tags,omitempty"`
	UpdatedAt  int64          `json:"updated_at,omitempty"`
	Recycled   bool           `json:"recycled,omitempty"`
}

const pageFields = "page_name, uuid, kind (page, journal, tag or property), journal_day, properties, tags, updated_at (ms), recycled"

// JSONSchema implements tools.Typed.
func (Page) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Description: pageFields}
}

// Pages are what a list answers.
type Pages []Page

// JSONSchema implements tools.Typed.
func (Pages) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object", Description: pageFields}}
}

// forAgent is p for an agent.
func (p wirePage) forAgent() Page {
	s := Page{Name: p.Name, UUID: p.UUID, Kind: p.Kind, Properties: p.Properties, Tags: p.Tags, UpdatedAt: p.UpdatedAt, Recycled: p.Recycled}
	if s.Kind == "" {
		s.Kind = "page"
	}
	if p.JournalDay != 0 {
		s.JournalDay = formatDay(p.JournalDay)
	}
	return s
}

// forAgent is b for an agent, with depth levels of children; page fills what
// blocks of a tree leave out.
func (b wireBlock) forAgent(page wireRef, depth int) Block {
	if b.Page.Name != "" {
		page.Name = b.Page.Name
	}
	if b.Page.UUID != "" {
		page.UUID = b.Page.UUID
	}
	s := Block{
		UUID: b.UUID, PageName: page.Name, PageUUID: page.UUID, Content: b.Content, Properties: b.Properties, Tags: b.Tags,
		Marker: b.Marker, Priority: b.Priority, Scheduled: rawOrNil(b.Scheduled), Deadline: rawOrNil(b.Deadline), HasChildren: len(b.Children) > 0,
	}
	if b.Raw != b.Content {
		s.Raw = b.Raw
	}
	if b.Parent != page.UUID {
		s.Parent = b.Parent
	}
	if depth > 0 {
		for _, c := range b.Children {
			c.Parent = b.UUID
			s.Children = append(s.Children, c.forAgent(page, depth-1))
		}
	}
	return s
}

// rawOrNil is JSON as it came, or nothing.
func rawOrNil(raw json.RawMessage) any {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

// size is how many bytes the block takes with its children, roughly.
func (b Block) size() int {
	n := len(b.PageName) + len(b.Content) + len(b.Raw) + 180
	for _, t := range b.Tags {
		n += len(t) + 3
	}
	if len(b.Properties) > 0 {
		if j, err := json.Marshal(b.Properties); err == nil {
			n += len(j)
		}
	}
	for _, c := range b.Children {
		n += c.size()
	}
	return n
}

// count is the number of blocks, b and all below it.
func (b wireBlock) count() int {
	n := 1
	for _, c := range b.Children {
		n += c.count()
	}
	return n
}

// contains says whether uuid is b or below it.
func (b wireBlock) contains(uuid UUID) bool {
	return strings.EqualFold(string(b.UUID), string(uuid)) || slices.ContainsFunc(b.Children, func(c wireBlock) bool { return c.contains(uuid) })
}

// hasText tells whether a block's text is content, as stored or as read, with or
// without the lines of properties that a file graph keeps in it.
func (b wireBlock) hasText(content string) bool {
	want := strings.TrimSpace(content)
	for _, have := range []string{b.Raw, b.Content} {
		if strings.TrimSpace(have) == want || withoutProperties(have) == withoutProperties(want) {
			return true
		}
	}
	return false
}

func withoutProperties(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		name, _, ok := strings.Cut(line, ":: ")
		return ok && name != "" && !strings.ContainsAny(name, " \t") || strings.HasSuffix(line, "::")
	})
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// hasProperties says whether every property is there as wanted, or gone if it was
// taken off. Logseq turns values into pages, dates and numbers of its own, so a
// value that is neither what was wanted nor what was there before counts.
func hasProperties(was, have map[string]any, want Properties) bool {
	was, have = foldProperties(was), foldProperties(have)
	for name, value := range want {
		now, there := have[foldProperty(name)]
		former, before := was[foldProperty(name)]
		switch {
		case there == (value == nil):
			return false
		case there && !sameValue(now, value) && before && sameValue(now, former):
			return false
		}
	}
	return true
}

func foldProperties(properties map[string]any) map[string]any {
	m := map[string]any{}
	for name, value := range properties {
		m[foldProperty(name)] = value
	}
	return m
}

// sameValue compares values as they are written.
func sameValue(a, b any) bool { return strings.EqualFold(valueText(a), valueText(b)) }

// foldProperty makes a name as a file graph writes it.
func foldProperty(name string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// size is how many bytes the page takes, roughly.
func (p Page) size() int {
	return Block{PageName: p.Name, Properties: p.Properties, Tags: p.Tags}.size()
}

// sameProperties says whether nothing was changed.
func sameProperties(a, b map[string]any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && (len(a)+len(b) == 0 || string(x) == string(y))
}
