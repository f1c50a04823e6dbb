package org

import (
	"context"
	"errors"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
)

type clockIn struct {
	ResourceURI string `json:"resourceUri" jsonschema:"the headline"`
	WriteOptions
}

func startClock() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[clockIn, writeOut]{
		Name: "org-clock-in", Title: "Start the clock", Effect: tools.Writes, Additive: true, OptIn: true,
		Selects:   []string{"resourceUri"},
		Doc:       "Start the clock of a headline now.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases(),
		Examples: []tools.Example[clockIn, writeOut]{
			{
				Purpose: "begin to work on a task", In: clockIn{ResourceURI: "org://projects.org/headline/Alpha/Write%20plan"}, AnyAnswer: true,
				Want: writeOut{Success: true, headlineLink: exampleLink("Alpha/Write%20plan")},
			},
		},
	}, (*Source).startClock), (*Source).clockTargets)
}

func stopClock() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[clockIn, writeOut]{
		Name: "org-clock-out", Title: "Stop the clock", Effect: tools.Writes, OptIn: true,
		Selects:   []string{"resourceUri"},
		Doc:       "Stop the running clock of a headline now.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases(),
		Examples: []tools.Example[clockIn, writeOut]{
			{
				Purpose: "stop working on a task", In: clockIn{ResourceURI: "org://deep/er.org/headline/Deep/one"}, AnyAnswer: true,
				Want: writeOut{Success: true, headlineLink: exampleLink("Alpha/Write%20plan")},
			},
		},
	}, (*Source).stopClock), (*Source).clockTargets)
}

func (s *Source) clockTargets(ctx context.Context, in clockIn) ([]string, error) {
	return s.targetsOf(ctx, in.ResourceURI)
}

func (s *editor) startClock(ctx context.Context, c tools.CallContext, in clockIn) (writeOut, error) {
	return s.change(ctx, c, in.ResourceURI, in.WriteOptions, func(e *edit, f *editedFile, i int) error {
		if f.HasOpenClock(i) {
			return tools.Errorf(tools.Conflict, "The clock of this headline is running already")
		}
		e.touch(f, i)
		return editError(f.ClockIn(i))
	})
}

func (s *editor) stopClock(ctx context.Context, c tools.CallContext, in clockIn) (writeOut, error) {
	return s.change(ctx, c, in.ResourceURI, in.WriteOptions, func(_ *edit, f *editedFile, i int) error {
		err := f.ClockOutOf(i)
		if errors.Is(err, orgedit.ErrNoClock) {
			return tools.Errorf(tools.Conflict, "No clock of this headline is running").WithHint("Start it by org-clock-in.")
		}
		return editError(err)
	})
}
