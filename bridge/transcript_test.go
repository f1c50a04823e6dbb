package bridge_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/bridge/bridgetest"
)

func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d transcripts, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, poll := range []bool{false, true} {
			t.Run(name+map[bool]string{false: "/websocket", true: "/poll"}[poll], func(t *testing.T) {
				token := bridgetest.NewToken(t)
				synctest.Test(t, func(t *testing.T) {
					s := newStage(t, token, poll, bridge.Config{})
					bridgetest.Replay(t, file, s.Bridge, token, s.dial())
				})
			})
		}
	}
}
