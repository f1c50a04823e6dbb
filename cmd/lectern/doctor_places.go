package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
)

// clientChecks are one for each MCP client that has an entry of ours, or one
// that says that none has.
func (v *visit) clientChecks() []check {
	m := v.machine()
	server, _ := v.server(v.configured())
	var list []check
	for _, c := range installer.Clients() {
		f := m.Find(c, server)
		if f.Condition == installer.Absent {
			continue
		}
		list = append(list, check{
			name: "client." + c.ID, title: c.Title + " has Lectern", look: func(context.Context, *visit) status.Check { return lookAtClient(f) },
		})
	}
	if len(list) == 0 {
		list = append(list, check{name: "client.any", title: "A client has Lectern", look: func(context.Context, *visit) status.Check {
			return doubt("no MCP client has Lectern yet, as far as their files tell",
				"See `lectern client list`, then run: lectern client install CLIENT.")
		}})
	}
	return list
}

func lookAtClient(f installer.Finding) status.Check {
	switch f.Condition {
	case installer.Absent, installer.Connected, installer.Placed:
		return good("%s", f.File)
	case installer.Foreign:
		return doubt(f.File+": "+f.Note, "Remove that entry, or give ours another name: lectern client install "+f.Client.ID+" --name NAME.")
	case installer.Broken:
		return bad(f.Note, "Correct the file, or paste what `lectern client show "+f.Client.ID+"` prints.")
	case installer.Outdated:
	}
	c := doubt(f.File+": "+f.Note, "Run: lectern client install "+f.Client.ID+".")
	if f.Client.Retired() != "" {
		c.Fix = "Run: lectern client remove " + f.Client.ID + "."
		return c
	}
	c.Action = &status.Action{Verb: status.Install, Target: clientPlace + "/" + f.Client.ID}
	return c
}

func placeChecks() []check {
	return []check{
		{name: "service.login", title: "The service is as this build writes it", look: lookAtService},
		{name: "update.version", title: "Lectern is up to date", look: lookAtUpdate},
	}
}

func lookAtService(_ context.Context, v *visit) status.Check {
	f := v.machine().FindService(v.service())
	switch f.Condition {
	case installer.Absent:
		return skipped("there is none; the first agent starts the hub, which is enough for most people")
	case installer.Foreign:
		return doubt(f.Note, "Move that file away if the service is to be ours.")
	case installer.Outdated, installer.Broken:
		c := doubt(f.File+": "+f.Note, "Run: lectern service install.")
		c.Action = &status.Action{Verb: status.Install, Target: servicePlace}
		return c
	case installer.Placed, installer.Connected:
	}
	return good("%s", f.File)
}

// lookAtUpdate says which versions there are, by what is known: the doctor asks
// no network.
func lookAtUpdate(_ context.Context, v *visit) status.Check {
	conf, err := v.conf()
	if err != nil {
		return skipped("the configuration cannot be read")
	}
	u, err := update.New(v.updateConfig(conf.Update, slog.New(slog.DiscardHandler)))
	if err != nil {
		return bad(err.Error(), "Correct [update] in "+v.places.File()+".")
	}
	words := v.versionWords(u)
	if offer := u.Offer(); offer != "" {
		c := doubt(words, "Run: lectern self-update.")
		c.Action = &status.Action{Verb: status.InstallUpdate}
		if err := u.Barred(); err != nil {
			c.Fix, c.Action = err.Error(), nil
		}
		return c
	}
	return good("%s", words)
}

// versionWords are all versions that matter, in one line.
func (v *visit) versionWords(u *update.Updater) string {
	words := []string{"installed " + lecternVersion}
	if vitals, err := v.vitals(); err == nil {
		words = append(words, "running "+vitals.Version)
	} else {
		words = append(words, "none running")
	}
	if seen := u.Seen(); seen.Available != "" {
		words = append(words, fmt.Sprintf("available %s (asked on %s)", seen.Available, seen.Learned.Format("2006-01-02")))
	} else {
		words = append(words, "available: not asked yet, see `lectern self-update --check`")
	}
	if u.Pin != "" {
		words = append(words, "pinned "+u.Pin)
	}
	if old := u.Previous(); old != "" {
		words = append(words, "before "+old)
	}
	return strings.Join(words, ", ")
}
