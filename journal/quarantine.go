package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// AcknowledgedSuffix is what [AcknowledgeQuarantined] appends to a file name.
const AcknowledgedSuffix = ".seen"

const quarantineSuffix = ".damaged-"

// QuarantinedFiles lists the damaged databases in dir that were moved aside and not
// acknowledged yet, as full names, oldest first. What they recorded can no
// longer be undone.
func QuarantinedFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list damaged journals: %w", err)
	}
	var files []string
	for _, e := range entries {
		stamp, ok := strings.CutPrefix(e.Name(), databaseName+quarantineSuffix)
		if ok && strings.Trim(stamp, "0123456789") == "" {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

// AcknowledgeQuarantined keeps the files that [QuarantinedFiles] lists and appends
// [AcknowledgedSuffix] to their names, so that it no longer lists them.
func AcknowledgeQuarantined(dir string) error {
	files, err := QuarantinedFiles(dir)
	for _, file := range files {
		err = errors.Join(err, os.Rename(file, file+AcknowledgedSuffix))
	}
	return err
}

// quarantine moves a damaged database and its write-ahead log to a name that
// was never used before, and returns that name. After a crash between the two
// renames, SQLite removes the log.
func quarantine(file string, now time.Time) (string, error) {
	stamp := now.Unix()
	name := func() string { return fmt.Sprintf("%s%s%d", file, quarantineSuffix, stamp) }
	for fileExists(name()) || fileExists(name()+AcknowledgedSuffix) {
		stamp++
	}
	quarantined := name()
	for _, end := range []string{"", "-wal"} {
		if err := os.Rename(file+end, quarantined+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return quarantined, nil
}

// HasLostDatabase reports whether the journal in dir is empty or missing although there was
// one. The next change, or start of a hub, begins a new one and notices it.
func HasLostDatabase(dir string) bool {
	return fileExists(filepath.Join(dir, keyFileName)) && fileEmptyOrMissing(filepath.Join(dir, databaseName))
}

// fileEmptyOrMissing reports whether there is nothing in a file, or no file.
func fileEmptyOrMissing(file string) bool {
	info, err := os.Stat(file)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}

func fileExists(file string) bool {
	_, err := os.Lstat(file)
	return !errors.Is(err, fs.ErrNotExist)
}
