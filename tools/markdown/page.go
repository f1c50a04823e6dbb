package markdown

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// A page is a parsed file.
type page struct {
	file      string
	text      string // with LF line endings; only the beginning if only that was read
	body      int    // offset of the text after the front matter
	data      []byte
	utf8      bool
	front     frontmatter.Fields // the front matter
	fields    frontmatter.Fields // with the properties of Logseq
	yamlError error              // error in the front matter, if any
	toml      bool               // the front matter is TOML, which is only read
	graph     *logseqfile.Graph
}

// read reads a whole page; file must be a file of the vault.
func (n *Notebook) read(file string) (*page, error) {
	data, err := n.view.Read(file)
	if err != nil {
		return nil, n.toolError(file, err)
	}
	return parsePage(n.graph, file, data), nil
}

// head reads the beginning of a page, which holds its front matter. A page that
// cannot be read is empty.
func (n *Notebook) head(file string) *page {
	data, err := n.view.ReadHead(file, frontmatter.MaxBytes+16)
	if err != nil {
		data = nil
	}
	return parsePage(n.graph, file, data)
}

// parsePage parses a page; graph is nil unless it is of a Logseq graph.
func parsePage(graph *logseqfile.Graph, file string, data []byte) *page {
	p := &page{file: file, data: data, graph: graph}
	p.text, p.utf8 = folder.Text(data)
	block, body, yaml := frontmatter.Split(p.text)
	p.body, p.toml = body, !yaml && body > 0
	if p.toml {
		p.front, p.yamlError = frontmatter.ParseTOML(p.text[:body])
	} else {
		p.front, p.yamlError = frontmatter.Parse(block)
	}
	if p.fields = p.front; graph != nil {
		p.fields = withProperties(p.front, logseqfile.Properties(p.text, p.body))
	}
	return p
}

// lines are the lines after the front matter.
func (p *page) lines() []structure.Line {
	if p.graph != nil {
		return structure.GraphLines(p.text, p.body)
	}
	return structure.Lines(p.text, p.body)
}

// structure is the lines and blocks after the front matter.
func (p *page) structure() structure.Page {
	if p.graph != nil {
		return structure.ReadGraph(p.text, p.body)
	}
	return structure.Read(p.text, p.body)
}

// frontNote says what is wrong with the front matter, before other notes.
func (p *page) frontNote() (note string) {
	if p.yamlError != nil {
		return p.yamlError.Error() + ", so frontmatter is empty. "
	}
	for _, key := range slices.Sorted(maps.Keys(p.front.Repeated)) {
		note += fmt.Sprintf("The front matter has %.80q on lines %s, and shows only the first. ", key, joinLines(p.front.Repeated[key]))
	}
	return note
}

// frontText is what words find in the front matter, besides the title and the tags: the
// values of its keys, or all of it if it cannot be read.
func (p *page) frontText() string {
	if p.yamlError != nil {
		return p.text[:p.body]
	}
	var b strings.Builder
	for _, v := range p.front.Properties() {
		if !isTitleOrTags(v.Top) {
			b.WriteString(v.Value + "\n")
		}
	}
	return b.String()
}

// isTitleOrTags reports whether words look for a key elsewhere than in the text.
func isTitleOrTags(key string) bool { return key == "title" || slices.Contains(tagKeys(), key) }

// title is in the front matter, or else is the name of the file or folder. In a
// Logseq graph it may be a property, and is what the name of the file stands for.
func (p *page) title() string {
	t := p.fields.Text("title")
	if t != "" && p.graph != nil {
		return p.graph.Canonical(t)
	}
	return cmp.Or(t, titleOfFile(p.graph, p.file))
}

// titleOfFile is the title of a page that says none.
func titleOfFile(graph *logseqfile.Graph, file string) string {
	if graph != nil {
		return graph.PageTitle(file)
	}
	return path.Base(stem(file))
}

// idOf is in the front matter, or else is derived from the path.
func idOf(v *folder.View, p *page) string {
	if id := p.fields.Text("id"); id != "" {
		return id
	}
	return pathID(v, p.file)
}

