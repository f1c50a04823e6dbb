package mcp_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/tools"
)

func TestAnnotations(t *testing.T) {
	for effect, want := range map[tools.Effect]string{
		tools.Reads:   `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`,
		tools.Writes:  `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}`,
		tools.Deletes: `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false}`,
		tools.Runs:    `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`,
		tools.Admin:   `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}`,
	} {
		if got, _ := mcp.ToolDeclarationJSON(tools.ToolInfo{Effect: effect}); !strings.Contains(string(got), want) {
			t.Errorf("%s: got %s, want %s", effect, got, want)
		}
	}
}
