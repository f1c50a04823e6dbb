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

// AcknowledgedSuffix is what [Acknowledge] adds to a name.
const AcknowledgedSuffix = ".seen"

const quarantineSuffix = ".damaged-"

// Quarantined are the damaged databases in dir that were moved aside and that nobody
// has acknowledged, as full names, oldest first. What was in them can no longer
// be undone.
func Quarantined(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for damaged journals: %w", err)
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

// Acknowledge keeps the files that [Quarantined] names, with [AcknowledgedSuffix] behind their names,
// so that it passes them over.
func Acknowledge(dir string) error {
	files, err := Quarantined(dir)
	for _, file := range files {
		err = errors.Join(err, os.Rename(file, file+AcknowledgedSuffix))
	}
	return err
}

// quarantine gives a damaged database and its log a name that was never given,
// and returns it. After a crash in between, the log is SQLite's to remove.
func quarantine(file string, now time.Time) (string, error) {
	stamp := now.Unix()
	name := func() string { return fmt.Sprintf("%s%s%d", file, quarantineSuffix, stamp) }
	for exists(name()) || exists(name()+AcknowledgedSuffix) {
		stamp++
	}
	aside := name()
	for _, end := range []string{"", "-wal"} {
		if err := os.Rename(file+end, aside+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside, nil
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return !errors.Is(err, fs.ErrNotExist)
}
