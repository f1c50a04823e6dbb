package logseq_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/logseq"
)

// A fakePeer is a Logseq in memory with one of two personalities, as much of one
// as its plugin lets a Peer see.
type fakePeer struct {
	mu        sync.Mutex
	kind      string // db or file
	session   string
	gone      bool
	lacks     map[string]bool // capabilities
	pages     []*fakePage
	listeners map[int]func(string, json.RawMessage)
	calls     []string
	fault     func(method string) fault // nil: none
	made      int                       // pages
	meddled   []string                  // pages that a person edited in the recycle bin
	answered  []string                  // requests
	bare      bool                      // the call at hand wants references unnamed
	spelling  spelling
	typed     func(any) any // what becomes of a value of a page's property; nil: it stays
}

// A fault is what goes wrong with one call.
type fault int

const (
	fine      fault = iota
	refuse          // Logseq throws
	null            // answers null and does nothing
	late            // the answer does not come, the change lands
	never           // the answer does not come, nothing lands
	lostLate        // the connection is lost, the change lands
	lostNever       // the connection is lost, nothing lands
	notThere        // the peer says NOT_FOUND
	unsent          // another graph was opened before the call was sent
	half            // Logseq throws when the change has landed
	astray          // the change lands, and the blocks of every page are in the opposite order
)

type fakePage struct {
	UUID       string         `json:"uuid"`
	Name       string         `json:"name"`
	Kind       string         `json:"kind"`
	Day        int            `json:"journal_day,omitempty"`
	Properties map[string]any `json:"properties"`
	Tags       []string       `json:"tags"`
	Recycled   bool           `json:"recycled"`
	blocks     []*fakeBlock
}

type fakeBlock struct {
	UUID       string         `json:"uuid"`
	Page       map[string]any `json:"page"`
	Parent     any            `json:"parent"`
	Content    string         `json:"content"`
	Raw        string         `json:"raw"`
	Properties map[string]any `json:"properties"`
	Tags       []string       `json:"tags"`
	Marker     string         `json:"marker,omitempty"`
	Priority   string         `json:"priority,omitempty"`
	Scheduled  any            `json:"scheduled,omitempty"`
	Deadline   any            `json:"deadline,omitempty"`
	Files      []string       `json:"files,omitempty"`
	Children   []*fakeBlock   `json:"children,omitempty"`

	read  string          // the text that links are of
	links map[string]bool // names of pages that it refers to, not only says
}

func id(n int) string { return fmt.Sprintf("6540a1b2-0000-4000-8000-%012d", n) }

// fixtureGraph is what the examples in the declarations were written for.
func fixtureGraph(kind string) *fakePeer {
	block := func(n int, content string, children ...*fakeBlock) *fakeBlock {
		return &fakeBlock{UUID: id(n), Content: content, Properties: map[string]any{}, Tags: []string{}, Children: children}
	}
	task := block(3, "Buy string")
	task.Marker = "TODO"
	return &fakePeer{
		kind: kind, session: "s1", lacks: map[string]bool{}, listeners: map[int]func(string, json.RawMessage){},
		pages: []*fakePage{
			{UUID: id(101), Name: "Garden", Kind: "page", Properties: map[string]any{"area": 10.0}, Tags: []string{"Home"}, blocks: []*fakeBlock{
				block(2, "Beds", block(1, "Plant tomatoes beside [[Kitchen]]"), block(4, "Weed")), task,
			}},
			{UUID: id(102), Name: "Compost", Kind: "page", Properties: map[string]any{}, Tags: []string{}, blocks: []*fakeBlock{block(5, "Turn it")}},
			{UUID: id(103), Name: "Kitchen", Kind: "page", Properties: map[string]any{}, Tags: []string{}},
			{UUID: id(104), Name: "Mar 1st, 2026", Kind: "journal", Day: 20260301, Properties: map[string]any{}, Tags: []string{}, blocks: []*fakeBlock{block(6, "Snow")}},
		},
	}
}

func (f *fakePeer) digest() string { return f.digestOf(func(*fakePage) bool { return true }) }

// inUse is the digest without the recycle bin.
func (f *fakePeer) inUse() string { return f.digestOf(func(p *fakePage) bool { return !p.Recycled }) }

