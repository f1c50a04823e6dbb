package memo

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"github.com/lectern-mcp/lectern/tools"
)

// ChartIn is the input of chart_notes.
type ChartIn struct {
	Limit tools.Limit `json:"limit,omitempty" jsonschema:"maximum number of notes"`
}

// ChartOut is the answer of chart_notes. It is a [tools.ContentProvider]: it has a
// picture besides its JSON.
type ChartOut struct {
	Lengths []int `json:"lengths" jsonschema:"bytes of each note, ordered by title"`
	picture []byte
}

// Blocks implements [tools.ContentProvider].
func (c ChartOut) Blocks() []tools.Content {
	return []tools.Content{
		{Kind: tools.Text, Text: fmt.Sprintf("Lengths of %d notes, one bar each.", len(c.Lengths))},
		{Kind: tools.Image, Data: c.picture, MIME: "image/png"},
	}
}

func chartNotes() tools.Tool[*Memo] {
	return tools.Define(tools.Spec[ChartIn, ChartOut]{
		Name: "chart_notes", Title: "Chart of notes", Effect: tools.Reads,
		Doc: "Draw the lengths of the notes.",
		Examples: []tools.Example[ChartIn, ChartOut]{
			{Purpose: "see the lengths of all notes", Want: ChartOut{Lengths: []int{25, 18, 24}}},
		},
	}, (*Memo).Chart)
}

// Chart draws one bar of at most 100 pixels per note.
func (m *Memo) Chart(_ context.Context, in ChartIn) (ChartOut, error) {
	titles := m.visibleTitles()
	titles = titles[:min(len(titles), int(in.Limit))]
	img := image.NewGray(image.Rect(0, 0, 102, 4*len(titles)+2))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	var out ChartOut
	for i, t := range titles {
		note, _ := m.note(t)
		n := len(note.text)
		out.Lengths = append(out.Lengths, n)
		bar := image.Rect(1, 4*i+1, 1+min(n, 100), 4*i+4)
		draw.Draw(img, bar, image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return ChartOut{}, fmt.Errorf("encode chart: %w", err)
	}
	out.picture = b.Bytes()
	return out, nil
}
