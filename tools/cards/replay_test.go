package cards_test

import (
	"slices"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/cards/internal/deckotest"
)

// TestReplayAnswersAsReal holds the wiki that stands for Decko in tests to what the
// real one answered. Left out is what no client may lean on: what it lets through and
// leaks, and the bytes of its converters.
func TestReplayAnswersAsReal(t *testing.T) {
	if runtest.UnderRace {
		t.Skip("one request follows the other, as in TestContractCases")
	}
	w := newWiki(t, t.TempDir())
	replay := &deckotest.Wiki{API: w, Store: w.store, Auth: w.auth, Key: w.key}
	others := []string{
		"auth-decko-role-name", "tok-noexp", "tok-wrongkid",
		"sec-patch-empty", "sec-patch-append", "sec-patch-find", "sec-create-guess", "sec-create-exists", "sec-batch-update", "sec-batch-probe", "sec-improve",
		"sec-key-read", "sec-key-tamper", "sp-player-read", "sp-ai",
		"create-sanitize", "create-slash", "create-slash-collide", "search-02-user", "rel-linkedby-g", "render-05", "render-14",
	}
	for _, c := range readCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			want := c.Real
			if slices.Contains(others, c.ID) {
				want = expectation{} // it is sent all the same: others build on it
			}
			w.playOn(t, replay, c, want)
		})
	}
}
