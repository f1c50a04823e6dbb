package pane

import "github.com/lectern-mcp/lectern/status"

// availableVersion is the version that an update would lead to; empty: none
// that is known.
func availableVersion(s status.Snapshot) string {
	u := s.Update
	switch {
	case u.Available == "" || u.Available == u.Installed:
		return ""
	case u.Installed == "" && u.Available == s.Hub.Version:
		return ""
	default:
		return u.Available
	}
}

// versionNotes says what there is besides the version that runs.
func versionNotes(s status.Snapshot) string {
	words := ""
	if u := s.Update; u.Installed != "" && u.Installed != s.Hub.Version {
		words += " · " + u.Installed + " installed"
	}
	if v := availableVersion(s); v != "" {
		words += " · " + v + " available, i updates"
	}
	return words
}

// updateIntent is what the key that updates does.
func updateIntent(s status.Snapshot) Intent {
	if availableVersion(s) != "" {
		return IntentFor(status.Action{Verb: status.InstallUpdate})
	}
	return IntentFor(status.Action{Verb: status.CheckUpdate})
}
