package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/status"
)

func configChecks() []check {
	return []check{
		{name: "config.file", title: "The configuration can be read", look: lookAtConfig},
		{name: "config.mode", title: "Nobody else may write the configuration", look: lookAtConfigMode},
	}
}

func lookAtConfig(_ context.Context, v *visit) status.Check {
	conf, err := v.conf()
	switch {
	case err != nil:
		return from(v.brokenConfig(err))
	case !conf.InFile():
		return good("there is no %s; the defaults hold", v.places.File())
	case len(conf.Notices) > 0:
		return doubt(conf.Notices[0].Format(conf.Path), "Remove that line; everything else in the file counts.")
	default:
		return good("%s, with %s", v.places.File(), count(len(conf.Sources), "source"))
	}
}

func lookAtConfigMode(_ context.Context, v *visit) status.Check {
	if runtime.GOOS == "windows" {
		return skipped("Windows has access lists, which a mode does not show")
	}
	file := v.places.File()
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return skipped("there is no %s", file)
	case err != nil:
		return bad(err.Error(), "Give yourself the right to read it.")
	case info.Mode().Perm()&0o022 != 0:
		return from(openConfig(file, info.Mode()))
	default:
		return good("mode %04o", info.Mode().Perm())
	}
}

// sourceChecks are one for each source that would be served.
func (v *visit) sourceChecks() []check {
	conf, err := v.conf()
	if err != nil {
		return nil // config.file says so
	}
	var list []check
	for _, s := range v.sources(conf) {
		list = append(list, check{
			name: "source." + s.Name, title: "Source " + s.Name + " is open",
			look: func(_ context.Context, v *visit) status.Check { return v.lookAtSource(s) },
		})
	}
	return list
}

// lookAtSource says what the hub says of a source, or where none runs whether
// its place is there.
func (v *visit) lookAtSource(s hub.Source) status.Check {
	snap, err := v.picture()
	if err != nil {
		return lookAtPlace(s)
	}
	for _, p := range snap.Problems {
		if p.Component == s.Name {
			return from(p)
		}
	}
	for _, src := range snap.Sources {
		if src.Name != s.Name {
			continue
		}
		state := sourceState{Source: src}
		if src.State != status.Ready {
			c := doubt(fmt.Sprintf("%s %s is %s", src.Kind, src.Place, state.word()), "Open it again, or see what `lectern logs` says of it.")
			c.Action = &status.Action{Verb: status.ReopenSource, Target: s.Name}
			return c
		}
		return good("%s %s, %s", src.Kind, src.Place, count(src.Tools, "tool"))
	}
	c := doubt("the running hub does not know it yet", "Have the hub read the configuration again.")
	c.Action = &status.Action{Verb: status.Reload}
	return c
}

func lookAtPlace(s hub.Source) status.Check {
	if s.Place == "" || !filepath.IsAbs(s.Place) {
		return skipped("no hub runs that would say how it is")
	}
	entries, err := os.Open(s.Place)
	if err == nil {
		_, err = entries.Readdirnames(1)
		_ = entries.Close() // only looked at
	}
	switch {
	case s.Sample && errors.Is(err, fs.ErrNotExist):
		return good("the sample, which the hub lays out in %s when it starts", s.Place)
	case errors.Is(err, fs.ErrNotExist):
		return bad(s.Place+" is not there", "Bring it back, or correct the path in the configuration.")
	case errors.Is(err, fs.ErrPermission):
		return bad(s.Place+" may not be read by you", "Give yourself the right to read it.")
	}
	return good("%s %s is there; no hub runs that has it open", s.Kind, s.Place)
}
