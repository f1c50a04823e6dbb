package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
)

var installationChecks = []check{
	{name: "service.login", title: "The service is as this build writes it", look: checkService},
	{name: "update.version", title: "Lectern is up to date", look: checkUpdate},
}

// clientChecks are one for each MCP client that has an entry of Lectern, or one
// that says that none has.
func (r *checkRun) clientChecks() []check {
	var list []check
	for _, s := range r.ClientStates() {
		if s.Condition != installer.Absent {
			list = append(list, check{
				name: "client." + s.Client.ID, title: s.Client.Title + " has Lectern",
				look: func(context.Context, *checkRun) status.Check { return checkClient(s) },
			})
		}
	}
	if len(list) > 0 {
		return list
	}
	return []check{{name: "client.any", title: "A client has Lectern", look: func(context.Context, *checkRun) status.Check {
		return warnResult("no configuration file of an MCP client contains Lectern",
			"See `lectern client list`, then run: lectern client install CLIENT.")
	}}}
}

func checkClient(s install.ClientState) status.Check {
	f := s.Finding
	detail := f.File + ": " + f.Note
	switch f.Condition {
	case installer.Absent, installer.Configured, installer.Installed:
		switch {
		case f.Note != "":
			return warnResult(f.File+" is in order, but "+f.Note, "Do what the message says, then run: lectern client check "+f.Client.ID+".")
		case s.Bytes > app.MaxSessionToolBytes:
			return warnResult(fmt.Sprintf("%s: the tools take %d KB of every session, more than %d", f.File, s.Bytes>>10,
				app.MaxSessionToolBytes>>10),
				"Give it only what it needs: lectern client install "+f.Client.ID+" --sources NAME.")
		}
		return okResult("%s", f.File)
	case installer.Elsewhere:
		if f.Difference == "" {
			return skipResult("%s", detail)
		}
		return warnResult(f.File+": "+f.Difference+", so its agents have another hub, with other sources",
			"Set the same variables here, or have the entry name these folders. Run: lectern client install "+f.Client.ID+".")
	case installer.Foreign:
		return warnResult(detail, "Remove that entry, or give ours another name: lectern client install "+f.Client.ID+" --name NAME.")
	case installer.Broken:
		return failResult(f.Note, "Correct the file, or paste what `lectern client show "+f.Client.ID+"` prints.")
	case installer.Outdated:
	}
	if f.Client.Retired() != "" {
		return warnResult(detail, "Run: lectern client remove "+f.Client.ID+".")
	}
	return addResultAction(warnResult(detail, "Run: lectern client install "+f.Client.ID+"."), status.Install, "client/"+f.Client.ID)
}

func checkService(_ context.Context, r *checkRun) status.Check {
	f := r.Machine().FindService(r.Service())
	switch f.Condition {
	case installer.Absent:
		return skipResult("there is none; the first agent starts the hub, which is enough for most people")
	case installer.Foreign:
		return warnResult(f.Note, "Move that file away if Lectern is to run as a service.")
	case installer.Outdated, installer.Broken:
		return addResultAction(warnResult(f.File+": "+f.Note, "Run: lectern service install."), status.Install, "service")
	case installer.Installed, installer.Configured, installer.Elsewhere:
	}
	return okResult("%s", f.File)
}

// checkUpdate reports the versions that are known already. It does not go
// online.
func checkUpdate(_ context.Context, r *checkRun) status.Check {
	conf, err := r.conf()
	if err != nil {
		return skipResult("the configuration cannot be read")
	}
	u, err := r.Updater(conf.Update)
	if err != nil {
		return failResult(err.Error(), "Correct [update] in "+r.Paths.File()+".")
	}
	versions := describeLecternVersions(r, u)
	if u.NewerVersion() == "" {
		return okResult("%s", versions)
	}
	if err := u.CheckInstallByPath(); err != nil {
		return warnResult(versions, err.Error())
	}
	return addResultAction(warnResult(versions, "Run: lectern self-update."), status.InstallUpdate, "")
}

func describeLecternVersions(r *checkRun, u *update.Updater) string {
	list := []string{"installed " + u.Version, "none running", "available: not checked yet, see `lectern self-update --check`"}
	if vitals, err := r.vitals(); err == nil {
		list[1] = "running " + vitals.Version
	}
	if seen := u.KnownVersions(); seen.Available != "" {
		list[2] = fmt.Sprintf("available %s (checked on %s)", seen.Available, seen.Learned.Format("2006-01-02"))
	}
	if u.Pin != "" {
		list = append(list, "pinned "+u.Pin)
	}
	if previous := u.Previous(); previous != "" {
		list = append(list, "previous "+previous)
	}
	return strings.Join(list, ", ")
}
