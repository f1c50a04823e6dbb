package pane

import (
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// describeInstallAction is what is done to the install with this ID, in words: to a client,
// to what comes with us, or to the service.
func describeInstallAction(id string, s status.Snapshot, client, with, service string) string {
	kind, name, _ := strings.Cut(id, "/")
	switch kind {
	case "client":
		return client + " " + installationTitle(id, s)
	case "skill":
		return with + " the skill for " + installationTitle("client/"+name, s)
	case "service":
		return service
	default:
		return with + " the " + installationTitle(id, s)
	}
}

// installationTitle is what people call the install with this ID; of one that is not
// known, the ID.
func installationTitle(id string, s status.Snapshot) string {
	for _, in := range s.Installations {
		if in.ID == id && in.Title != "" {
			return in.Title
		}
	}
	return id
}
