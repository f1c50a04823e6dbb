// Package problems declares what can be wrong with the hub, its configuration
// and its port, and how the program says so. The hub process raises these
// problems, the panel shows them while no hub is running, and the doctor reports them.
//
// docs/problems.md is made from these declarations.
package problems

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// HubComponent is the component that all problems of this package belong to.
const HubComponent = "hub"

// NewConfigBroken is the problem of a configuration file that cannot be read.
func NewConfigBroken(file string, err error, now time.Time) status.Problem {
	p := ConfigBroken.New(HubComponent, status.Args{"why": err.Error(), "file": file})
	p.Since, p.Action = now, &status.Action{Verb: status.Reload}
	return p
}

// NewConfigWritable is the problem of a configuration file that others may write.
func NewConfigWritable(file string, mode os.FileMode) status.Problem {
	return ConfigWritable.New(HubComponent, status.Args{"file": file, "mode": fmt.Sprintf("%04o", mode.Perm())})
}

// NewJournalDamaged is the problem of damaged journals that were moved to files.
func NewJournalDamaged(files []string, now time.Time) status.Problem {
	p := JournalDamaged.New(HubComponent, status.Args{"files": strings.Join(files, ", ")})
	p.Since, p.Action = now, &status.Action{Verb: status.Acknowledge, Target: JournalDamaged.Code}
	return p
}

// Cause is why something could not be done, in the words of the system: "no space
// left on device". The names on the way to it are what the fix of a problem names.
func Cause(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	return err.Error()
}

