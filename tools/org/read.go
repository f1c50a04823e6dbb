package org

import (
	"context"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// maxContent is the maximum length of a text in an answer, in bytes.
const maxContent = 96 << 10

// A textPart is a text, or a part of a long one.
type textPart struct {
	Content    string       `json:"content" jsonschema:"the text"`
	NextOffset tools.Offset `json:"nextOffset,omitempty" jsonschema:"there is more: pass it as offset"`
}

// part cuts a text to what an answer holds.
func part(data []byte, offset tools.Offset) textPart {
	text, _ := folder.Text(data)
	rest := text[min(int(offset), len(text)):]
	cut := safetext.Truncate(rest, maxContent)
	out := textPart{Content: strings.ToValidUTF8(cut, "\uFFFD")}
	if len(cut) < len(rest) {
		out.NextOffset = offset + tools.Offset(len(cut))
	}
	return out
}

type readFileIn struct {
	File   string       `json:"file" jsonschema:"its name, path or URI"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"bytes to skip"`
}

type readFileOut struct {
	textPart
	headlineLink
	dialect
}

func readFile() tools.Tool[*Source] {
	return tools.WithTargets(tools.Define(tools.Spec[readFileIn, readFileOut]{
		Name: "org-read-file", Title: "Read a file", Effect: tools.Reads, OptIn: true,
		Selects:   []string{"file"},
		Doc:       "Read the text of a file.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(nil),
		Examples: []tools.Example[readFileIn, readFileOut]{
			{
				Purpose: "read a file", In: readFileIn{File: "people.org"}, AnyAnswer: true, Want: readFileOut{
					textPart: textPart{Content: "* Ines\n"}, headlineLink: headlineLink{ResourceURI: "org://people.org", Etag: "9f86d081884c7d65"},
				},
			},
		},
	}, (*Source).readFileTool), func(s *Source, ctx context.Context, in readFileIn) ([]string, error) {
		return s.fileTarget(ctx, in.File)
	})
}

// fileTarget is the file that an argument names, for rules by path.
func (s *reader) fileTarget(ctx context.Context, file string) ([]string, error) {
	if name, err := s.findFile(ctx, file); err == nil {
		return []string{name}, nil
	}
	return []string{file}, nil
}

// openFile reads the file that an argument names.
func (s *reader) openFile(ctx context.Context, file string) (*shownFile, error) {
	name, err := s.findFile(ctx, file)
	if err != nil {
		return nil, err
	}
	return s.file(name)
}

func (s *reader) readFileTool(ctx context.Context, in readFileIn) (readFileOut, error) {
	f, err := s.openFile(ctx, in.File)
	if err != nil {
		return readFileOut{}, err
	}
	out := readFileOut{textPart: part(f.Source, in.Offset), headlineLink: s.link(f, -1)}
	if s.config.speaksOrgMCP() {
		out.text = out.Content
	}
	return out, nil
}

type readOutlineIn struct {
	File     string `json:"file" jsonschema:"its name, path or URI"`
	MaxLevel int    `json:"maxLevel,omitempty" jsonschema:"leave out deeper headlines"`
}

func readOutline() tools.Tool[*Source] {
	return tools.WithTargets(tools.Define(tools.Spec[readOutlineIn, outlineOut]{
		Name: "org-read-outline", Title: "Outline of a file", Effect: tools.Reads, OptIn: true,
		Selects:   []string{"file"},
		Doc:       "List the headlines of a file.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"max_level": "maxLevel"}),
		Examples: []tools.Example[readOutlineIn, outlineOut]{
			{Purpose: "see what a file holds", In: readOutlineIn{File: "projects.org", MaxLevel: 1}, AnyAnswer: true, Want: outlineOut{
				Headings:     []outlineNode{{exampleHeadline(), 7}},
				headlineLink: headlineLink{ResourceURI: "org://projects.org", Etag: "9f86d081884c7d65"},
			}},
		},
	}, (*Source).readOutlineTool), func(s *Source, ctx context.Context, in readOutlineIn) ([]string, error) {
		return s.fileTarget(ctx, in.File)
	})
}

func (s *reader) readOutlineTool(ctx context.Context, in readOutlineIn) (outlineOut, error) {
	f, err := s.openFile(ctx, in.File)
	if err != nil {
		return outlineOut{}, err
	}
	out := s.outlineOf(f, -1)
	out.dialect = s.dialects().answer(func() any { return s.dialects().outline(f) })
	if in.MaxLevel > 0 {
		out.Headings = slices.DeleteFunc(out.Headings, func(n outlineNode) bool { return n.Level > in.MaxLevel })
	}
	return out, nil
}

type readHeadlineIn struct {
	ResourceURI  string       `json:"resourceUri,omitempty" jsonschema:"the headline"`
	File         string       `json:"file,omitempty" jsonschema:"instead: its file"`
	HeadlinePath string       `json:"headlinePath,omitempty" jsonschema:"with file: titles from the top, with / between them and %2F in them"`
	Offset       tools.Offset `json:"offset,omitempty" jsonschema:"bytes to skip"`
}

type readHeadlineOut struct {
	HeadlinePath []Headline `json:"headlinePath" jsonschema:"from the top down to the headline"`
	textPart
	headlineLink
	dialect
}

func readHeadline() tools.Tool[*Source] {
	return tools.WithTargets(tools.Define(tools.Spec[readHeadlineIn, readHeadlineOut]{
		Name: "org-read-headline", Title: "Read a headline", Effect: tools.Reads, OptIn: true,
		Selects:   []string{"resourceUri", "file", "headlinePath"},
		Doc:       "Read a headline with all below it.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases("headline_path headlinePath"),
		Examples: []tools.Example[readHeadlineIn, readHeadlineOut]{
			{
				Purpose: "read a task", In: readHeadlineIn{ResourceURI: "org://projects.org/headline/Alpha/Write%20plan"}, AnyAnswer: true,
				Want: readHeadlineOut{
					HeadlinePath: []Headline{exampleHeadline()}, textPart: textPart{Content: "* TODO Alpha\n"}, headlineLink: exampleLink("Alpha"),
				},
			},
			{
				Purpose: "read it by file and titles", In: readHeadlineIn{File: "projects.org", HeadlinePath: "Alpha/Write plan"}, AnyAnswer: true,
				Want: readHeadlineOut{
					HeadlinePath: []Headline{exampleHeadline()}, textPart: textPart{Content: "* TODO Alpha\n"}, headlineLink: exampleLink("Alpha"),
				},
			},
		},
	}, (*Source).readHeadlineTool), func(s *Source, ctx context.Context, in readHeadlineIn) ([]string, error) {
		if in.File != "" {
			return s.fileTarget(ctx, in.File)
		}
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *reader) readHeadlineTool(ctx context.Context, in readHeadlineIn) (readHeadlineOut, error) {
	if (in.ResourceURI == "") == (in.File == "") {
		return readHeadlineOut{}, tools.Errorf(tools.Invalid, "Provide either resourceUri, or file and headlinePath")
	}
	if in.File == "" {
		f, i, err := s.findHeadline(ctx, in.ResourceURI)
		if err != nil {
			return readHeadlineOut{}, err
		}
		return s.readAt(f, i, in.Offset), nil
	}
	if in.HeadlinePath == "" {
		return readHeadlineOut{}, tools.Errorf(tools.Invalid, "headlinePath: must not be empty").WithHint("Use org-read-file for a whole file.")
	}
	f, err := s.openFile(ctx, in.File)
	if err != nil {
		return readHeadlineOut{}, err
	}
	i, err := s.findIn(f, target{file: f.name, path: splitPath(in.HeadlinePath), compat: s.config.speaksOrgMCP()})
	if err != nil {
		return readHeadlineOut{}, err
	}
	return s.readAt(f, i, in.Offset), nil
}

// readAt is the text of headline i, or of the file for -1.
func (s *reader) readAt(f *shownFile, i int, offset tools.Offset) readHeadlineOut {
	out := readHeadlineOut{textPart: part(f.text(i), offset), headlineLink: s.link(f, i)}
	out.dialect = s.dialects().answer(func() any { return s.dialects().section(f, i, out.Content) })
	for ; i >= 0; i = int(f.Headlines[i].Parent) {
		out.HeadlinePath = append(out.HeadlinePath, s.describe(f, i))
	}
	slices.Reverse(out.HeadlinePath)
	return out
}

type readByIDIn struct {
	UUID   string       `json:"uuid" jsonschema:"its ID"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"bytes to skip"`
}

func readByID() tools.Tool[*Source] {
	return tools.WithTargets(tools.Define(tools.Spec[readByIDIn, readHeadlineOut]{
		Name: "org-read-by-id", Title: "Read by ID", Effect: tools.Reads, OptIn: true,
		Selects:   []string{"uuid"},
		Doc:       "Read the headline with an ID, with all below it.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"id": "uuid", "orgId": "uuid"}),
		Examples: []tools.Example[readByIDIn, readHeadlineOut]{
			{Purpose: "read what an ID names", In: readByIDIn{UUID: "5f1b2c3d-0000-4000-8000-000000000001"}, AnyAnswer: true, Want: readHeadlineOut{
				HeadlinePath: []Headline{exampleHeadline()}, textPart: textPart{Content: "* TODO Alpha\n"}, headlineLink: exampleLink("Alpha"),
			}},
		},
	}, (*Source).readByIDTool), func(s *Source, ctx context.Context, in readByIDIn) ([]string, error) {
		return s.targetsOf(ctx, "org://id/"+escapeSegment(in.UUID))
	})
}

func (s *reader) readByIDTool(ctx context.Context, in readByIDIn) (readHeadlineOut, error) {
	f, i, err := s.findID(ctx, strings.TrimSpace(in.UUID))
	if err != nil {
		return readHeadlineOut{}, err
	}
	return s.readAt(f, i, in.Offset), nil
}
