package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

func listAssets() tools.Tool[*Graph] {
	return define(tools.Spec[ListVocabularyIn, BlocksOut]{
		Name: "list_assets", Title: "List assets", Effect: tools.Reads, OptIn: true,
		Doc: "Lists the blocks that show files: images, PDFs, sounds.\nread_asset shows a file. Needs assets.",
		Examples: []tools.Example[ListVocabularyIn, BlocksOut]{
			{Purpose: "see which files there are", In: ListVocabularyIn{Limit: 20}, AnyAnswer: true},
		},
	}, readsGraph(runListAssets), "assets")
}

// runListAssets implements list_assets.
func runListAssets(ctx context.Context, g *Graph, in ListVocabularyIn) (BlocksOut, error) {
	return listBlocks(ctx, g, in.Offset, in.Limit, askAssets(ctx, g))
}

func askAssets(ctx context.Context, g *Graph) func(listArg) ([]wireBlock, int, error) {
	return func(of listArg) ([]wireBlock, int, error) {
		var found wireBlockList
		err := g.query(ctx, "assets.list", of, &found)
		return found.Blocks, found.Total, err
	}
}

// findAsset is a visible block that shows a file, by its path.
func findAsset(ctx context.Context, g *Graph, path string) (wireBlock, error) {
	blocks, err := readAll(askAssets(ctx, g))
	if err != nil {
		return wireBlock{}, err
	}
	v, keep := g.newView(), filterBlock(ctx)
	for _, b := range blocks {
		for _, shown := range assetPaths(b.Files) {
			if shown != path {
				continue
			}
			if !g.hidesAnything() {
				return b, nil
			}
			if _, visible, err := keep(v, b); err != nil || visible {
				return b, err
			}
		}
	}
	return wireBlock{}, tools.Errorf(tools.NotFound, "no block shows %s", path).WithHint("list_assets names the files.")
}

// assetPaths are the paths of files in the folder of the graph, without those
// that lead out of its folder of assets.
func assetPaths(files []string) (paths []string) {
	for _, name := range files {
		if path, ok := assetPath(name); ok {
			paths = append(paths, path)
		}
	}
	return paths
}

func assetPath(name string) (string, bool) {
	return "assets/" + name, folder.CheckName(name) == nil
}
