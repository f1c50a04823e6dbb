package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/internal/filelock"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

var hubChecks = []check{
	{name: "hub.sockets", title: "The folder of the hub's sockets is private", look: checkSockets},
	{name: "hub.runs", title: "A hub is running and answers", look: checkHub},
	{name: "hub.one", title: "No second hub is running", look: checkOneHub},
	{name: "hub.version", title: "The hub is of this build", look: checkHubVersion},
	{name: "hub.port", title: "HTTP answers on its port", look: checkPort},
	{name: "hub.listen", title: "Other machines reach only what they should", look: checkRemoteListener},
	{name: "hub.log", title: "The log is written", look: checkLogFile},
	{name: "hub.problems", title: "The hub has no other problem", look: checkHubProblems},
}

func checkSockets(_ context.Context, r *checkRun) status.Check {
	dir := r.Paths.Daemon().Runtime()
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return okResult("the hub creates %s when it starts", dir)
	case err != nil:
		return failResult(err.Error(), readPermissionFix)
	case !info.IsDir():
		return failResult(dir+" is not a folder", "Move it away; the hub creates the folder when it starts.")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return failResult(fmt.Sprintf("other users can enter %s (mode %04o)", dir, info.Mode().Perm()), "Run: chmod 700 "+dir+".")
	default:
		return okResult("%s", dir)
	}
}

func checkHub(_ context.Context, r *checkRun) status.Check {
	vitals, err := r.vitals()
	switch {
	case errors.Is(err, daemon.ErrNoHub):
		return addResultAction(warnResult(noHubMessage,
			"The first agent starts one, and so does `lectern`. To start one now, run: lectern hub start."), status.StartHub,
			"")
	case errors.As(err, new(*daemon.OtherMachineError)):
		return failResult(err.Error(), "Use Lectern on that machine, or give each machine a folder of its own with LECTERN_HOME.")
	case err != nil:
		return failResult(err.Error(), "Read its last output in "+r.Paths.Daemon().Output()+", then run: lectern hub restart.")
	}
	if _, err := r.snapshot(); err != nil {
		return addResultAction(failResult(err.Error(), problems.HubNeedsRestart.Fix), status.RestartHub, "")
	}
	return okResult("pid %d, %s, %s in flight", vitals.PID, english.Plural(vitals.Sessions, "session", ""),
		english.Plural(vitals.InFlight, "call", ""))
}

// HubFiles are the files that a hub which serves has open, and no process beside it
// but readers of the record of calls.
func HubFiles(p app.Paths) []string {
	return []string{journal.DatabaseFile(p.Journal()), p.Audit()}
}

func checkOneHub(_ context.Context, r *checkRun) status.Check {
	if runtime.GOOS != "linux" {
		return skipResult("this system does not report which processes have the journal open")
	}
	vitals, err := r.vitals()
	reached := 0 // the hub that clients of this build reach
	if err == nil {
		reached = vitals.PID
	}
	for _, p := range daemon.OtherHubs(HubFiles(r.Paths)) {
		if p.PID != reached {
			return failResult(fmt.Sprintf("%s is another hub of %s, which this one cannot reach: you do not see what its agents ask",
				p, r.Paths.State), fmt.Sprintf("End it, then connect its agents again. Run: kill %d.", p.PID))
		}
	}
	for _, p := range filelock.Openers(journal.DatabaseFile(r.Paths.Journal())) {
		if p.PID != reached && p.PID != os.Getpid() {
			return warnResult(fmt.Sprintf("%s has the journal of changes open, so the writes of other agents are refused", p),
				fmt.Sprintf("If it should not run, end it. Run: kill %d.", p.PID))
		}
	}
	if reached == 0 {
		return okResult(noHubMessage)
	}
	return okResult("only process %d has the journal of %s open", reached, r.Paths.State)
}

func checkHubVersion(_ context.Context, r *checkRun) status.Check {
	vitals, err := r.vitals()
	if err != nil {
		return skipResult(noHubMessage)
	}
	if own := r.BuildInfo(); vitals.Build != own.Build {
		return addResultAction(warnResult(fmt.Sprintf("the hub is version %s (%s), this is %s (%s)", vitals.Version, vitals.Build, own.Version,
			own.Build),
			"A newer hub takes over automatically once no call is in flight. To switch now, restart the hub; agents stay connected."),
			status.RestartHub,
			"")
	}
	return okResult("version %s, build %s", vitals.Version, vitals.Build)
}