// pathID stays the same when the page gains or loses children, unless Title.md and
// Title/_index.md are two pages: then the first has an id of its own.
func pathID(v *folder.View, file string) string {
	if !isIndex(file) && v.Exists(stem(file)+"/"+indexPage) {
		return idOfPlace(file)
	}
	return placeID(v, file)
}

// placeID is pathID of a page that has its place alone. It is the same however the
// accents of the name are written, unless another page is written so.
func placeID(v *folder.View, file string) string {
	name := stem(file)
	if composed := norm.NFC.String(name); composed != name && !hasTwin(v, file, composed) {
		name = composed
	}
	return idOfPlace(name)
}

func idOfPlace(place string) string {
	sum := sha256.Sum256([]byte(place))
	return "path-" + hex.EncodeToString(sum[:10])
}

// hasTwin reports whether a file other than this one is the page at a place.
func hasTwin(v *folder.View, file, place string) bool {
	for _, other := range []string{place + ".md", place + "/" + indexPage} {
		if v.Exists(other) && !v.SameFile(file, other) {
			return true
		}
	}
	return false
}

func (p *page) etag() string { return versionOf(p.data) }

// versionOf is the etag of a page with these bytes: so much of their SHA-256 that two
// versions of one page never share it by chance, and no more, because an agent pays for
// each digit.
func versionOf(data []byte) string { return folder.Etag(data)[:etagLength] }

const etagLength = 16

// position is the order of the page among its siblings, if it has one.
func (p *page) position() (float64, bool) {
	f, err := strconv.ParseFloat(p.fields.Text("position"), 64)
	return f, err == nil
}

// find returns the file of the page that a tool's argument names, for reading. The
// extension may be missing, and case may differ if that is unambiguous.
func (n *Notebook) find(arg string) (string, error) {
	place := strings.TrimSuffix(strings.TrimPrefix(arg, "./"), "/")
	tries := []string{place}
	if !isPage(place) {
		tries = []string{place + "/" + indexPage, place + ".md"}
	}
	if n.graph != nil && place != "" { // a title
		tries = append(tries, graphFile(n.graph, place, ""))
	}
	for _, try := range tries { // an exact name needs no look at the folders on the way
		if folder.CheckName(try) == nil && n.view.Exists(try) && n.isServed(try) {
			return try, nil
		}
	}
	for _, try := range tries {
		file, err := n.view.Find(try)
		switch {
		case err == nil && n.isServed(file):
			return file, nil
		case err == nil:
			return "", notFoundError(arg)
		}
		if e := tools.AsError(n.toolError(arg, err)); e.Code != tools.NotFound {
			return "", e
		}
	}
	return "", n.missingError(arg)
}

// pageTargets is the file of the page that a tool reads, as Changes name it. What
// does not exist, or is hidden, is named as it was asked for. An exact name is
// taken before folders are listed: any other may be that of a file which differs by
// more than letter case, as Strasse.md and Straße.md do.
func (n *Notebook) pageTargets(arg string) []string {
	if isPage(arg) && folder.CheckName(arg) == nil && n.view.Exists(arg) {
		return []string{arg}
	}
	if file, err := n.find(arg); err == nil {
		return []string{file}
	}
	return []string{arg}
}

// missingError reports that a page does not exist, unless the whole folder is
// missing.
func (n *Notebook) missingError(arg string) error {
	if err := n.view.Check(); err != nil {
		return n.toolError(arg, err)
	}
	return notFoundError(arg)
}

// findExact is find for tools that change the page: the name must be exact, except
// for the composition of accents.
func (n *Notebook) findExact(arg string) (string, error) {
	file, err := n.find(arg)
	if err != nil {
		return "", err
	}
	if norm.NFC.String(stem(file)) != norm.NFC.String(argumentPlace(arg)) {
		return "", tools.Errorf(tools.NotFound, "Page not found at path: %s", arg).WithHint("Did you mean %s?", file)
	}
	return file, nil
}

// isServed reports whether a file is a page, by its path.
func (n *Notebook) isServed(file string) bool { return isServed(n.view.Exists, file) }

func isServed(exists func(file string) bool, file string) bool {
	if !isPage(file) || isForeign(file) {
		return false
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if strings.EqualFold(path.Base(dir), "assets") && !exists(dir+"/"+indexPage) || isForeign(dir) {
			return false
		}
	}
	return true
}
