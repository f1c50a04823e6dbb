package app

import (
	"path/filepath"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// Paths are the files of Lectern. They may not exist yet.
type Paths struct{ config.Paths }

// Daemon are the locks and sockets of the hub.
func (p Paths) Daemon() daemon.Paths { return daemon.Paths{State: p.State} }

// FormerRuntimes are the folders in which builds before 0.1.0 had the hub's sockets, by the
// variables that the hub was started with.
func (p Paths) FormerRuntimes(getenv func(string) string) []string {
	folders := []string{filepath.Join(filepath.Dir(p.State), "run")}
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		folders = append(folders, filepath.Join(dir, "lectern"))
	}
	return folders
}

// Log is the log file of the hub.
func (p Paths) Log() string { return filepath.Join(p.State, "lectern.log") }

// Pauses keeps whose writes a person has paused.
func (p Paths) Pauses() string { return filepath.Join(p.State, "paused.json") }

// Audit is the record of every call, AuditKey the key of its digests.
func (p Paths) Audit() string    { return filepath.Join(p.State, "audit.db") }
func (p Paths) AuditKey() string { return filepath.Join(p.State, "audit.key") }

// Journal is the folder of what agents changed.
func (p Paths) Journal() string { return filepath.Join(p.State, "journal") }

// SharedClientToken is the token that all HTTP clients share, PluginToken that of
// plugins in other applications.
func (p Paths) SharedClientToken() string { return filepath.Join(p.State, "client.token") }
func (p Paths) PluginToken() string       { return filepath.Join(p.State, "plugin.token") }

// ClientTokens are the tokens of single clients.
func (p Paths) ClientTokens() ClientTokens { return ClientTokens(filepath.Join(p.State, "clients")) }

// SeenClients is when each client was last connected; see [SeenClients].
func (p Paths) SeenClients() string { return filepath.Join(p.State, "seen.json") }

// PanelState is what one panel leaves for the next: the open pane, filters, the
// mouse setting. Losing it costs nothing.
func (p Paths) PanelState() string { return filepath.Join(p.State, "panel.json") }

// Clipboard is where text goes when no clipboard is found.
func (p Paths) Clipboard() string { return filepath.Join(p.State, "snippet.txt") }

// SavedFiles is the folder for what a person saves without naming a file, Reports
// the one for crash reports.
func (p Paths) SavedFiles() string   { return filepath.Join(p.Data, "saved") }
func (p Paths) CrashReports() string { return filepath.Join(p.State, "reports") }

// SourceFolderName is the name of a source's folder in SourceCaches and
// SourceData. The dot keeps it apart from the device names of Windows.
func SourceFolderName(kind, name string) string { return kind + "." + name }

// SourceCaches and SourceData hold the folders that sources have of their own.
func (p Paths) SourceCaches() string { return filepath.Join(p.State, "sources") }
func (p Paths) SourceData() string   { return filepath.Join(p.Data, "sources") }
