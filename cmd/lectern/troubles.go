package main

import "github.com/lectern-mcp/lectern/status"

// What can be wrong with the hub, its configuration and its port.
var (
	configBroken = status.ProblemType{
		Code: "config.broken", Severity: status.Error,
		Description: "The configuration file cannot be read. A hub that runs goes on with what it read before; one that starts serves nothing, because what the file was meant to forbid is not known. Lectern does not write to the file.",
		Title:       "{why}",
		Fix:         "Correct {file}; it is read again as soon as it is saved.",
	}
	hubRestart = status.ProblemType{
		Code: "hub.restart", Severity: status.Notice,
		Description: "The file asks for what only a hub that starts can do, such as another port.",
		Title:       "[hub], [limits], [journal] or plain_token of [logseq] changed in the configuration; the running hub goes on with what it had",
		Fix:         "Restart the hub; agents stay connected.",
	}
	hubUpgrade = status.ProblemType{
		Code: "hub.upgrade", Severity: status.Notice,
		Description: "A newer build of Lectern was started while the hub of an older one is at work. It hands over once no call has been in flight for two seconds, though not in its first ten.",
		Title:       "a newer build ({version}) takes over as soon as no call is in flight",
		Fix:         "Wait, or restart the hub now.",
	}
	updateAvailable = status.ProblemType{
		Code: "update.available", Severity: status.Notice,
		Description: "There is a newer release. The panel asks at most once a day; LECTERN_NO_UPDATE_CHECK, DO_NOT_TRACK or [update] check = false in the configuration end that.",
		Title:       "lectern {version} is available, this is {this}",
		Fix:         "Run: lectern self-update.",
	}
	hubStart = status.ProblemType{
		Code: "hub.start", Severity: status.Error,
		Description: "No hub could be started, or the hub ended so often that the panel no longer starts it by itself.",
		Title:       "{why}",
		Fix:         "Mend what the message says, then start the hub again.",
	}
	configOpen = status.ProblemType{
		Code: "config.open", Severity: status.Warning,
		Description: "Other users of this machine may write to the configuration file, and so decide what Lectern opens.",
		Title:       "other users may write to {file} (mode {mode})",
		Fix:         "Run: chmod go-w {file}. What it says holds meanwhile; make sure that it is what you wrote.",
	}
	logStopped = status.ProblemType{
		Code: "log.stopped", Severity: status.Warning,
		Description: "The log file cannot be written. The hub keeps its newest lines in memory, where the panel and `lectern logs` find them until it ends; all else works.",
		Title:       "the log is not written to disk: {why}",
		Fix:         "Make room on the disk, or give yourself the right to write {file}. Lectern tries again each minute.",
	}
	auditStopped = status.ProblemType{
		Code: "audit.stopped", Severity: status.Error,
		Description: "Calls are not recorded in the audit trail. Some two thousand records are kept in memory and written when that works again; what is more is lost, and the trail then says how many. Agents are served meanwhile.",
		Title:       "calls are not recorded: {why}",
		Fix:         "Make room on the disk, or give yourself the right to write {file}; if the message names a key file, do what it says and restart the hub.",
	}
	journalDamaged = status.ProblemType{
		Code: "journal.damaged", Severity: status.Warning,
		Description: "The database of what agents changed was damaged. It was moved aside and a new one begun, so agents go on writing, and what they do now can be undone; what they did before cannot. Your notes are as they were.",
		Title:       "the journal of changes was damaged and begun anew: what agents did before cannot be undone",
		Fix:         "It was moved to {files}: keep it if somebody shall try to recover it, or delete it. Then acknowledge this, here or by: lectern changes acknowledge.",
	}
	portTaken = status.ProblemType{
		Code: "port.taken", Severity: status.Warning,
		Description: "Another program has the port of the HTTP endpoint. Lectern never takes another port, because agents have this one in their configuration; all else works.",
		Title:       "{why}",
		Fix:         "Stop that program, and Lectern takes the port within 30 s; or set another port in [hub] of {file} and restart the hub. Agents over `lectern serve` are not affected.",
	}
	pluginToken = status.ProblemType{
		Code: "plugin.token", Severity: status.Error,
		Description: "The file with the plugins' token is not private to you, not yours or damaged, so no plugin can connect. Everything else works.",
		Title:       "{why}",
		Fix:         "Do what the message says; the file is read again whenever a plugin connects.",
	}
	pluginOrigin = status.ProblemType{
		Code: "plugin.origin", Severity: status.Notice,
		Description: "A page that is not known as Logseq's tries to connect as a plugin. It is refused until you let its origin in, which writes it into the configuration; it would still have to prove the plugins' token.",
		Title:       "a plugin wants to connect from an origin that is not known: {origins}",
		Fix:         "If it is your Logseq plugin, let it in, here or by: lectern plugin allow {latest}; else ignore it.",
	}
	tokenRefused = status.ProblemType{
		Code: "token.refused", Severity: status.Error,
		Description: "The file with the token of HTTP clients is not private to you, not yours or damaged, so nothing is served over HTTP. Agents over `lectern serve` are not affected.",
		Title:       "{why}",
		Fix:         "Do what the message says and restart the hub.",
	}
)
