package tools_test

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/tools"
)

// shelf is a source: what Open answers.
type shelf struct{ books map[string]string }

func (shelf) Close() error                { return nil }
func (shelf) Check(context.Context) error { return nil }

type findIn struct {
	Title string `json:"title" jsonschema:"which book"`
}

type findOut struct {
	Author string `json:"author" jsonschema:"who wrote it"`
}

// find is a tool: a method of the source.
func (s shelf) find(_ context.Context, in findIn) (findOut, error) {
	author, ok := s.books[in.Title]
	if !ok {
		return findOut{}, tools.Errorf(tools.NotFound, "no book titled %.80q", in.Title)
	}
	return findOut{author}, nil
}

// A System is one value; everything else is made from it.
func Example_declare() {
	system := tools.Erase(tools.System[shelf, struct{}]{
		Name: "shelf", Title: "Shelf", Doc: "Books on a shelf.",
		Open: func(context.Context, struct{}, tools.Env) (shelf, error) {
			return shelf{map[string]string{"Emma": "Jane Austen"}}, nil
		},
		Tools: []tools.Tool[shelf]{
			tools.Define(tools.Spec[findIn, findOut]{
				Name: "find_book", Title: "Find a book", Effect: tools.Reads,
				Doc:      "Find who wrote a book.",
				Errors:   []tools.Code{tools.NotFound},
				Examples: []tools.Example[findIn, findOut]{{Purpose: "find an author", In: findIn{"Emma"}, Want: findOut{"Jane Austen"}}},
			}, shelf.find),
		},
	})

	source, err := system.Open(context.Background(), nil, tools.Env{Name: "home"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, args := range []string{`{"title":"Emma"}`, `{"title":"Ulysses"}`, `{"titel":"Emma"}`} {
		answer, err := source.Call(context.Background(), tools.CallContext{}, "find_book", []byte(args))
		fmt.Println(string(answer.JSON), err)
	}
	// Output:
	// {"author":"Jane Austen"} <nil>
	//  no book titled "Ulysses"
	//  unknown argument titel, did you mean title?
}
