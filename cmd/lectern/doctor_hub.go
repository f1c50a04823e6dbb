package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

func hubChecks() []check {
	return []check{
		{name: "hub.sockets", title: "The folder of the hub's sockets is private", look: lookAtSockets},
		{name: "hub.runs", title: "A hub runs and answers", look: lookAtHub},
		{name: "hub.version", title: "The hub is of this build", look: lookAtVersion},
		{name: "hub.port", title: "HTTP answers on its port", look: lookAtPort},
		{name: "hub.log", title: "The log is written", look: lookAtLogFile},
		{name: "hub.problems", title: "The hub has no problem", look: lookAtProblems},
	}
}

func lookAtSockets(_ context.Context, v *visit) status.Check {
	dir := v.places.Runtime
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return good("%s is made when the hub starts", dir)
	case err != nil:
		return bad(err.Error(), "Give yourself the right to read it.")
	case !info.IsDir():
		return bad(dir+" is not a folder", "Move it away; the hub makes the folder when it starts.")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return bad(fmt.Sprintf("others may enter %s (mode %04o)", dir, info.Mode().Perm()), "Run: chmod 700 "+dir+".")
	default:
		return good("%s", dir)
	}
}

func lookAtHub(_ context.Context, v *visit) status.Check {
	vitals, err := v.vitals()
	switch {
	case errors.Is(err, daemon.ErrNoHub):
		c := doubt("no hub runs", "The first agent starts one, and so does `lectern`; to start it now run: lectern hub restart.")
		c.Action = &status.Action{Verb: status.StartHub}
		return c
	case err != nil:
		return bad(err.Error(), "See "+v.hubPaths().Output()+" for what it said last; `lectern hub restart` starts it anew.")
	}
	if _, err := v.picture(); err != nil {
		c := bad(err.Error(), "Restart the hub; agents stay connected.")
		c.Action = &status.Action{Verb: status.RestartHub}
		return c
	}
	return good("pid %d, %s, %s in flight", vitals.PID, count(vitals.Sessions, "session"), count(vitals.InFlight, "call"))
}

func lookAtVersion(_ context.Context, v *visit) status.Check {
	vitals, err := v.vitals()
	if err != nil {
		return skipped("no hub runs")
	}
	if this := v.stamp(); vitals.Build != this.Build {
		c := doubt(fmt.Sprintf("the hub is version %s (%s), this is %s (%s)", vitals.Version, vitals.Build, this.Version, this.Build),
			"A newer hub takes over by itself once no call is in flight; to have this one now, restart the hub. Agents stay connected.")
		c.Action = &status.Action{Verb: status.RestartHub}
		return c
	}
	return good("version %s, build %s", vitals.Version, vitals.Build)
}

// healthWithin bounds how long the hub's own port may take.
const healthWithin = 3 * time.Second

func lookAtPort(ctx context.Context, v *visit) status.Check {
	conf, err := v.conf()
	if err != nil {
		return skipped("the configuration cannot be read")
	}
	if !conf.Hub.HTTP {
		return skipped("HTTP is off in the configuration; agents over `lectern serve` need none")
	}
	snap, err := v.picture()
	if err != nil {
		return v.lookAtFreePort(ctx, conf.Hub.Port)
	}
	for _, p := range snap.Problems {
		if p.Code == portTaken.Code || p.Code == tokenRefused.Code {
			return from(p)
		}
	}
	if snap.Hub.Endpoint != fmt.Sprintf("http://127.0.0.1:%d/mcp", conf.Hub.Port) {
		c := doubt(fmt.Sprintf("the configuration says port %d, the hub serves %s", conf.Hub.Port, orNothing(snap.Hub.Endpoint)), hubRestart.Fix)
		c.Action = &status.Action{Verb: status.RestartHub}
		return c
	}
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	health := strings.TrimSuffix(snap.Hub.Endpoint, "/mcp") + "/healthz"
	if err := askHealth(ctx, health); err != nil {
		return bad(fmt.Sprintf("%s does not answer: %v", health, err), "See whether a firewall or a proxy keeps programs from 127.0.0.1.")
	}
	return good("%s answers", health)
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// askHealth asks as any client would, past every proxy.
func askHealth(ctx context.Context, url string) error {
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
		err = fmt.Errorf("another program is there, which says %s", res.Status)
	}
	return err
}

// lookAtFreePort says whether a hub would get its port.
func (v *visit) lookAtFreePort(ctx context.Context, port int) status.Check {
	l, err := loopnet.ListenTCP(ctx, port)
	if err != nil {
		return bad(err.Error(), fmt.Sprintf("Stop that program, or set another port in [hub] of %s.", v.places.File()))
	}
	_ = l.Close() // it was only tried
	return good("port %d is free for the hub", port)
}

func lookAtLogFile(_ context.Context, v *visit) status.Check {
	if snap, err := v.picture(); err == nil {
		for _, p := range snap.Problems {
			if p.Code == logStopped.Code {
				return from(p)
			}
		}
	}
	info, err := os.Stat(v.logFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return good("%s is made when the hub starts", v.logFile())
	case err != nil:
		return bad(err.Error(), "Give yourself the right to read it.")
	case !info.Mode().IsRegular():
		return bad(v.logFile()+" is not a file", "Move it away; a hub does not run without a log.")
	}
	f, err := os.OpenFile(v.logFile(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return bad(err.Error(), "Give yourself the right to write it.")
	}
	_ = f.Close() // nothing was written
	return good("%s, %d KB", v.logFile(), (info.Size()+1023)/1024)
}

// lookAtProblems says what the hub says beyond what other checks look at.
func lookAtProblems(_ context.Context, v *visit) status.Check {
	snap, err := v.picture()
	if err != nil {
		return skipped("no hub runs")
	}
	var rest []status.Problem
	for _, p := range snap.Problems {
		switch p.Code {
		case portTaken.Code, tokenRefused.Code, logStopped.Code, configBroken.Code, configOpen.Code, pluginToken.Code, pluginOrigin.Code, journalDamaged.Code:
			continue
		}
		if p.Component == hubPart {
			rest = append(rest, p)
		}
	}
	if len(rest) == 0 {
		return good("none beyond what is shown here")
	}
	c := from(rest[0])
	if more := len(rest) - 1; more > 0 {
		c.Detail += fmt.Sprintf(" (and %d more, see `lectern status`)", more)
	}
	return c
}
