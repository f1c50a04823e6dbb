package org

import (
	"context"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// filesURI is the resource that lists the files.
const filesURI = "org://config/files"

func resources() []tools.Resource[*Source] {
	all := []tools.Resource[*Source]{
		{
			Name: "todo-states", Title: "TODO states", URI: "org://config/todo-states", MIME: "application/json",
			Doc: "The TODO states, as org-get-todo-config answers them.", Read: (*Source).readTodoStates,
		},
		{
			Name: "tags", Title: "Tags", URI: "org://config/tags", MIME: "application/json",
			Doc: "The tag settings, as org-get-tag-config answers them.", Read: (*Source).readTags,
		},
		{
			Name: "files", Title: "Files", URI: filesURI, MIME: "application/json",
			Doc: "The files that are open to agents.", Read: (*Source).readFileList,
		},
		{
			Name: "capture-templates", Title: "Capture templates", URI: "org://config/capture-templates", MIME: "application/json",
			Doc: "The templates that org-capture takes.", Read: (*Source).readCaptureTemplates,
		},
		{
			Name: "headline-by-id", Title: "A headline by ID", URI: "org://id/{uuid}", MIME: "text/plain",
			Doc: "A headline with all below it, by its ID, which survives renames and moves.", Read: (*Source).readResource,
		},
		{
			Name: "headline", Title: "A headline", URI: "org://{+filename}/headline/{+path}", MIME: "text/plain",
			Doc: "A headline with all below it, by the titles from the top down.", Read: (*Source).readResource,
		},
		{
			Name: "outline", Title: "The outline of a file", URI: "org://{+filename}/outline", MIME: "application/json",
			Doc: "The headlines of a file as a tree.", Read: (*Source).readResource, Complete: (*Source).completeFile,
		},
		{
			Name: "file", Title: "A file", URI: "org://{+filename}", MIME: "text/plain",
			Doc: "The text of a file.", Read: (*Source).readResource, Complete: (*Source).completeFile, Listed: true,
		},
		{
			Name: "headline-by-id-compatible", Title: "A headline by ID, in an older spelling", URI: "org-id://{uuid}", MIME: "text/plain",
			Doc: "As org://id/.", Read: (*Source).readResource,
		},
		{
			Name: "headline-compatible", Title: "A headline, in an older spelling", URI: "org-headline://{+filename}", MIME: "text/plain",
			Doc: "As org://FILE/headline/PATH, with # before the path.", Read: (*Source).readResource,
		},
		{
			Name: "outline-compatible", Title: "The outline of a file, in an older spelling", URI: "org-outline://{+filename}",
			MIME: "application/json",
			Doc:  "As org://FILE/outline.", Read: (*Source).readResource,
		},
	}
	for i := range all {
		all[i].Shared, all[i].Polled = true, true
		if strings.Contains(all[i].URI, "{") {
			all[i].Targets = resourceTargets(all[i].URI)
		}
	}
	return all
}

// resourceTargets is what reading a resource of a template touches: its file.
func resourceTargets(template string) func(s *Source, ctx context.Context, vars map[string]string) ([]string, error) {
	return func(s *Source, ctx context.Context, vars map[string]string) ([]string, error) {
		uri := template
		for name, value := range vars {
			if uri = strings.ReplaceAll(uri, "{+"+name+"}", value); name == "uuid" {
				value = escapeSegment(value)
			}
			uri = strings.ReplaceAll(uri, "{"+name+"}", value)
		}
		return s.targetsOf(ctx, uri)
	}
}

func plainContent(v any, err error) (tools.Content, error) {
	if err != nil {
		return tools.Content{}, err
	}
	b, err := tools.PlainJSON(v)
	return tools.Content{Text: string(b)}, err
}

func (s *reader) readTodoStates(ctx context.Context, _ string, _ map[string]string) (tools.Content, error) {
	return plainContent(s.getTodoConfig(ctx, configIn{}))
}

func (s *reader) readTags(ctx context.Context, _ string, _ map[string]string) (tools.Content, error) {
	return plainContent(s.getTagConfig(ctx, configIn{}))
}

func (s *reader) readFileList(ctx context.Context, uri string, _ map[string]string) (tools.Content, error) {
	s.subscriptions.note(uri, s.version(ctx, uri))
	return plainContent(s.allowedFiles(ctx, allowedFilesIn{}))
}

// readResource reads whatever a URI means: the text of a file or headline, or an
// outline.
func (s *reader) readResource(ctx context.Context, uri string, _ map[string]string) (tools.Content, error) {
	t, err := s.parseTarget(ctx, uri)
	if err != nil {
		return tools.Content{}, asNotFound(err)
	}
	f, i, err := s.findTarget(ctx, t)
	if err != nil {
		return tools.Content{}, err
	}
	s.subscriptions.note(uri, versionOf(f, i, t.outline))
	if s.config.speaksOrgMCP() && !strings.HasPrefix(uri, "org://") && (i >= 0 || t.outline) {
		if t.outline {
			return plainContent(s.dialects().outline(f), nil)
		}
		text, _ := folder.Text(f.text(i))
		return plainContent(s.dialects().section(f, i, strings.ToValidUTF8(text, "\uFFFD")), nil)
	}
	if t.outline {
		return plainContent(s.outlineTreeOf(f, i), nil)
	}
	text, _ := folder.Text(f.text(i))
	return tools.Content{Text: text, MIME: "text/plain"}, nil
}

// asNotFound makes of a URI that cannot be read one that nothing has, as MCP asks.
func asNotFound(err error) error {
	if e := tools.AsError(err); e.Code == tools.Invalid {
		return tools.Errorf(tools.NotFound, "%s", e.Message).WithHint("%s", e.Hint)
	}
	return err
}

// completeFile proposes names of files.
func (s *reader) completeFile(ctx context.Context, variable, prefix string) ([]string, error) {
	if variable != "filename" {
		return nil, nil
	}
	names, err := s.fileNames(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range names {
		if strings.HasPrefix(folder.FoldName(name), folder.FoldName(prefix)) && len(out) < 100 {
			out = append(out, name)
		}
	}
	return out, nil
}
