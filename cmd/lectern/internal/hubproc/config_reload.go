package hubproc

import (
	"context"
	"os"
	"reflect"
	"runtime"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
)

// configPollInterval is how often the hub checks whether the file was edited by hand. A
// rule that a person has saved is to hold within 250 ms.
const configPollInterval = 80 * time.Millisecond

// reportBrokenConfig shows what is wrong with the file. The configuration that
// was read before stays in force.
func (h *hubProcess) reportBrokenConfig(err error) {
	h.log.Error("read configuration", "component", "config", "err", err)
	h.raiseProblem(problems.NewConfigBroken(h.Paths.File(), err, h.Now()))
}

// reload reads the file again and applies it. After an error nothing has
// changed but the problem that shows it.
func (h *hubProcess) reload(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.reloadLocked(ctx)
}

// reloadLocked is reload for a caller that holds mu.
func (h *hubProcess) reloadLocked(ctx context.Context) error {
	h.applied = readFileStamp(h.Paths.File())
	conf, err := h.App.Config()
	if err != nil {
		h.reportBrokenConfig(err)
		return err
	}
	h.clearProblem(problems.ConfigBroken)
	h.plugins.configure(conf)
	h.refreshConfigModeProblem()
	h.writeSample(conf)
	sources := h.sources(conf)
	h.hub.SetPolicy(app.NewPolicy(conf, sources))
	if err := h.hub.ReloadSources(ctx, toHubSources(sources)); err != nil {
		return err
	}
	h.log.Info("read configuration", "component", "config", "sources", len(conf.Sources))
	h.refreshRestartProblem(conf)
	h.logConfigNotices(conf)
	return nil
}

// logConfigNotices warns about keys of the file that have another name or no effect now.
func (h *hubProcess) logConfigNotices(conf config.Config) {
	for _, n := range conf.Notices {
		h.log.Warn("configuration notice", "component", "config", "notice", n.Format(conf.Path))
	}
}

// refreshConfigModeProblem shows while other users may write to the file. Windows has access
// lists instead, which a mode does not show.
func (h *hubProcess) refreshConfigModeProblem() {
	file := h.Paths.File()
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o022 == 0 {
		h.clearProblem(problems.ConfigWritable)
		return
	}
	h.raiseProblem(problems.NewConfigWritable(file, info.Mode()))
}

// refreshRestartProblem shows when the file asks for something that a running hub
// cannot change.
func (h *hubProcess) refreshRestartProblem(conf config.Config) {
	pending := pendingSettings(h.conf, conf)
	h.state.Update(func(s *status.Snapshot) { s.Hub.PendingSettings = pending })
	if conf.Hub == h.conf.Hub && conf.Limits == h.conf.Limits && conf.Journal == h.conf.Journal &&
		conf.Bridge.PlainToken == h.conf.Bridge.PlainToken &&
		reflect.DeepEqual(conf.Listen, h.conf.Listen) {
		h.clearProblem(problems.HubNeedsRestart)
		return
	}
	p := problems.HubNeedsRestart.New(problems.HubComponent, nil)
	p.Action = &status.Action{Verb: status.RestartHub}
	h.raiseProblem(p)
}

// pendingSettings are the keys whose values in the file are not those that a hub runs with, which
// read running.
func pendingSettings(running, file config.Config) (keys []string) {
	before := running.Settings()
	for i, s := range file.Settings() { // all keys in one order
		if s.Restart && s.Value != before[i].Value {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// watchConfig reloads the file when it changes, until ctx ends. It polls,
// because that works on every file system and costs a look at the file.
func (h *hubProcess) watchConfig(ctx context.Context) {
	tick := time.NewTicker(configPollInterval)
	defer tick.Stop()
	var edits fileEditWatch
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if edits.isFinished(readFileStamp(h.Paths.File()), h.appliedStamp()) {
			_ = h.reload(ctx) // it is a problem and in the log already
		}
	}
}

// An fileEditWatch tells when an edit of a file is finished: some editors write a
// file in several steps, and half a file may lack the rules at its end.
type fileEditWatch struct{ seen fileStamp }

// isFinished reports whether the file, which looks like now, is not the one that
// was applied and looked the same the time before.
func (w *fileEditWatch) isFinished(now, applied fileStamp) bool {
	isStill := now == w.seen
	w.seen = now
	return isStill && now != applied
}

func (h *hubProcess) appliedStamp() fileStamp {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.applied
}

// A fileStamp changes when a file does.
type fileStamp struct {
	size int64
	time time.Time
	mode os.FileMode
}

func readFileStamp(path string) fileStamp {
	info, err := os.Stat(path)
	if err != nil {
		return fileStamp{}
	}
	return fileStamp{info.Size(), info.ModTime(), info.Mode()}
}
