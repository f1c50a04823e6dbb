package pane

import "github.com/lectern-mcp/lectern/status"

// newer is the version that an update would lead to; empty: none that is known.
func newer(s status.Snapshot) string {
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

// versions says what there is besides the version that runs.
func versions(s status.Snapshot) string {
	words := ""
	if u := s.Update; u.Installed != "" && u.Installed != s.Hub.Version {
		words += " · " + u.Installed + " installed"
	}
	if v := newer(s); v != "" {
		words += " · " + v + " available, i updates"
	}
	return words
}

// update is what the key that updates does.
func update(s status.Snapshot) Intent {
	if newer(s) != "" {
		return wish(status.Action{Verb: status.InstallUpdate})
	}
	return wish(status.Action{Verb: status.CheckUpdate})
}
