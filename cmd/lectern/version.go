package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// lecternVersion is the version of the next release. The linker sets the
// version of a release: -X main.lecternVersion=1.2.3. Nothing else sets it.
var lecternVersion = "0.1.0-dev"

// A buildInfo is what `lectern version --json` prints.
type buildInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func thisBuild() buildInfo {
	b := buildInfo{Version: lecternVersion, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
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

func (b buildInfo) String() string {
	revision := ""
	if b.Revision != "" {
		revision = fmt.Sprintf(" (%.12s)", b.Revision)
	}
	return fmt.Sprintf("%s%s %s %s/%s", b.Version, revision, b.Go, b.OS, b.Arch)
}

func printVersion(c *cli) error {
	c.printf("lectern %s\n", thisBuild())
	return nil
}

func versionCommand(c *cli) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version of this build",
		Args:  rejectArguments,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return c.writeJSON(thisBuild())
			}
			return printVersion(c)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
