package daemon

import "golang.org/x/sys/windows"

// processStartTime returns when process pid started, in nanoseconds since 1970.
// Together with the pid it names one process.
func processStartTime(pid int) (int64, error) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, //nolint:gosec // a pid is 32 bits wide on Windows
		uint32(pid))
	if err != nil {
		return 0, err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0, err
	}
	return created.Nanoseconds(), nil
}
