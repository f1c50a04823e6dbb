package markdown

import (
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
)

// graphPropertySplices changes a property of a page of a Logseq graph, a line
// key:: value at its top.
func (in EditPageIn) graphPropertySplices(p *page) ([]folder.Splice, error) {
	key, content := strings.ToLower(in.Property), strings.TrimSpace(in.Content)
	if strings.ContainsAny(key, " /") || strings.Contains(content, "\n") {
		return nil, tools.Errorf(tools.Invalid, "property: in a Logseq graph a key has no blanks and no slashes, and a value is one line")
	}
	all := logseqfile.Properties(p.text, p.body)
	at := slices.IndexFunc(all, func(have logseqfile.Property) bool { return have.Key == key })
	if at < 0 {
		return newGraphProperty(in.Action, p, all, key, content)
	}
	have := all[at]
	names := logseqfile.Names(have.Value)
	has := slices.Contains(names, content)
	switch {
	case in.Action == Replace:
		return []folder.Splice{setGraphValue(p.text, have, content)}, nil
	case in.Action == Append && has:
		return nil, nil
	case in.Action == Append && have.Value != "":
		return []folder.Splice{setGraphValue(p.text, have, have.Value+", "+content)}, nil
	case in.Action == Append:
		return []folder.Splice{setGraphValue(p.text, have, content)}, nil
	case content == "":
		start := strings.LastIndexByte(p.text[:have.Start], '\n') + 1
		end := min(have.End+lineLength(p.text[have.End:]), len(p.text))
		return []folder.Splice{{Start: start, End: end}}, nil
	case !has:
		return nil, tools.Errorf(tools.NotFound, "property: %s has no element %.80q", in.Property, content)
	}
	kept := slices.DeleteFunc(strings.Split(have.Value, ","), func(part string) bool {
		return slices.Equal(logseqfile.Names(part), []string{content})
	})
	return []folder.Splice{setGraphValue(p.text, have, strings.TrimSpace(strings.Join(kept, ",")))}, nil
}

// lineLength is the length of the first line with its end.
func lineLength(text string) int {
	line, _, found := strings.Cut(text, "\n")
	if found {
		return len(line) + 1
	}
	return len(line)
}

// setGraphValue writes the value of a property that a page has.
func setGraphValue(text string, have logseqfile.Property, value string) folder.Splice {
	if before := text[:have.Start]; strings.HasSuffix(before, ":") && value != "" {
		value = " " + value
	}
	return folder.Splice{Start: have.Start, End: have.End, New: value}
}

// newGraphProperty adds a line behind the other properties of a page, or at its top.
func newGraphProperty(action EditAction, p *page, all []logseqfile.Property, key, content string) ([]folder.Splice, error) {
	if action == Delete {
		return nil, missingPropertyError(key)
	}
	line, at := key+":: "+content+"\n", p.body
	switch {
	case len(all) > 0:
		end := all[len(all)-1].End
		if at = min(end+lineLength(p.text[end:]), len(p.text)); at == len(p.text) && !strings.HasSuffix(p.text, "\n") {
			line = "\n" + strings.TrimSuffix(line, "\n")
		}
	case strings.TrimSpace(p.text[p.body:]) != "":
		line += "\n"
	}
	return []folder.Splice{{Start: at, End: at, New: line}}, nil
}
