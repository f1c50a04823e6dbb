package cards

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// GetFileURLIn are the arguments of get_file_url.
type GetFileURLIn struct {
	Name string `json:"name" jsonschema:"name of a card of type File or Image"`
}

// GetFileURLOut is the answer of get_file_url.
type GetFileURLOut struct {
	Name     string `json:"name" jsonschema:"name of the card"`
	Type     string `json:"type" jsonschema:"File or Image"`
	URL      string `json:"file_url" jsonschema:"where the wiki serves it"`
	Filename string `json:"original_filename" jsonschema:"name of the file"`
}

func getFileURL() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[GetFileURLIn, GetFileURLOut]{
		Name: "get_file_url", Title: "Find a file", Effect: tools.Reads, OptIn: true,
		Selects: []string{"name"},
		Doc:     "Tells where the wiki serves the file of a card.", Errors: []tools.Code{tools.NotFound},
		Examples: []tools.Example[GetFileURLIn, GetFileURLOut]{{
			Purpose: "find a file", In: GetFileURLIn{Name: "Sketch"}, AnyAnswer: true,
			Want: GetFileURLOut{"Sketch", "File", "/sources/wiki/cards/Sketch/file", "sketch.txt"},
		}},
	}, (*Wiki).GetFileURL), func(_ *Wiki, _ context.Context, in GetFileURLIn) ([]string, error) { return []string{in.Name}, nil })
}

// GetFileURL implements get_file_url.
func (w *Wiki) GetFileURL(ctx context.Context, c tools.CallContext, in GetFileURLIn) (GetFileURLOut, error) {
	found, err := w.get(ctx, c, in.Name)
	if err != nil {
		return GetFileURLOut{}, err
	}
	var out GetFileURLOut
	_, err = w.as(c).send(ctx, getOf("cards", found.Name, "file_url"), &out)
	return out, err
}
