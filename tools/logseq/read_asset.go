package logseq

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"path"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// maxAsset is the largest file that an agent is shown, in bytes.
const maxAsset = 4 << 20

// ReadAssetIn are the arguments of read_asset.
type ReadAssetIn struct {
	Path string `json:"path" jsonschema:"file, as list_assets or a block names it"`
}

// ReadAssetOut is the answer of read_asset.
type ReadAssetOut struct {
	Path string `json:"path" jsonschema:"the file"`
	MIME string `json:"mimeType" jsonschema:"its type"`
	Size int    `json:"size" jsonschema:"in bytes"`
	data []byte
	page string
}

// Targets implements [tools.TargetProvider]: the page that shows the file.
func (out ReadAssetOut) Targets() []string { return []string{target{pageTarget, out.page}.String()} }

// Blocks implements [tools.ContentProvider].
func (out ReadAssetOut) Blocks() []tools.Content {
	return tools.FileContent(out.MIME, "asset:"+out.Path, out.data)
}

func readAsset() tools.Tool[*Graph] {
	return define(tools.Spec[ReadAssetIn, ReadAssetOut]{
		Name: "read_asset", Title: "Read an asset", Effect: tools.Reads, OptIn: true,
		Selects: []string{"path"},
		Doc: "Shows a file that a block links to: an image, a sound, a PDF, text.\nAt most 4 MB. Needs assets, and the folder of the " +
			"graph in the configuration of the source.",
		Examples: []tools.Example[ReadAssetIn, ReadAssetOut]{
			{Purpose: "see an image", In: ReadAssetIn{Path: "assets/beds.png"}, AnyAnswer: true},
		},
	}, readsGraph(runReadAsset), "assets")
}

// runReadAsset implements read_asset. Only what a visible block shows is read.
func runReadAsset(ctx context.Context, g *Graph, in ReadAssetIn) (ReadAssetOut, error) {
	var out ReadAssetOut
	file := in.Path
	if inside, ok := strings.CutPrefix(strings.TrimPrefix(file, "../"), "assets/"); ok {
		file = inside
	}
	name, ok := assetPath(file)
	if !ok {
		return out, tools.Errorf(tools.Invalid, "path: %s is not in the folder assets", safetext.Truncate(in.Path, 80)).
			WithHint("list_assets names the files.")
	}
	shownBy, err := findAsset(ctx, g, name)
	if err != nil {
		return out, err
	}
	if out.data, err = readGraphFile(g, name); err != nil {
		return out, err
	}
	out.Path, out.Size, out.page = name, len(out.data), shownBy.Page.Name
	out.MIME, _, _ = strings.Cut(mime.TypeByExtension(strings.ToLower(path.Ext(name))), ";")
	if out.MIME == "" {
		out.MIME = "application/octet-stream"
	}
	return out, nil
}

// readGraphFile reads a file in the folder of the graph.
func readGraphFile(g *Graph, name string) ([]byte, error) {
	if g.conf.GraphFolder == "" {
		return nil, tools.Errorf(tools.Unavailable, "the folder of this graph is not configured").
			WithHint("Ask the user to run: lectern source set %s graph_folder=PATH (the absolute path of the folder with assets in it)", g.name)
	}
	f, err := folder.Open(g.conf.GraphFolder, folder.Options{})
	if err != nil {
		return nil, &tools.Error{
			Code: tools.Unavailable, Message: "the folder of this graph cannot be opened",
			Hint: "Ask the user to check the key graph_folder of this source.", Cause: err,
		}
	}
	defer func() { _ = f.Close() }()
	view := folder.NewView(f, nil)
	found, err := view.Find(name)
	if err == nil {
		var data []byte
		if data, err = view.ReadUpTo(found, maxAsset); err == nil {
			return data, nil
		}
	}
	switch {
	case errors.Is(err, folder.ErrTooLarge):
		return nil, tools.Errorf(tools.Limited, "%s is larger than %d MB", name, maxAsset>>20)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, folder.ErrNotRegular), folder.IsEscape(err):
		return nil, tools.Errorf(tools.NotFound, "there is no file %s", name)
	}
	return nil, fmt.Errorf("read asset: %w", err)
}
