package mcp_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/tools"
)

func TestAnnotations(t *testing.T) {
	for want, info := range map[string]tools.ToolInfo{
		`{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`:   {Effect: tools.Reads},
		`{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}`:  {Effect: tools.Writes},
		`{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}`: {Effect: tools.Writes, Additive: true},
		`{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false}`:   {Effect: tools.Deletes},
		`{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`:   {Effect: tools.Runs, LeavesMachine: true},
	} {
		if got, _ := mcp.ToolDeclarationJSON(info); !strings.Contains(string(got), want) {
			t.Errorf("%v: got %s, want %s", info, got, want)
		}
	}
}

// Only tools that read notes say how long their answers may be.
func TestMaxResultSize(t *testing.T) {
	for _, tt := range []struct {
		info tools.ToolInfo
		want bool
	}{
		{tools.ToolInfo{Effect: tools.Reads}, true},
		{tools.ToolInfo{Effect: tools.Reads, NoNotes: true}, false},
		{tools.ToolInfo{Effect: tools.Writes}, false},
	} {
		got, _ := mcp.ToolDeclarationJSON(tt.info)
		if strings.Contains(string(got), `"_meta":{"anthropic/maxResultSizeChars":500000}`) != tt.want {
			t.Errorf("%+v: got %s", tt.info, got)
		}
	}
}
