package cardapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// A Folder keeps uploaded files and backups, below a folder that nobody else
// writes to.
type Folder struct{ Dir string }

// Put implements [Files].
func (f Folder) Put(_ context.Context, data []byte) error {
	if err := os.MkdirAll(filepath.Join(f.Dir, "files"), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(f.Dir, "files", digestOf(data)), data, 0o600)
}

var keptName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Get implements [Files].
func (f Folder) Get(_ context.Context, name string) ([]byte, error) {
	if !keptName.MatchString(name) {
		return nil, notFound("The file is not there")
	}
	data, err := os.ReadFile(filepath.Join(f.Dir, "files", name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("The file is not there")
	}
	return data, err
}

// keptBackups is how many backups are kept; older ones go.
const keptBackups = 5

var backupName = regexp.MustCompile(`^cards-[0-9]{8}-[0-9]{6}-[0-9a-f]{6}\.jsonl\.gz$`)

func (f Folder) backups() ([]fs.DirEntry, error) {
	all, err := os.ReadDir(filepath.Join(f.Dir, "backups"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	all = slices.DeleteFunc(all, func(e fs.DirEntry) bool { return !backupName.MatchString(e.Name()) })
	slices.Reverse(all) // names begin with the time
	return all, err
}

// plainError is an error in the form that the administrators' paths have.
func plainError(status int, code, message string) *answer {
	return &answer{status: status, value: map[string]any{"error": code, "message": message}}
}

// makeBackup writes every card with its revisions, one a line, and answers that.
func makeBackup(r *request) (answer, error) {
	if err := r.forAdmins(); err != nil {
		return answer{}, err
	}
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	lines := json.NewEncoder(zip)
	lines.SetEscapeHTML(false)
	if err := r.store.Export(r.Context(), r.by(), func(c cardstore.ExportedCard) error { return lines.Encode(c) }); err != nil {
		return answer{}, err
	}
	if err := zip.Close(); err != nil {
		return answer{}, err
	}
	var tail [3]byte
	_, _ = rand.Read(tail[:])
	name := fmt.Sprintf("cards-%s-%s.jsonl.gz", r.api.Now().UTC().Format("20060102-150405"), hex.EncodeToString(tail[:]))
	folder := r.api.Backups
	if err := os.MkdirAll(filepath.Join(folder.Dir, "backups"), 0o700); err != nil {
		return answer{}, err
	}
	if err := atomicfile.WriteFile(filepath.Join(folder.Dir, "backups", name), b.Bytes(), 0o600); err != nil {
		return answer{}, err
	}
	if all, err := folder.backups(); err == nil && len(all) > keptBackups {
		for _, old := range all[keptBackups:] {
			_ = os.Remove(filepath.Join(folder.Dir, "backups", old.Name()))
		}
	}
	return backupAnswer(name, b.Bytes()), nil
}

func backupAnswer(name string, data []byte) answer {
	return answer{status: http.StatusOK, raw: data, headers: map[string]string{
		"Content-Type": "application/gzip", "X-Backup-SHA256": digestOf(data), "X-Backup-Filename": name,
		"Content-Disposition": `attachment; filename="` + name + `"`,
	}}
}

func listBackups(r *request) (answer, error) {
	if err := r.forAdmins(); err != nil {
		return answer{}, err
	}
	all, err := r.api.Backups.backups()
	if err != nil {
		return answer{}, err
	}
	list := []map[string]any{}
	for _, e := range all {
		if info, err := e.Info(); err == nil {
			list = append(list, map[string]any{"filename": e.Name(), "size": info.Size(), "created_at": stamp(info.ModTime())})
		}
	}
	return ok(map[string]any{"backups": list, "total": len(list)})
}

// theBackup is the file that a path names, or the answer that there is none.
func (r *request) theBackup() (file string, none *answer, err error) {
	if err := r.forAdmins(); err != nil {
		return "", nil, err
	}
	name := r.args[0]
	if strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return "", plainError(http.StatusBadRequest, "invalid_filename", "This is not the name of a backup"), nil
	}
	file = filepath.Join(r.api.Backups.Dir, "backups", name)
	if !backupName.MatchString(name) || !isThere(file) {
		return "", plainError(http.StatusNotFound, "not_found", "There is no backup of this name"), nil
	}
	return file, nil, nil
}

func isThere(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

func downloadBackup(r *request) (answer, error) {
	file, none, err := r.theBackup()
	if err != nil || none != nil {
		return orNone(none), err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return answer{}, err
	}
	return backupAnswer(filepath.Base(file), data), nil
}

func orNone(a *answer) answer {
	if a == nil {
		return answer{}
	}
	return *a
}

func removeBackup(r *request) (answer, error) {
	file, none, err := r.theBackup()
	if err != nil || none != nil {
		return orNone(none), err
	}
	if err := r.into(&struct{}{}); err != nil {
		return answer{}, err
	}
	if err := os.Remove(file); err != nil {
		return answer{}, err
	}
	return ok(map[string]any{"status": "deleted", "filename": filepath.Base(file)})
}
