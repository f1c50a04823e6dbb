package daemon

import "golang.org/x/sys/unix"

// processStartTime returns when process pid started, in microseconds since 1970.
// Together with the pid it names one process.
func processStartTime(pid int) (int64, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	return info.Proc.P_starttime.Nano() / 1000, nil
}
