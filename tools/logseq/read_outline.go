package logseq

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// maxDepth is more than the levels of any page.
const maxDepth = 100

// An answerTrimmer keeps as many blocks as fit, parents before children.
type answerTrimmer struct {
	budget     int
	properties bool
	removed    int // blocks that did not fit
}

// trim returns b without the children that do not fit; false if b itself does
// not fit.
func (c *answerTrimmer) trim(b Block) (Block, bool) {
	children := b.Children
	b.Children = nil
	if !c.properties {
		b.Properties = nil
	}
	if size := b.size(); size > maxAnswer {
		b.Content, b.Raw = safetext.Truncate(b.Content, maxAnswer/2)+" … (cut)", ""
		c.removed++
	}
	if c.budget < 0 {
		return b, false
	}
	c.budget -= b.size()
	for i, child := range children {
		kept, ok := c.trim(child)
		if !ok {
			for _, lost := range children[i:] {
				c.removed += lost.count()
			}
			break
		}
		b.Children = append(b.Children, kept)
	}
	return b, true
}

func (b Block) count() int {
	n := 1
	for _, c := range b.Children {
		n += c.count()
	}
	return n
}

// heading is the first line and the properties of a page in text form.
func heading(p Page) string {
	var text strings.Builder
	text.WriteString("# " + p.Name + "\n")
	if p.Recycled {
		text.WriteString("(in the recycle bin)\n")
	}
	writeProperties(&text, p.Properties, "")
	text.WriteString("\n")
	return text.String()
}

// writeBlock writes a block and the blocks below it as an outline.
func writeBlock(text *strings.Builder, b Block, level int) {
	indent := strings.Repeat("  ", level)
	marker := ""
	if b.Marker != "" && !strings.HasPrefix(b.Content, b.Marker+" ") {
		marker = b.Marker + " "
	}
	for i, line := range strings.Split(b.Content, "\n") {
		if i == 0 {
			text.WriteString(indent + "- " + marker + line + "\n")
		} else {
			text.WriteString(indent + "  " + line + "\n")
		}
	}
	writeProperties(text, b.Properties, indent+"  ")
	for _, c := range b.Children {
		writeBlock(text, c, level+1)
	}
}

func writeProperties(text *strings.Builder, properties map[string]any, indent string) {
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		text.WriteString(indent + name + ":: " + valueText(properties[name]) + "\n")
	}
}

func valueText(v any) string {
	if list, ok := v.([]any); ok {
		var words []string
		for _, e := range list {
			words = append(words, valueText(e))
		}
		return strings.Join(words, ", ")
	}
	return strings.ReplaceAll(fmt.Sprint(v), "\n", " ")
}
