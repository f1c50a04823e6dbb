package installer

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A ClientReport is what a client itself says of its entry.
type ClientReport struct {
	Reached bool   // it has connected, or would
	Detail  string // in its own words
	Fix     string // what to do; empty: nothing, or it is not known
}

// HasReport reports whether the client, as installed here, can say how its entry is.
func (c Client) HasReport(m Machine) bool {
	return len(c.report) > 0 && m.Run != nil && m.LookPath(c.program) != ""
}

// Report asks the client by its own command, which may take seconds and starts
// what its entries name. The client answers for the folder that the process is in.
func (m Machine) Report(ctx context.Context, c Client, server Server) ClientReport {
	argv := server.substituteList(c.report, "")
	argv[0] = m.LookPath(argv[0])
	output, err := m.Run(ctx, argv)
	output = terminalCodes.ReplaceAllString(output, "")
	if err != nil {
		command := shellLine(server.substituteList(c.report, ""), m.OS)
		return ClientReport{Detail: firstLine(output, err.Error()), Fix: "Run it yourself: " + command + "."}
	}
	return readReport(c, server.Name, output)
}

// terminalCodes are the colours that some clients print even to a pipe.
var terminalCodes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// What clients print of an entry.
var (
	reached   = regexp.MustCompile(`(?i)(✔|✓|●|status:).*\bconnected\b|\benabled: true\b`)
	unreached = regexp.MustCompile(`(?i)\b(disconnected|not connected|failed|disabled|error|enabled: false)\b`)
	scopeLine = regexp.MustCompile(`(?m)^\s*Scope: (.*)$`)
)

func readReport(c Client, name, output string) ClientReport {
	for _, line := range linesAbout(c, name, output) {
		line = strings.TrimSpace(line)
		switch {
		case unreached.MatchString(line) && strings.Contains(output, "untrusted"):
			return ClientReport{Detail: "disabled, because " + c.Title + " does not trust this folder", Fix: trustFix(c)}
		case unreached.MatchString(line):
			return ClientReport{Detail: line, Fix: "Run: lectern doctor."}
		case reached.MatchString(line):
			return describeReached(c, name, line, output)
		}
	}
	return ClientReport{Detail: "does not list " + name, Fix: "Run: lectern client install " + c.ID + "."}
}

// linesAbout are the lines of a report that are about one entry.
func linesAbout(c Client, name, output string) (lines []string) {
	for line := range strings.Lines(output) {
		words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ':' || r == '\n' })
		if slices.Contains(c.report, "$NAME") || slices.Contains(words, name) {
			lines = append(lines, line)
		}
	}
	return lines
}

func describeReached(c Client, name, line, output string) ClientReport {
	scope := scopeLine.FindStringSubmatch(output)
	switch {
	case scope != nil && !strings.HasPrefix(scope[1], "User"):
		command := strings.Join(c.report[:len(c.report)-1], " ") + " " + name
		return ClientReport{
			Reached: true, Detail: "by an entry of this folder alone: " + scope[1],
			Fix: "An entry of that scope hides the one for all folders. To see it, run: " + command + ".",
		}
	case strings.Contains(line, "enabled"):
		return ClientReport{Reached: true, Detail: "enabled; " + c.Title + " connects when it starts"}
	}
	return ClientReport{Reached: true, Detail: "connected"}
}

func firstLine(texts ...string) string {
	for _, text := range texts {
		if line, _, _ := strings.Cut(strings.TrimSpace(text), "\n"); line != "" {
			return line
		}
	}
	return ""
}

func trustFix(c Client) string {
	return "Run `" + c.program + "` in the folder that you work in, and tell it that you trust that folder."
}

// untrustedNote says that the client starts Lectern nowhere without being asked, because it
// starts MCP servers only in folders that the user trusts and it keeps none; empty: it does, or
// nothing is known. It may be connected all the same, from a folder trusted for one session.
func (m Machine) untrustedNote(c Client) string {
	if c.trusted == "" || m.Env("GEMINI_CLI_TRUST_WORKSPACE") == "true" {
		return ""
	}
	file := m.path(c.trusted)
	var settings struct {
		Security struct {
			FolderTrust struct {
				Enabled *bool `json:"enabled"`
			} `json:"folderTrust"`
		} `json:"security"`
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "settings.json")); err == nil && json.Unmarshal(text, &settings) == nil {
		if on := settings.Security.FolderTrust.Enabled; on != nil && !*on {
			return ""
		}
	}
	var folders map[string]string
	text, err := os.ReadFile(file)
	if err == nil && json.Unmarshal(text, &folders) != nil {
		return ""
	}
	for _, trust := range folders {
		if strings.HasPrefix(trust, "TRUST_") {
			return ""
		}
	}
	return c.Title + " starts Lectern only in folders that you trust. " + c.trusted +
		" lists none; a folder that you trust for one session is not in it. " + trustFix(c)
}
