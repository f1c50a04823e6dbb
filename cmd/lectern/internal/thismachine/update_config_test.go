package thismachine

import (
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
)

// The environment and the configuration turn the daily check off.
func TestMayCheckForUpdate(t *testing.T) {
	for env, want := range map[string]bool{
		"A=b": true, "DO_NOT_TRACK=1": false, "LECTERN_NO_UPDATE_CHECK=1": false, "DO_NOT_TRACK=0": true,
	} {
		a := apptest.New(t)
		a.Environ = append(a.Environ, env)
		conf, err := a.Config()
		if err != nil {
			t.Fatal(err)
		}
		if got := mayCheckForUpdate(a, conf.Update); got != want {
			t.Errorf("%s: may check %v, want %v", env, got, want)
		}
		conf.Update.Check = false
		if mayCheckForUpdate(a, conf.Update) {
			t.Errorf("%s: the configuration is ignored", env)
		}
	}
}
