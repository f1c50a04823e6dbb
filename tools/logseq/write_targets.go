package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// This file names what tools that write are about, as far as their arguments tell: for rules by
// path, and for the record of a call that ends before its changes are known.

// writeArguments are the arguments of all tools that write that name something.
type writeArguments struct {
	Title            string `json:"title"`
	Name             string `json:"name"`
	PageName         string `json:"page_name"`
	NewName          string `json:"new_name"`
	TargetPageName   string `json:"target_page_name"`
	BlockUUID        string `json:"block_uuid"`
	ParentBlockUUID  string `json:"parent_block_uuid"`
	TargetParentUUID string `json:"target_parent_uuid"`
	SiblingBlockUUID string `json:"sibling_block_uuid"`
	Recursive        bool   `json:"recursive"`
	Date             string `json:"date"`
	Items            Steps  `json:"items"`
}

// withWriteTargets adds to a tool that writes what its calls are about. What a request of the user is
// about only the list of requests tells.
func withWriteTargets(t tools.Tool[*Graph]) tools.Tool[*Graph] {
	name := t.Info().Name
	if name == "answer_request" {
		return t
	}
	return tools.WithTargets(t, func(g *Graph, _ context.Context, in writeArguments) ([]string, error) {
		return in.targets(g, name), nil
	})
}

// targets are the pages and blocks that a call of the tool names, as Changes name them.
func (in writeArguments) targets(g *Graph, tool string) (names []string) {
	block := blockTarget
	if in.Recursive || tool == "move_block" {
		block = treeTarget
	}
	for _, one := range []target{
		{pageTarget, in.Title},
		{pageTarget, in.Name},
		{pageTarget, in.PageName},
		{pageTarget, in.NewName},
		{block, in.BlockUUID},
		{pageTarget, in.TargetPageName},
		{blockTarget, in.ParentBlockUUID},
		{blockTarget, in.TargetParentUUID},
		{blockTarget, in.SiblingBlockUUID},
	} {
		if one.name != "" {
			names = append(names, one.String())
		}
	}
	if tool == "append_to_journal" {
		if day, err := g.parseDay("date", in.Date); err == nil {
			names = append(names, target{journalTarget, formatDay(day)}.String())
		}
	}
	return names
}

// stepTargets are what the calls of a batch are about, as far as their tools tell.
func stepTargets(ctx context.Context, g *Graph, in writeArguments, callable []tools.Tool[*Graph]) (names []string) {
	for _, step := range in.Items {
		for _, t := range callable {
			if t.Info().Name != step.Tool || !t.Info().HasTargets {
				continue
			}
			if of, err := t.Targets(ctx, g, step.Arguments); err == nil {
				names = append(names, of...)
			}
		}
	}
	return names
}