func (f *fakePeer) digestOf(which func(*fakePage) bool) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []any
	pages := slices.SortedFunc(slices.Values(f.pages), func(a, b *fakePage) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range pages {
		if !which(p) {
			continue
		}
		on := *p
		if f.kind == "file" {
			on.UUID = "" // not in the file
		}
		all = append(all, on, append([]*fakeBlock{}, p.blocks...))
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Hello implements tools.Peer.
func (f *fakePeer) Hello() json.RawMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone {
		return nil
	}
	capabilities := []string{}
	for _, c := range logseq.Capabilities() {
		if !f.lacks[c.Key] && c.Row(f.kind) != "not there" {
			capabilities = append(capabilities, c.Key)
		}
	}
	version := map[string]string{"db": "2.0.1", "file": "0.10.15"}[f.kind]
	return encode(map[string]any{
		"logseq_version": version, "plugin_version": "1.0.0", "sdk_version": "0.2.12", "skill_version": "1.0.0", "session": f.session,
		"api_capabilities": capabilities, "graph": map[string]any{"name": "garden", "kind": f.kind},
	})
}

// Listen implements tools.Peer.
func (f *fakePeer) Listen(heard func(string, json.RawMessage)) func() {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.listeners)
	f.listeners[n] = heard
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.listeners[n] = func(string, json.RawMessage) {}
	}
}

func (f *fakePeer) notify(method string, params any) {
	f.mu.Lock()
	heard := f.listeners[0]
	f.mu.Unlock()
	heard(method, encode(params))
}

// Call implements tools.Peer.
func (f *fakePeer) Call(ctx context.Context, method string, in, out any, again bool) error {
	if ctx.Err() != nil {
		return &tools.Error{Code: tools.Timeout, Message: "the call took longer than its deadline", Cause: ctx.Err()}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone {
		return tools.Errorf(tools.Unavailable, "no peer is connected")
	}
	f.calls = append(f.calls, method)
	wrong := fine
	if f.fault != nil {
		wrong = f.fault(method)
	}
	var answer any
	var err error
	switch wrong {
	case refuse:
		return &tools.Error{Code: tools.Internal, SpecCode: "INTERNAL", Message: "Invalid page uuid\n\x1b[2J"}
	case notThere:
		return &tools.Error{Code: tools.Internal, SpecCode: "NOT_FOUND", Message: "no such thing"}
	case unsent:
		return tools.Errorf(tools.Unavailable, "the connection ended: another graph was opened")
	case null, never, lostNever:
	default:
		asked := params(in)
		f.bare = asked["bare"] == true
		f.bind()
		answer, err = f.run(method, asked)
		f.bind()
	}
	if wrong == astray {
		for _, p := range f.pages {
			reverseBlocks(p.blocks)
		}
	}
	switch wrong {
	case half:
		return &tools.Error{Code: tools.Internal, SpecCode: "INTERNAL", Message: "no more", Data: map[string]any{"logseq": "no more"}}
	case late, never:
		e := &tools.Error{Code: tools.Timeout, SpecCode: "TIMEOUT", Message: "[deferred timeout] async call #7"}
		if !again {
			e.Cause = tools.ErrOutcomeUnknown{} // as the hub says it
		}
		return e
	case lostLate, lostNever:
		return &tools.Error{Code: tools.Unavailable, Message: "the connection was lost", Cause: tools.ErrOutcomeUnknown{}}
	default:
	}
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(encode(answer), out)
}

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func params(in any) map[string]any {
	m := map[string]any{}
	if err := json.Unmarshal(encode(in), &m); err != nil {
		panic(err)
	}
	return m
}

func fakeError(word, format string, args ...any) error {
	return &tools.Error{Code: tools.Internal, SpecCode: word, Message: fmt.Sprintf(format, args...)}
}

// page is one by name or uuid, besides those with a uuid in besides; as in the plugin,
// what looks like a uuid is none of a page's name.
func (f *fakePeer) page(name any, besides ...any) (*fakePage, error) {
	for _, p := range f.pages {
		if strings.Contains(fmt.Sprint(besides...), p.UUID) {
			continue
		}
		if p.UUID == name || !looksLikeUUID(fmt.Sprint(name)) && strings.EqualFold(p.Name, fmt.Sprint(name)) {
			return p, nil
		}
	}
	return nil, fakeError("NOT_FOUND", "no page")
}

func reverseBlocks(blocks []*fakeBlock) {
	slices.Reverse(blocks)
	for _, b := range blocks {
		reverseBlocks(b.Children)
	}
}

func looksLikeUUID(name string) bool { return len(name) == 36 && strings.Count(name, "-") == 4 }

// named is text with the names of what it refers to, unless the call is bare.
func (f *fakePeer) named(text string) string {
	if f.bare {
		return text
	}
	for _, p := range f.pages {
		text = strings.ReplaceAll(text, "[["+p.UUID+"]]", "[["+p.Name+"]]")
	}
	for _, s := range f.positions() {
		text = strings.ReplaceAll(text, "(("+s.block().UUID+"))", s.block().Content)
	}
	return text
}

// bind finds what blocks refer to when their text is new. As in Logseq, a link
// whose page has gone is only text, though a page comes to that name again.
func (f *fakePeer) bind() {
	for _, s := range f.positions() {
		b := s.block()
		if b.read == b.Content {
			continue
		}
		b.read, b.links = b.Content, map[string]bool{}
		for _, p := range f.pages {
			if strings.Contains(b.Content, "[["+p.Name+"]]") {
				b.links[p.Name] = true
			}
		}
	}
}

// tags are uuids on a DB graph when the call is bare.
func (f *fakePeer) tags(names []string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		if p, err := f.page(name); err == nil && f.bare && f.kind == "db" {
			out[i] = "[[" + p.UUID + "]]"
		}
	}
	return out
}

