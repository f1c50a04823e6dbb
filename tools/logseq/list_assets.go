package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// An Asset is a file of the graph that a block shows.
type Asset struct {
	Path      string `json:"path" jsonschema:"the file"`
	PageName  string `json:"page_name" jsonschema:"where it is shown"`
	BlockUUID UUID   `json:"block_uuid" jsonschema:"by which block"`
	Content   string `json:"content" jsonschema:"text of the block"`
	Size      int64  `json:"size,omitempty" jsonschema:"in bytes, if known"`
}

func (a Asset) size() int { return len(a.Path) + len(a.PageName) + len(a.Content) + 120 }

// ListAssetsIn are the arguments of list_assets.
type ListAssetsIn struct {
	PageName Name         `json:"page_name,omitempty" jsonschema:"only those on this page"`
	Limit    tools.Limit  `json:"limit,omitempty" jsonschema:"at most"`
	Offset   tools.Offset `json:"offset,omitempty" jsonschema:"assets to skip"`
}

// ListAssetsOut is the answer of list_assets.
type ListAssetsOut struct {
	Assets []Asset `json:"assets" jsonschema:"the files"`
	Total  int     `json:"total" jsonschema:"total assets"`
	Note   string  `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func listAssets() tools.Tool[*Graph] {
	return define(tools.Spec[ListAssetsIn, ListAssetsOut]{
		Name: "list_assets", Title: "List assets", Effect: tools.Reads, OptIn: true,
		Doc: "Lists the files that blocks show: images, PDFs, sounds.\nNeeds assets. read_asset shows one.",
		Redact: func(out ListAssetsOut, covered func(string) bool) ListAssetsOut {
			kept := slices.DeleteFunc(out.Assets, func(a Asset) bool { return covered(a.PageName) })
			out.Total -= len(out.Assets) - len(kept)
			out.Assets = kept
			return out
		},
		Examples: []tools.Example[ListAssetsIn, ListAssetsOut]{
			{Purpose: "see the files of a page", In: ListAssetsIn{PageName: "Garden", Limit: 20}, AnyAnswer: true},
		},
	}, readsGraph(runListAssets), "assets")
}

// runListAssets implements list_assets.
func runListAssets(ctx context.Context, g *Graph, in ListAssetsIn) (ListAssetsOut, error) {
	all, err := visibleAssets(ctx, g)
	if err != nil {
		return ListAssetsOut{}, err
	}
	if in.PageName != "" {
		p, err := g.page(ctx, string(in.PageName))
		if err != nil {
			return ListAssetsOut{}, err
		}
		all = slices.DeleteFunc(all, func(a Asset) bool { return a.PageName != p.Name })
	}
	shown := fitAnswer(slicePage(all, int(in.Offset), int(in.Limit)), Asset.size)
	return ListAssetsOut{Assets: shown, Total: len(all), Note: moreNote(len(shown), int(in.Offset), len(all))}, nil
}

// visibleAssets are the files that visible blocks show, each where it is shown
// first.
func visibleAssets(ctx context.Context, g *Graph) ([]Asset, error) {
	type shownFiles struct {
		Block wireBlock `json:"block"`
		Files []string  `json:"files"`
		Size  int64     `json:"size"`
	}
	ask := func(of listArg) ([]shownFiles, int, error) {
		var answer struct {
			Assets []shownFiles `json:"assets"`
			Total  int          `json:"total"`
		}
		err := g.query(ctx, "assets.list", of, &answer)
		return answer.Assets, answer.Total, err
	}
	found, err := readAll(ask)
	if err != nil {
		return nil, err
	}
	if g.hidesAnything() {
		keep := filterBlock(ctx)
		found, err = filterList(g.newView(), found, len(found), func(v *agentView, f shownFiles) (shownFiles, bool, error) {
			var ok bool
			f.Block, ok, err = keep(v, f.Block)
			return f, ok, err
		})
		if err != nil {
			return nil, err
		}
	}
	var all []Asset
	for _, f := range found {
		for _, file := range f.Files {
			name, ok := assetPath(file)
			if ok && !slices.ContainsFunc(all, func(a Asset) bool { return a.Path == name }) {
				all = append(all, Asset{Path: name, PageName: f.Block.Page.Name, BlockUUID: f.Block.UUID, Content: f.Block.Content, Size: f.Size})
			}
		}
	}
	return all, nil
}

// assetPath is the path in the folder of the graph of a file in its folder of
// assets; false for a name that leads out of that.
func assetPath(name string) (string, bool) {
	return "assets/" + name, folder.CheckName(name) == nil
}
