package installer

import (
	"bytes"
	"encoding/xml"
	"maps"
	"slices"
	"strings"
)

// unitFile is the systemd unit.
func unitFile(s Service) string {
	var b strings.Builder
	b.WriteString("# " + serviceMarker + "; `lectern service remove` removes it.\n" +
		"[Unit]\nDescription=Lectern opens knowledge bases to AI agents\nDocumentation=https://github.com/lectern-mcp/lectern\n" +
		"StartLimitIntervalSec=600\nStartLimitBurst=5\n\n[Service]\nType=exec\n")
	words := []string{quoteUnitWord(s.Bin)}
	for _, a := range s.Args {
		words = append(words, quoteUnitWord(a))
	}
	b.WriteString("ExecStart=" + strings.Join(words, " ") + "\n")
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		b.WriteString("Environment=" + quoteUnitWord(name+"="+s.Env[name]) + "\n")
	}
	b.WriteString("Restart=on-failure\nRestartSec=30\nKillMode=mixed\nTimeoutStopSec=30\n\n[Install]\nWantedBy=default.target\n")
	return b.String()
}

// quoteUnitWord quotes a word of a unit file. Systemd expands %, but not $, in a
// program's path and in Environment.
func quoteUnitWord(w string) string {
	w = strings.NewReplacer("%", "%%", `\`, `\\`, `"`, `\"`).Replace(w)
	if strings.ContainsAny(w, " \t'\"\\") {
		return `"` + w + `"`
	}
	return w
}

// launchAgentFile is the property list of the launchd agent.
func launchAgentFile(s Service, log string) string {
	var b strings.Builder
	text := func(tag, v string) string {
		var esc bytes.Buffer
		_ = xml.EscapeText(&esc, []byte(v)) // writing to a buffer cannot fail
		return "<" + tag + ">" + esc.String() + "</" + tag + ">\n"
	}
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n" +
		"<!-- " + serviceMarker + "; `lectern service remove` removes it. -->\n<plist version=\"1.0\">\n<dict>\n")
	b.WriteString("\t<key>Label</key>\n\t" + text("string", launchAgentName))
	b.WriteString("\t<key>ProgramArguments</key>\n\t<array>\n")
	for _, w := range append([]string{s.Bin}, s.Args...) {
		b.WriteString("\t\t" + text("string", w))
	}
	b.WriteString("\t</array>\n")
	if len(s.Env) > 0 {
		b.WriteString("\t<key>EnvironmentVariables</key>\n\t<dict>\n")
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			b.WriteString("\t\t" + text("key", name) + "\t\t" + text("string", s.Env[name]))
		}
		b.WriteString("\t</dict>\n")
	}
	b.WriteString("\t<key>RunAtLoad</key>\n\t<true/>\n" +
		"\t<key>KeepAlive</key>\n\t<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>\n" +
		"\t<key>ThrottleInterval</key>\n\t<integer>30</integer>\n\t<key>ProcessType</key>\n\t<string>Background</string>\n")
	b.WriteString("\t<key>StandardErrorPath</key>\n\t" + text("string", log) + "</dict>\n</plist>\n")
	return b.String()
}
