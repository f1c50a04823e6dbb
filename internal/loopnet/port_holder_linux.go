package loopnet

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// portHolder names the program that listens on a TCP port: the process or,
// where its files cannot be read, the user. It is for an error message, so it
// omits what it cannot find out.
func portHolder(port int) string {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		inode, uid := findListener(table, port)
		if inode == "" {
			continue
		}
		if pid := findOpener("socket:[" + inode + "]"); pid != "" {
			return processName(pid)
		}
		return "a process of uid " + uid
	}
	return ""
}

// findListener looks a port up in a table of proc_net_tcp: sl, local address,
// remote address, state, queues, timer, retransmits, uid, timeout, inode.
func findListener(table string, port int) (inode, uid string) {
	text, err := os.ReadFile(table)
	if err != nil {
		return "", ""
	}
	const listening = "0A"
	suffix := fmt.Sprintf(":%04X", port)
	for line := range strings.Lines(string(text)) {
		if c := strings.Fields(line); len(c) > 9 && c[3] == listening && strings.HasSuffix(c[1], suffix) {
			return c[9], c[7]
		}
	}
	return "", ""
}

// findOpener returns the process that has a file open whose link is target.
func findOpener(target string) (pid string) {
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return ""
	}
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && to == target {
			return strings.Split(link, "/")[2]
		}
	}
	return ""
}

func processName(pid string) string {
	// A process chooses its own name, so unusual ones are quoted.
	name, err := os.ReadFile(filepath.Join("/proc", pid, "comm"))
	text := strings.TrimSpace(string(name))
	if err != nil || text == "" {
		return "process " + pid
	}
	if quoted := strconv.Quote(text); quoted != `"`+text+`"` {
		text = quoted
	}
	return "process " + pid + " (" + text + ")"
}
