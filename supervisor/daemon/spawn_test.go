package daemon

import (
	"slices"
	"testing"
)

// A hub inherits no secret of the client that starts it, but those that the
// configuration names.
func TestHubEnvironment(t *testing.T) {
	c := ConnectConfig{
		Env:         []string{"PATH=/bin", "LECTERN_HOME=/x", "API_KEY=k", "NOTES_DSN=postgres://", "notes_dsn=other"},
		SecretNames: func() []string { return []string{"NOTES_DSN", "GONE"} },
	}
	if got, want := c.hubEnv(), []string{"PATH=/bin", "LECTERN_HOME=/x", "NOTES_DSN=postgres://"}; !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
}
