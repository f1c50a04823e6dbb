package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// An Entry is a folder or a regular file that [Vault.Walk] meets.
type Entry struct {
	Path string // slash-separated, relative to the vault
	Dir  bool
}

// Name is the last component of the path.
func (e Entry) Name() string { return path.Base(e.Path) }

// SkipDir leaves a folder out when a visit of it returns it.
var SkipDir = fs.SkipDir

// Walk visits every folder and regular file below dir ("." for all), folders
// before what they hold, names in byte order. Hidden names, links and devices
// are not visited. A folder that cannot be read is passed over and named in
// skipped. Walk ends early when ctx ends or visit returns an error other than
// SkipDir; it answers ErrGone when the vault is gone.
func (v *Vault) Walk(ctx context.Context, dir string, visit func(Entry) error) (skipped []string, err error) {
	if err := v.Check(); err != nil {
		return nil, err
	}
	if dir != "." {
		if err := CheckName(dir); err != nil {
			return nil, err
		}
	}
	if _, err := v.entries(dir); err != nil {
		return nil, v.wrap("list", dir, err)
	}
	err = v.walk(ctx, dir, &skipped, visit)
	return skipped, err
}

func (v *Vault) walk(ctx context.Context, dir string, skipped *[]string, visit func(Entry) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("walk vault: %w", err)
	}
	entries, err := v.entries(dir)
	if err != nil {
		*skipped = append(*skipped, dir)
		return nil //nolint:nilerr // counted; one bad folder does not end a walk
	}
	for _, e := range entries {
		if Hidden(e.Name()) || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		entry := Entry{Path: path.Join(dir, e.Name()), Dir: e.IsDir()}
		err := visit(entry)
		switch {
		case errors.Is(err, SkipDir) && entry.Dir:
			continue
		case err != nil:
			return err
		}
		if entry.Dir {
			if err := v.walk(ctx, entry.Path, skipped, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// entries lists a folder in byte order, hidden names included.
func (v *Vault) entries(dir string) ([]fs.DirEntry, error) {
	if dir != "." {
		info, err := v.root.Lstat(dir)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s: not a folder: %w", dir, fs.ErrNotExist)
		}
	}
	f, err := v.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}
