package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// lecternVersion is the version of the next release. A release sets its own by
// the linker: -X main.lecternVersion=1.2.3; nothing else ever sets it.
var lecternVersion = "0.1.0-dev"

// A build is what `lectern version --json` tells.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func thisBuild() build {
	b := build{Version: lecternVersion, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// stamp tells this binary from others. Size and time of the file stand for its
// content: reading it whole would cost more than starting does.
func (w *world) stamp() daemon.Stamp {
	s := daemon.Stamp{Version: lecternVersion, Build: thisBuild().Revision}
	if info, err := os.Stat(w.exe); err == nil {
		s.Build = fmt.Sprintf("%.12s.%x.%x", s.Build, info.Size(), info.ModTime().UnixNano())
		s.Built = info.ModTime().Truncate(time.Second).Unix()
	}
	return s
}

func versionCommand(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Say which build this is",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if asJSON {
				return writeJSON(w.out, b)
			}
			line := "lectern " + b.Version
			if b.Revision != "" {
				line += fmt.Sprintf(" (%.12s)", b.Revision)
			}
			w.say("%s %s %s/%s\n", line, b.Go, b.OS, b.Arch)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// writeJSON writes v for scripts and people alike.
func writeJSON(out interface{ Write([]byte) (int, error) }, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