// The problems, by what they are about.
var (
	ConfigBroken = status.ProblemType{
		Code: "config.broken", Severity: status.Error,
		Description: "The configuration file cannot be read. A running hub keeps the configuration that it read before; a hub that starts " +
			"serves nothing, because it cannot know what the file was meant to forbid. Lectern does not write to the file.",
		Title: "{why}",
		Fix:   "Correct {file}. It is read again as soon as it is saved.",
	}
	HubNeedsRestart = status.ProblemType{
		Code: "hub.restart", Severity: status.Notice,
		Description: "The configuration file changed in a way that needs a restart of the hub, such as another port.",
		Title: "[hub], [limits], [journal], [listen] or plain_token of [bridge] changed in the configuration; the running hub still uses " +
			"the old values",
		Fix: "Restart the hub. Agents stay connected.",
	}
	HubUpgradePending = status.ProblemType{
		Code: "hub.upgrade", Severity: status.Notice,
		Description: "A newer build of Lectern was started while the hub of an older build is busy. The old hub hands over once no call has " +
			"been in flight for two seconds, but not in its first ten seconds.",
		Title: "a newer build ({version}) takes over as soon as no call is in flight",
		Fix:   "Wait, or restart the hub now.",
	}
	UpdateAvailable = status.ProblemType{
		Code: "update.available", Severity: status.Notice,
		Description: "A newer release is available. The panel checks at most once a day; LECTERN_NO_UPDATE_CHECK, DO_NOT_TRACK or [update] " +
			"check = false in the configuration turn the check off.",
		Title: "lectern {version} is available, this is {this}",
		Fix:   "Run: lectern self-update.",
	}
	HubStartFailed = status.ProblemType{
		Code: "hub.start", Severity: status.Error,
		Description: "The hub could not be started, or it exited so often that the panel no longer restarts it.",
		Title:       "{why}",
		Fix:         "Fix the error above, then start the hub again.",
	}
	ConfigWritable = status.ProblemType{
		Code: "config.open", Severity: status.Warning,
		Description: "Other users of this machine can write to the configuration file, and so decide what Lectern opens.",
		Title:       "other users can write to {file} (mode {mode})",
		Fix:         "Run: chmod go-w {file}. Lectern still uses the file; check that it contains what you wrote.",
	}
	LogStopped = status.ProblemType{
		Code: "log.stopped", Severity: status.Warning,
		Description: "The log file cannot be written. The hub keeps the newest lines in memory, where the panel and `lectern logs` can read " +
			"them until the hub exits. Everything else works.",
		Title: "the log is not written to disk: {why}",
		Fix:   "Free disk space, or make {file} writable for you. Lectern tries again every minute.",
	}
	AuditStopped = status.ProblemType{
		Code: "audit.stopped", Severity: status.Error,
		Description: "Calls are not recorded in the audit. About four thousand records are kept in memory and written when that is possible " +
			"again; records beyond that are lost, and the audit then says how many. Agents are served meanwhile.",
		Title: "calls are not recorded: {why}",
		Fix: "Free disk space, or make {file} writable for you. If the message names a key file, do what it says and restart the hub. If the " +
			"file is damaged, move it away and restart the hub: a new one begins.",
	}
	JournalDamaged = status.ProblemType{
		Code: "journal.damaged", Severity: status.Warning,
		Description: "The database of agents' changes was damaged. It was moved aside and a new one was started: agents can still write, and " +
			"new changes can be undone, but earlier ones cannot. Your notes are not affected.",
		Title: "the journal of changes was damaged and started again: earlier changes by agents cannot be undone",
		Fix: "The damaged journal was moved to {files}: keep it if you want to try to recover it, or delete it. Then dismiss this notice, " +
			"here or with: lectern changes acknowledge.",
	}
	PortTaken = status.ProblemType{
		Code: "port.taken", Severity: status.Warning,
		Description: "Another program uses the port of the HTTP endpoint. Lectern never switches to another port, because agents have this one " +
			"in their configuration. Everything else works.",
		Title: "{why}",
		Fix: "Stop that program, and Lectern takes the port within 30 s; or set another port in [hub] of {file} and restart the hub. Agents " +
			"that use `lectern serve` are not affected.",
	}
	ListenStopped = status.ProblemType{
		Code: "listen.stopped", Severity: status.Warning,
		Description: "The second listener, [listen] in the configuration, does not serve other machines: its certificate or key cannot be " +
			"read, other users can read the key, its address is taken, or it names a source that the hub does not serve. Everything else works.",
		Title: "{why}",
		Fix:   "Do what the message says. Lectern tries again every 30 s.",
	}
	PluginTokenRefused = status.ProblemType{
		Code: "plugin.token", Severity: status.Error,
		Description: "The file with the plugins' token is readable by others, owned by someone else or damaged, so no plugin can connect. " +
			"Everything else works.",
		Title: "{why}",
		Fix:   "Do what the message says. The file is read again whenever a plugin connects.",
	}
	PluginOriginUnknown = status.ProblemType{
		Code: "plugin.origin", Severity: status.Notice,
		Description: "A page of an unknown origin tries to connect as a plugin. It is refused until you allow its origin, which adds it to the " +
			"configuration. It must still prove that it has the plugins' token.",
		Title: "a plugin tried to connect from an unknown origin: {origins}",
		Fix:   "If this is a plugin that you use, allow it, here or with: lectern plugin allow {latest}. Otherwise ignore this.",
	}
	PluginRefused = status.ProblemType{
		Code: "plugin.refused", Severity: status.Notice,
		Description: "A plugin tries to connect and is refused: its token is another than that of this Lectern, as after a new token or a new " +
			"Lectern, or it is of another version. Until then no agent reaches its application. This ends when it connects, or no longer tries.",
		Title: "a plugin was refused: {why}",
		Fix:   "Run: lectern plugin install. It writes port and token into the plugin's settings. Then restart the application that it runs in.",
	}
	PluginWithoutSource = status.ProblemType{
		Code: "plugin.source", Severity: status.Notice,
		Description: "A plugin is connected, and no source opens what its application has open, so no agent sees it.",
		Title:       "{application} has {name} open, but no source opens it",
		Fix:         "Add a source for it, here or with: lectern source add {command}. Until then no agent sees it.",
	}
	ClientTokenRefused = status.ProblemType{
		Code: "token.refused", Severity: status.Error,
		Description: "The file with the token of HTTP clients is readable by others, owned by someone else or damaged, so nothing is served " +
			"over HTTP. Agents that use `lectern serve` are not affected.",
		Title: "{why}",
		Fix:   "Do what the message says and restart the hub.",
	}
)
