package workspace

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// A workspace is of one source: another source that has its id is not opened, and
// cannot make it. A source that is opened again, or after the other was closed, is.
func TestWorkspaceIDsAreUnique(t *testing.T) {
	kind := System()
	open := func(name string, workspaces ...string) (*tools.OpenedSource, error) {
		dir, _ := newWelcome(t, workspaces...)
		return kind.Open(t.Context(), fmt.Appendf(nil, `{"folder":%q}`, dir), tools.Env{Name: name})
	}
	create := func(s *tools.OpenedSource, id string) string {
		args := fmt.Appendf(nil, `{"method":"POST","path":"/workspaces","body":{"id":%q}}`, id)
		r, err := s.Call(t.Context(), tools.CallContext{}, writeTool, args)
		if err != nil {
			t.Fatal(err)
		}
		var out RequestOut
		if err := json.Unmarshal(r.JSON, &out); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(out.Status, string(out.Body.RawMessage))
	}
	one, err := open("one", "shared")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open("two", "shared"); tools.AsError(err).Code != tools.Unavailable || !strings.Contains(err.Error(), "the workspace shared is also in source one") {
		t.Errorf("a second source with the workspace: %v", err)
	}
	if _, err := open("shared"); err == nil {
		t.Error("a source was opened whose name is a workspace of another")
	}
	again, err := open("one", "shared")
	if err != nil {
		t.Fatalf("the same source again: %v", err)
	}
	three, err := open("three")
	if err != nil {
		t.Fatal(err)
	}
	defer three.Close()
	if answer := create(three, "shared"); !strings.HasPrefix(answer, "409") {
		t.Errorf("to create a workspace of another source: %s", answer)
	}
	if answer := create(three, "own"); !strings.HasPrefix(answer, "201") {
		t.Errorf("to create a workspace: %s", answer)
	}
	if answer := create(again, "own"); !strings.HasPrefix(answer, "409") {
		t.Errorf("to create a workspace that another source has made: %s", answer)
	}
	for _, s := range []*tools.OpenedSource{one, again} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if answer := create(three, "shared"); !strings.HasPrefix(answer, "201") {
		t.Errorf("when the other source is closed: %s", answer)
	}
}
