package daemon

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// processStartTime returns when process pid started, in clock ticks since boot
// (proc_pid_stat(5), field 22). Together with the pid it names one process.
func processStartTime(pid int) (int64, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, err
	}
	// The second field is a name in parentheses that may hold spaces.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const startTime = 22 - 3 // the first field after the name is field 3
	if len(fields) <= startTime {
		return 0, fmt.Errorf("read start time of process %d: unexpected format", pid)
	}
	return strconv.ParseInt(string(fields[startTime]), 10, 64)
}
