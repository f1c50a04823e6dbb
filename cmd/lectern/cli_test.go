package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// testCLI has its files in a folder of the test.
func testCLI(t *testing.T) *cli {
	t.Helper()
	var out bytes.Buffer
	return &cli{apptest.New(t), console{json: &jsonOutput{}, in: &bytes.Buffer{}, out: &out, err: &out, getenv: func(string) string { return "" }}}
}

// The tables in the help about the configuration can be read.
func TestRepeatedTables(t *testing.T) {
	a := apptest.New(t)
	text := strings.ReplaceAll(repeatedTablesHelp, "KIND", "markdown")
	schema := a.ConfigSchema()
	schema.Roles["markdown"] = []string{"user", "gm"}
	if _, err := config.Parse(a.Paths.File(), []byte(text), schema); err != nil {
		t.Fatal(err)
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want exitCode
	}{
		{errors.New("x"), exitFailed},
		{usageErrorf("x"), exitUsage},
		{fmt.Errorf("ask: %w", daemon.ErrNoHub), exitNoHub},
		{&status.CallError{Code: "denied"}, exitDenied},
		{&status.CallError{Code: "not_found"}, exitFailed},
		{context.Canceled, exitFailed},
	} {
		if got := exitCodeFor(c.err); got != c.want {
			t.Errorf("%v: got %d, want %d", c.err, got, c.want)
		}
	}
}

// A key of a System with the name of one that every source has would never reach it.
func TestKeysOfSystemsAreTheirOwn(t *testing.T) {
	for _, kind := range testCLI(t).Systems() {
		for _, key := range app.ConfigKeys(kind.Manifest()) {
			if config.IsCommonKey(key.Name) {
				t.Errorf("%s declares the key %s, which every source has", kind.Manifest().Name, key.Name)
			}
		}
	}
}
