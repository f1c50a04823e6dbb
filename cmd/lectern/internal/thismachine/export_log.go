package thismachine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
)

// exportedLogName is the name of an exported log.
const exportedLogName = "lectern-log.txt"

// ExportLog writes the whole log on disk, oldest line first, to a new private
// file, and returns its path and the number of lines. An empty name: a new file
// among the saved ones. A relative name is relative to the home directory. Secrets
// were redacted when the log was written.
func ExportLog(ctx context.Context, a *app.App, name string) (path string, lines int, err error) {
	if _, err := os.Stat(a.Paths.Log()); err != nil {
		return "", 0, fmt.Errorf("export log: %s not found; the hub creates it when it first runs", a.Paths.Log())
	}
	write := func(out io.Writer) error {
		lines = 0 // a name that is taken is tried with another number
		buffered := bufio.NewWriterSize(out, 64<<10)
		err := logs.ReadAll(a.Paths.Log(), func(l logs.Line) error {
			lines++
			if err := PrintLogLine(buffered, supervisor.LogLineToStatus(l)); err != nil {
				return err
			}
			return ctx.Err()
		})
		return errors.Join(err, buffered.Flush())
	}
	if name = strings.TrimSpace(name); name == "" {
		path, err = saveNew(a.Paths.SavedFiles(), exportedLogName, write)
	} else {
		path, err = exportTo(a.Home, name, write)
	}
	if err != nil {
		return "", 0, fmt.Errorf("export log: %w", err)
	}
	return path, lines, nil
}

// exportTo writes a new file that a person named.
func exportTo(home, name string, write func(io.Writer) error) (string, error) {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		name = filepath.Join(home, name[1:])
	case !filepath.IsAbs(name):
		name = filepath.Join(home, name)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return saveNew(name, exportedLogName, write)
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("folder %s not found; create it, or choose another", filepath.Dir(name))
	}
	if err != nil {
		return "", err
	}
	defer root.Close() //nolint:errcheck // opened only to name the file
	err = atomicfile.Stream(root, filepath.Base(name), write, atomicfile.Options{Perm: 0o600, Create: true})
	if errors.Is(err, atomicfile.ErrExists) {
		return "", fmt.Errorf("%s already exists; choose another name", name)
	}
	return name, err
}

// PrintLogLine writes a line as people read it, safe for a terminal.
func PrintLogLine(out io.Writer, n status.Line) error {
	_, err := fmt.Fprintf(out, "%s %-5s %s %s\n", n.Time.Local().Format("2006-01-02 15:04:05.000"), strings.ToUpper(string(n.Level)),
		safetext.Line(n.Component), safetext.Line(n.Text))
	return err
}