// forAnswer is a page as the plugin answers it.
func (f *fakePeer) forAnswer(p *fakePage) *fakePage {
	out := *p
	out.Tags = f.tags(p.Tags)
	return &out
}

// A blockPosition is where a block is.
type blockPosition struct {
	fake   *fakePeer
	page   *fakePage
	parent *fakeBlock // nil: on top
	list   *[]*fakeBlock
	at     int
}

func (s blockPosition) block() *fakeBlock { return (*s.list)[s.at] }

func (f *fakePeer) block(uuid any) (blockPosition, error) {
	for _, p := range f.pages {
		if p.Recycled {
			continue // as the plugin has it
		}
		if s, ok := look(f, p, nil, &p.blocks, uuid); ok {
			return s, nil
		}
	}
	return blockPosition{}, fakeError("NOT_FOUND", "no block")
}

func look(f *fakePeer, p *fakePage, parent *fakeBlock, list *[]*fakeBlock, uuid any) (blockPosition, bool) {
	for i, b := range *list {
		if b.UUID == uuid {
			return blockPosition{f, p, parent, list, i}, true
		}
		if s, ok := look(f, p, b, &b.Children, uuid); ok {
			return s, true
		}
	}
	return blockPosition{}, false
}

// shown is a block with depth levels below it; -1 means all.
func (s blockPosition) shown(depth int) *fakeBlock {
	b := *s.block()
	b.Page = map[string]any{"uuid": s.page.UUID, "name": s.page.Name}
	if s.parent != nil {
		b.Parent = s.parent.UUID
	}
	b.Raw, b.Files = b.Content, b.filesShown()
	b.Content = s.fake.named(b.Content)
	b.Tags = s.fake.tags(b.Tags)
	children := b.Children
	b.Children = nil
	for i := range children {
		if depth != 0 {
			b.Children = append(b.Children, blockPosition{s.fake, s.page, s.block(), &children, i}.shown(depth-1))
		}
	}
	return &b
}

func (f *fakePeer) all(keep func(*fakeBlock) bool) []*fakeBlock {
	found := []*fakeBlock{}
	for _, s := range f.positions() {
		if keep(s.block()) && !s.page.Recycled {
			found = append(found, s.shown(0))
		}
	}
	return found
}

// positions are the places of all blocks.
func (f *fakePeer) positions() []blockPosition {
	var all []blockPosition
	var walk func(p *fakePage, parent *fakeBlock, list *[]*fakeBlock)
	walk = func(p *fakePage, parent *fakeBlock, list *[]*fakeBlock) {
		for i, b := range *list {
			all = append(all, blockPosition{f, p, parent, list, i})
			walk(p, b, &b.Children)
		}
	}
	for _, p := range f.pages {
		walk(p, nil, &p.blocks)
	}
	return all
}

func listBatch[T any](list []T, in map[string]any) []T {
	offset, limit := int(dayNumber(in["offset"], 0)), int(dayNumber(in["limit"], 1e6))
	from := min(offset, len(list))
	return slices.Clone(list[from:min(from+limit, len(list))])
}

func dayNumber(v any, otherwise float64) float64 {
	if n, ok := v.(float64); ok {
		return n
	}
	return otherwise
}
