package filelock

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Openers returns the processes that have one of the files open, also one that has
// been deleted since, in the order of their PIDs. It is for messages: it omits what it cannot
// find out, such as processes of other users.
func Openers(files ...string) []Process {
	var targets []string
	for _, f := range files {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(f)); err == nil {
			f = filepath.Join(dir, filepath.Base(f))
		}
		targets = append(targets, f, f+" (deleted)")
	}
	var found []Process
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*") // the pattern is valid
	for _, link := range links {
		if to, err := os.Readlink(link); err != nil || !slices.Contains(targets, to) {
			continue
		}
		pid, err := strconv.Atoi(strings.Split(link, "/")[2])
		if err == nil && !slices.ContainsFunc(found, func(p Process) bool { return p.PID == pid }) {
			found = append(found, Process{PID: pid, Command: commandOf(pid)})
		}
	}
	slices.SortFunc(found, func(a, b Process) int { return a.PID - b.PID })
	return found
}

// Getenv is a variable of the environment that the process was started with; empty: it has
// none, or it cannot be found out.
func (p Process) Getenv(name string) string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.PID), "environ"))
	if err != nil {
		return ""
	}
	for entry := range bytes.SplitSeq(text, []byte{0}) {
		if value, found := bytes.CutPrefix(entry, []byte(name+"=")); found {
			return string(value)
		}
	}
	return ""
}

func commandOf(pid int) []string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return nil
	}
	var command []string
	for arg := range bytes.SplitSeq(bytes.TrimSuffix(text, []byte{0}), []byte{0}) {
		command = append(command, string(arg))
	}
	return command
}
