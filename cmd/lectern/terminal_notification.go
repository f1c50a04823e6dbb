package main

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// notificationSequence is the sequence with which a terminal shows text as a notification;
// empty: it is not told, because it knows none, or because the hub tells the desktop
// that it is on.
func notificationSequence(goos string, getenv func(string) string, text string) string {
	term, remote := getenv("TERM"), getenv("SSH_TTY") != "" || getenv("SSH_CONNECTION") != ""
	desktop := goos == "darwin" || goos != "windows" && (getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "")
	if desktop && !remote || term == "linux" || term == "dumb" || term == "" {
		return ""
	}
	text = sanitizeNotification(text)
	note := ansi.Notify(text) // OSC 9
	if getenv("VTE_VERSION") != "" || strings.HasPrefix(term, "rxvt") || strings.HasPrefix(term, "foot") {
		note = "\x1b]777;notify;Lectern;" + text + "\x07"
	}
	if getenv("TMUX") != "" {
		note = ansi.TmuxPassthrough(note)
	}
	return note
}

// sanitizeNotification keeps letters, digits and a few marks: terminals end a notification at
// control characters and semicolons, and desktops may take the rest for markup.
func sanitizeNotification(text string) string {
	plain := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(` .,-_+/()"`, r) {
			return r
		}
		return '·'
	}, text))
	const most = 120
	if len(plain) > most {
		plain = append(plain[:most-1], '…')
	}
	return "Lectern: " + string(plain)
}