// healthTimeout bounds how long the hub's own port may take to answer.
const healthTimeout = 3 * time.Second

func checkPort(ctx context.Context, r *checkRun) status.Check {
	conf, err := r.conf()
	if err != nil {
		return skipResult("the configuration cannot be read")
	}
	if !conf.Hub.HTTP {
		return skipResult("HTTP is off in the configuration; agents that use `lectern serve` do not need it")
	}
	snap, err := r.snapshot()
	if err != nil {
		return checkPortIsFree(ctx, r, conf.Hub.Port)
	}
	if p, found := r.findHubProblem(problems.PortTaken, problems.ClientTokenRefused); found {
		return fromProblem(p)
	}
	if snap.Hub.Endpoint != fmt.Sprintf("http://127.0.0.1:%d/mcp", conf.Hub.Port) {
		return addResultAction(warnResult(fmt.Sprintf("the configuration says port %d, the hub serves %s", conf.Hub.Port,
			cmp.Or(snap.Hub.Endpoint, "none")),
			problems.HubNeedsRestart.Fix), status.RestartHub, "")
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	health := strings.TrimSuffix(snap.Hub.Endpoint, "/mcp") + "/healthz"
	if err := probeHealth(ctx, health); err != nil {
		return failResult(fmt.Sprintf("%s does not answer: %v", health, err), "Check whether a firewall or a proxy blocks 127.0.0.1.")
	}
	return okResult("%s answers", health)
}

// probeHealth asks like any client, but through no proxy.
func probeHealth(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // read as far as wanted
	text, err := io.ReadAll(io.LimitReader(res.Body, 64))
	if err == nil && (res.StatusCode != http.StatusOK || string(text) != "ok\n") {
		err = fmt.Errorf("another program answers there, with %s", res.Status)
	}
	return err
}

func checkPortIsFree(ctx context.Context, r *checkRun, port int) status.Check {
	l, err := loopnet.ListenTCP(ctx, port)
	if err != nil {
		return failResult(err.Error(), fmt.Sprintf("Stop that program, or set another port in [hub] of %s.", r.Paths.File()))
	}
	_ = l.Close()
	return okResult("port %d is free for the hub", port)
}

func checkLogFile(_ context.Context, r *checkRun) status.Check {
	if p, found := r.findHubProblem(problems.LogStopped); found {
		return fromProblem(p)
	}
	file := r.Paths.Log()
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return okResult("the hub creates %s when it starts", file)
	case err != nil:
		return failResult(err.Error(), readPermissionFix)
	case !info.Mode().IsRegular():
		return failResult(file+" is not a file", "Move it away; the hub does not run without a log.")
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return failResult(err.Error(), "Give yourself permission to write it.")
	}
	_ = f.Close() // nothing was written
	return okResult("%s, %d KB", file, (info.Size()+1023)/1024)
}

// checkHubProblems reports the hub's problems that no other check reports.
func checkHubProblems(_ context.Context, r *checkRun) status.Check {
	snap, err := r.snapshot()
	if err != nil {
		return skipResult(noHubMessage)
	}
	reported := []string{
		problems.ConfigBroken.Code, problems.ConfigWritable.Code, problems.JournalDamaged.Code, problems.LogStopped.Code,
		problems.PluginOriginUnknown.Code, problems.PluginTokenRefused.Code, problems.PluginRefused.Code, problems.PortTaken.Code,
		problems.ClientTokenRefused.Code, problems.ListenStopped.Code,
	}
	rest := slices.DeleteFunc(slices.Clone(snap.Problems), func(p status.Problem) bool {
		return p.Component != problems.HubComponent || slices.Contains(reported, p.Code)
	})
	if len(rest) == 0 {
		return okResult("none besides those that other checks report")
	}
	c := fromProblem(rest[0])
	if more := len(rest) - 1; more > 0 {
		c.Detail += fmt.Sprintf(" (and %d more; see `lectern status`)", more)
	}
	return c
}
