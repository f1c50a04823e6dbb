package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/status"
)

var configChecks = []check{
	{name: "config.file", title: "The configuration can be read", look: checkConfig},
	{name: "config.mode", title: "Only you can change the configuration", look: checkConfigFileMode},
}

func checkConfig(_ context.Context, r *checkRun) status.Check {
	conf, err := r.conf()
	switch {
	case err != nil:
		return fromProblem(problems.NewConfigBroken(r.Paths.File(), err, r.Now()))
	case len(conf.Notices) > 0:
		var notices []string
		for _, n := range conf.Notices {
			notices = append(notices, n.Format(conf.Path))
		}
		return warnResult(strings.Join(notices, "; "), "Change these lines as they say; the rest of the file is used.")
	case !conf.InFile():
		return okResult("there is no %s; the defaults apply", r.Paths.File())
	default:
		return okResult("%s, with %s", r.Paths.File(), english.Plural(len(conf.Sources), "source", ""))
	}
}

func checkConfigFileMode(_ context.Context, r *checkRun) status.Check {
	if runtime.GOOS == "windows" {
		return skipResult("on Windows file modes do not say who can write")
	}
	file := r.Paths.File()
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return skipResult("there is no %s", file)
	case err != nil:
		return failResult(err.Error(), readPermissionFix)
	case info.Mode().Perm()&0o022 != 0:
		return fromProblem(problems.NewConfigWritable(file, info.Mode()))
	default:
		return okResult("mode %04o", info.Mode().Perm())
	}
}

// sourceChecks are one for each source that a hub would open.
func (r *checkRun) sourceChecks() []check {
	conf, err := r.conf()
	if err != nil {
		return nil // config.file reports it
	}
	var list []check
	for _, s := range r.Sources(conf) {
		list = append(list, check{
			name: "source." + s.Name, title: "Source " + s.Name + " is open",
			look: func(ctx context.Context, r *checkRun) status.Check { return checkSourceState(ctx, r, s) },
		})
	}
	return list
}

// checkSourceState reports how the hub has a source open; if no hub is running,
// whether its folder is readable.
func checkSourceState(ctx context.Context, r *checkRun, s app.Source) status.Check {
	snap, err := r.snapshot()
	if err != nil {
		return checkFolder(s)
	}
	hides := ""
	if len(s.Exclude)+len(s.Only) > 0 {
		pages, err := status.Ask(ctx, r.API, status.HiddenPagesQuery, s.Name)
		switch {
		case err != nil: // it does not serve, as its problems say, or cannot count
		case len(pages.Unmatched) > 0:
			return warnResult(fmt.Sprintf("it %s, but these privacy rules match nothing: %s", pages, strings.Join(pages.Unmatched, ", ")),
				"Compare them with the names in the source, and correct them in "+r.Paths.File()+".")
		default:
			hides = ", " + pages.String()
		}
	}
	for _, p := range snap.Problems {
		if p.Component == s.Name && (p.Code != "source.rule" || hides == "") {
			return fromProblem(p)
		}
	}
	for _, src := range snap.Sources {
		switch {
		case src.Name != s.Name:
		case src.State == status.Ready, src.State == status.Waiting: // whether its application is connected has checks of its own
			return okResult("%s %s, %s%s", src.Kind, src.Location, english.Plural(src.Tools, "tool", ""), hides)
		default:
			detail := src.Kind + " " + src.Location + " is " + string(src.State)
			if src.Note != "" {
				detail += ": " + src.Note
			}
			return addResultAction(warnResult(detail, "Reopen it, or look for the reason in `lectern logs`."), status.ReopenSource, s.Name)
		}
	}
	return addResultAction(warnResult("the running hub has not opened it yet", "Reload the configuration."), status.Reload, "")
}

func checkFolder(s app.Source) status.Check {
	if s.Path == "" || !filepath.IsAbs(s.Path) {
		return skipResult(noHubMessage)
	}
	dir, err := os.Open(s.Path)
	if err == nil {
		_, err = dir.Readdirnames(1)
		_ = dir.Close()
	}
	switch {
	case s.Sample != nil && errors.Is(err, fs.ErrNotExist):
		return okResult("the sample vault; the hub creates %s when it starts", s.Path)
	case errors.Is(err, fs.ErrNotExist):
		return failResult(s.Path+" does not exist", "Restore it, or correct the path in the configuration.")
	case errors.Is(err, fs.ErrPermission):
		return failResult("permission denied: you cannot read "+s.Path, "Run: chmod u+rx "+s.Path+".")
	}
	return okResult("%s %s exists; %s", s.Kind, s.Path, noHubMessage)
}
