package logseq

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Block is a block as an agent reads it. References in Content are resolved;
// Raw is the stored text if it differs.
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
	Files       []string       `json:"files,omitempty"`
	HasChildren bool           `json:"has_children,omitempty"`
	Children    Blocks         `json:"children,omitempty"`
}

const blockFields = "uuid, page_name, page_uuid, parent_uuid, content, raw (stored text, if different), properties, tags, marker, " +
	"priority, scheduled, deadline, files (that it shows), has_children, children"

// JSONSchema implements tools.SchemaProvider. Inference cannot handle a block
// that contains blocks, and one description is cheaper than twelve.
func (Block) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Description: blockFields}
}

// Blocks is a list of blocks.
type Blocks []Block

// JSONSchema implements tools.SchemaProvider.
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

// JSONSchema implements tools.SchemaProvider.
func (Page) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Description: pageFields}
}

// Pages is a list of pages.
type Pages []Page

// JSONSchema implements tools.SchemaProvider.
func (Pages) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object", Description: pageFields}}
}

// forAgent converts p for an agent.
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

// forAgent converts b for an agent, with depth levels of children. page has
// what the blocks of a tree leave out.
func (b wireBlock) forAgent(page wireRef, depth int) Block {
	if b.Page.Name != "" {
		page.Name = b.Page.Name
	}
	if b.Page.UUID != "" {
		page.UUID = b.Page.UUID
	}
	s := Block{
		UUID: b.UUID, PageName: page.Name, PageUUID: page.UUID, Content: b.Content, Properties: b.Properties, Tags: b.Tags,
		Marker: b.Marker, Priority: b.Priority, Scheduled: rawOrNil(b.Scheduled), Deadline: rawOrNil(b.Deadline),
		Files: assetPaths(b.Files), HasChildren: len(b.Children) > 0,
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

// rawOrNil returns raw JSON, or nil if it is null or empty.
func rawOrNil(raw json.RawMessage) any {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

// size is roughly the number of bytes in the block with its children.
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

// count returns the number of blocks in the tree of b.
func (b wireBlock) count() int {
	n := 1
	for _, c := range b.Children {
		n += c.count()
	}
	return n
}

// contains reports whether uuid is b or below it.
func (b wireBlock) contains(uuid UUID) bool {
	return strings.EqualFold(string(b.UUID), string(uuid)) || slices.ContainsFunc(b.Children, func(c wireBlock) bool {
		return c.contains(uuid)
	})
}

// hasText reports whether a block has this text, as stored or as read, with or
// without the property lines of a file graph.
func (b wireBlock) hasText(content string) bool {
	want := strings.TrimSpace(content)
	if b.isTask() {
		want = strings.TrimSpace(b.withoutTaskMarkup(want))
	}
	raw, read := strings.TrimSpace(b.Raw), strings.TrimSpace(b.Content)
	return sameText(want, raw, read) || sameText(withoutProperties(want), withoutProperties(raw), withoutProperties(read))
}

// sameText reports whether a text is one that is stored as raw and read as
// read: each of its references may be spelled as in either.
func sameText(want, raw, read string) bool {
	if folded := foldReferences(want); folded == foldReferences(raw) || folded == foldReferences(read) {
		return true
	}
	wantText, wantRefs := splitReferences(want)
	rawText, rawRefs := splitReferences(raw)
	readText, readRefs := splitReferences(read)
	if !slices.Equal(wantText, readText) || !slices.Equal(readText, rawText) {
		return false
	}
	for i, ref := range wantRefs {
		if ref != rawRefs[i] && ref != readRefs[i] {
			return false
		}
	}
	return true
}

var referenceOrTag = regexp.MustCompile(`#?\[\[[^\]\n]+\]\]|#[^\s#\[\]]+`)

// splitReferences returns the texts between the tags and links of a text, and these
// in one spelling. A DB graph stores #tag as #[[tag]], and names pages in their own letter case.
func splitReferences(text string) (between, references []string) {
	at := 0
	for _, m := range referenceOrTag.FindAllStringIndex(text, -1) {
		ref := text[m[0]:m[1]]
		end := m[1]
		if tag, ok := strings.CutPrefix(ref, "#[["); ok {
			ref = "#" + strings.TrimSuffix(tag, "]]")
		} else if ref[0] == '#' {
			ref = strings.TrimRight(ref, ",.;:!?)")
			end = m[0] + len(ref)
		}
		between, references, at = append(between, text[at:m[0]]), append(references, strings.ToLower(ref)), end
	}
	return append(between, text[at:]), references
}

// foldReferences spells the tags and links of a text in one way.
func foldReferences(text string) string {
	between, references := splitReferences(text)
	var folded strings.Builder
	for i, ref := range references {
		folded.WriteString(between[i] + ref)
	}
	return folded.String() + between[len(references)]
}

func withoutProperties(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		name, _, ok := strings.Cut(line, ":: ")
		return ok && name != "" && !strings.ContainsAny(name, " \t") || strings.HasSuffix(line, "::")
	})
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func foldProperties(properties map[string]any) map[string]any {
	m := map[string]any{}
	for name, value := range properties {
		m[foldProperty(name)] = value
	}
	return m
}

// foldProperty returns a property name as a file graph writes it.
func foldProperty(name string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// size is roughly the number of bytes in the page.
func (p Page) size() int {
	return Block{PageName: p.Name, Properties: p.Properties, Tags: p.Tags}.size()
}

// sameProperties reports whether two sets of properties are equal.
func sameProperties(a, b map[string]any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && (len(a)+len(b) == 0 || string(x) == string(y))
}
