package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
)

// configEvery is how often the hub looks whether the file was edited by hand.
const configEvery = 2 * time.Second

// brokenConfig is the Problem of a file that cannot be read.
func (w *world) brokenConfig(err error) status.Problem {
	p := configBroken.New(hubPart, status.Args{"why": err.Error(), "file": w.places.File()})
	p.Since, p.Action = w.now(), &status.Action{Verb: status.Reload}
	return p
}

// blameConfig says what is wrong with the file. What was read before stays in
// force.
func (h *host) blameConfig(err error) {
	h.log.Error("read configuration", "part", "config", "err", err)
	h.raise(h.brokenConfig(err))
}

// reload reads the file again and takes its sources over. An error changes
// nothing but the Problem that says it.
func (h *host) reload(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	conf, err := h.config()
	if err != nil {
		h.blameConfig(err)
		return err
	}
	h.clear(configBroken)
	h.plugins.trust(conf)
	h.lookAtMode()
	if err := h.layIfServed(conf); err != nil {
		h.log.Error("lay out sample", "part", sampleName, "err", err)
	}
	h.hub.SetPolicy(policyOf(conf))
	if err := h.hub.Reload(ctx, h.sources(conf)); err != nil {
		return err
	}
	h.log.Info("read configuration", "part", "config", "sources", len(conf.Sources))
	h.logNotices(conf)
	h.needsRestart(conf)
	return nil
}

// logNotices warns about keys of the file that have no effect any more.
func (h *host) logNotices(conf config.Config) {
	for _, n := range conf.Notices {
		h.log.Warn(n.Format(conf.Path), "part", "config")
	}
}

// lookAtMode says so when somebody else may write the file. Windows has access
// lists instead, which a mode does not show.
func (h *host) lookAtMode() {
	file := h.places.File()
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o022 == 0 {
		h.clear(configOpen)
		return
	}
	h.raise(openConfig(file, info.Mode()))
}

// openConfig is the Problem of a file that others may write.
func openConfig(file string, mode os.FileMode) status.Problem {
	return configOpen.New(hubPart, status.Args{"file": file, "mode": fmt.Sprintf("%04o", mode.Perm())})
}

// needsRestart says so when the file asks for what a running hub cannot do.
func (h *host) needsRestart(conf config.Config) {
	if conf.Hub == h.conf.Hub && conf.Limits == h.conf.Limits && conf.Journal == h.conf.Journal && conf.Logseq.PlainToken == h.conf.Logseq.PlainToken {
		h.clear(hubRestart)
		return
	}
	p := hubRestart.New(hubPart, nil)
	p.Action = &status.Action{Verb: status.RestartHub}
	h.raise(p)
}

// watchConfig reloads the file when it changes, until ctx ends. It compares
// what the file system says rather than asking to be told: that works on every
// file system, and two seconds are soon enough for a person.
func (h *host) watchConfig(ctx context.Context) {
	tick := time.NewTicker(configEvery)
	defer tick.Stop()
	last := stampOf(h.places.File())
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := stampOf(h.places.File()); now != last {
			last = now
			_ = h.reload(ctx) // it is a Problem and in the log already
		}
	}
}

// A fileStamp changes when a file does.
type fileStamp struct {
	size int64
	time time.Time
	mode os.FileMode
}

func stampOf(path string) fileStamp {
	info, err := os.Stat(path)
	if err != nil {
		return fileStamp{}
	}
	return fileStamp{info.Size(), info.ModTime(), info.Mode()}
}
