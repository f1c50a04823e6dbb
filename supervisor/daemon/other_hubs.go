package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/lectern-mcp/lectern/internal/filelock"
	"github.com/lectern-mcp/lectern/supervisor"
)

// OtherHubs returns the hub processes that have one of these files open, but for this
// process. It sees also those that cannot be reached, since an older build is found
// elsewhere, or since their folder was removed. On other systems than Linux it sees
// none.
func OtherHubs(files []string) []filelock.Process {
	var hubs []filelock.Process
	for _, p := range filelock.Openers(files...) {
		if p.PID != os.Getpid() && p.Subcommand() == "hub" {
			hubs = append(hubs, p)
		}
	}
	return hubs
}

// otherHubInterval is how often other hubs are looked for, which reads much of /proc.
const otherHubInterval = 200 * time.Millisecond

// awaitOtherHubs waits until no other hub has an exclusive file open, and returns an
// OtherHubError if one goes on. hub.lock is held.
func awaitOtherHubs(ctx context.Context, c HubConfig) error {
	hubs, limit := OtherHubs(c.Exclusive), c.Timing.OtherHub
	if len(hubs) > 0 && askFormerHubs(ctx, c, hubs) {
		limit = c.Timing.Lock
	}
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := supervisor.Poll(waiting, otherHubInterval, func() (bool, error) {
		hubs = OtherHubs(c.Exclusive)
		return len(hubs) == 0, nil
	})
	if err != nil && len(hubs) > 0 && ctx.Err() == nil {
		return &OtherHubError{State: c.Paths.State, Hub: hubs[0]}
	}
	return err
}

// askFormerHubs asks those of hubs that are found where older builds had their sockets to
// shut down after their calls, and reports whether one does.
func askFormerHubs(ctx context.Context, c HubConfig, hubs []filelock.Process) (asked bool) {
	body, err := json.Marshal(StopRequest{Restart: true})
	if err != nil || c.FormerRuntimes == nil {
		return false
	}
	for _, hub := range hubs {
		for _, dir := range c.FormerRuntimes(hub.Getenv) {
			former := Paths{State: c.Paths.State, runtime: dir}
			d, err := readDiscovery(former)
			if err != nil || d.PID != hub.PID {
				continue // none, or another Lectern's
			}
			if _, err := requestHub(ctx, former, http.MethodPost, hubStopPath, body); err != nil {
				c.Log.Warn("a hub of an older build does not hand over", "pid", d.PID, "version", d.Version, "error", err)
				continue
			}
			c.Log.Info("a hub of an older build hands over", "pid", d.PID, "version", d.Version)
			asked = true
		}
	}
	return asked
}

// OtherHubError says that a hub cannot serve because another does, which clients of
// this build cannot reach.
type OtherHubError struct {
	State string
	Hub   filelock.Process
}

func (e *OtherHubError) Error() string {
	return fmt.Sprintf("another hub serves %s and cannot be reached from here, as hubs of older builds cannot: %s; end it with: kill %d",
		e.State, e.Hub, e.Hub.PID)
}
