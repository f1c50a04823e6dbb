package update

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// downloadsName is the folder of downloads in State.
const downloadsName = "downloads"

// downloads is where archives lie until they are verified. It is ours alone,
// and outlives a run: a download that was broken off is gone on with.
func (u *Updater) downloads() (*os.Root, error) {
	dir := filepath.Join(u.State, downloadsName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create folder for downloads: %w", err)
	}
	return os.OpenRoot(dir)
}

// archive downloads a file of a release and returns its path, once its content
// has the checksum. If it resumed the download of an earlier run and the
// checksum is wrong, it starts again from nothing, once.
func (u *Updater) archive(ctx context.Context, version, file string, sum [sha256.Size]byte) (string, error) {
	dir, err := u.downloads()
	if err != nil {
		return "", u.stepError(Download, version, err)
	}
	defer dir.Close() //nolint:errcheck // opened only to name files
	ctx, cancel := context.WithTimeoutCause(ctx, u.Limits.Total, fmt.Errorf(
		"it took longer than %s; to resume the download, run `lectern self-update` again", u.Limits.Total))
	defer cancel()
	d := download{Updater: u, dir: dir, file: file, url: u.source.fileURL(version, file)}
	for {
		resumed := d.size() > 0
		if got, err := d.sum(); err == nil && got == sum {
			break // an earlier run completed it
		}
		if err := d.fetch(ctx); err != nil {
			return "", u.stepError(Download, version, err)
		}
		got, err := d.sum()
		if err != nil {
			return "", u.stepError(Checksum, version, err)
		}
		if got == sum {
			break
		}
		if err := d.discard(); err != nil {
			return "", u.stepError(Checksum, version, err)
		}
		if !resumed {
			return "", u.stepError(Checksum, version, fmt.Errorf(
				"%s has the SHA-256 %s, but the signed list says %s: it was changed or damaged in transit and has been deleted; try again, or from "+
					"another network",
				file, hex.EncodeToString(got[:]), hex.EncodeToString(sum[:])))
		}
	}
	u.Progress(Progress{Step: Download, Done: d.size(), Total: d.size()})
	u.report(Checksum, "SHA-256 %s", hex.EncodeToString(sum[:]))
	return filepath.Join(u.State, downloadsName, file), nil
}

// A download is one archive that is being downloaded.
type download struct {
	*Updater
	dir       *os.Root
	file, url string
}

func (d *download) size() int64 {
	info, err := d.dir.Lstat(d.file)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

func (d *download) sum() (sum [sha256.Size]byte, err error) {
	f, err := d.dir.Open(d.file)
	if err != nil {
		return sum, err
	}
	defer f.Close() //nolint:errcheck // only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

func (d *download) discard() error {
	if err := d.dir.Remove(d.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete download: %w", err)
	}
	return nil
}

// fetch sends requests for the missing rest until the file is complete.
func (d *download) fetch(ctx context.Context) error {
	var err error
	for range d.Limits.Tries {
		var again bool
		if again, err = d.fetchOnce(ctx); err == nil || !again || ctx.Err() != nil {
			break
		}
	}
	return err
}

// fetchOnce sends one request; again says whether to send another.
func (d *download) fetchOnce(ctx context.Context) (again bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	have := d.size()
	res, err := d.get(ctx, d.url, have)
	if err != nil {
		return true, preferCause(ctx, err)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	switch {
	case res.StatusCode == http.StatusOK:
		have = 0
	case res.StatusCode == http.StatusPartialContent && rangeStartsAt(res, have):
	case res.StatusCode == http.StatusPartialContent, res.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return true, errors.Join(fmt.Errorf("%s answers with a wrong range of bytes", d.url), d.discard())
	default:
		err := newStatusError(d.url, res)
		return err.isTemporary(), err
	}
	total := int64(0)
	if res.ContentLength > 0 {
		total = have + res.ContentLength
	}
	if total > d.Limits.Archive {
		return false, errTooLong(d.url, d.Limits.Archive)
	}
	return d.receive(ctx, cancel, res.Body, have, total)
}

func errTooLong(at string, most int64) error {
	return fmt.Errorf("%s has more than %d bytes, too many for a release of lectern; report it", at, most)
}

func rangeStartsAt(res *http.Response, offset int64) bool {
	span, ok := strings.CutPrefix(res.Header.Get("Content-Range"), "bytes ")
	first, _, _ := strings.Cut(span, "-")
	n, err := strconv.ParseInt(first, 10, 64)
	return ok && err == nil && n == offset
}

// receive truncates the file to its first have bytes and appends body.
func (d *download) receive(ctx context.Context, cancel context.CancelCauseFunc, body io.Reader, have, total int64) (again bool, err error) {
	f, err := d.dir.OpenFile(d.file, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Truncate(have); err != nil {
		return false, err
	}
	if _, err := f.Seek(have, io.SeekStart); err != nil {
		return false, err
	}
	in := &monitoredReader{
		from: io.LimitReader(body, d.Limits.Archive-have+1), download: d, done: have, total: total, began: d.Now(), first: have,
	}
	in.clock = time.AfterFunc(d.Limits.Pace, func() {
		cancel(fmt.Errorf("%s sends less than %d bytes in %s; to resume the download, run `lectern self-update` again, perhaps from another "+
			"network",
			d.url, d.Limits.PaceMin, d.Limits.Pace))
	})
	defer in.clock.Stop()
	_, err = io.Copy(f, in)
	switch {
	case in.failed != nil:
		return true, preferCause(ctx, in.failed)
	case err != nil:
		return false, fmt.Errorf("write download: %w", err) // the disk, not the network
	case in.done > d.Limits.Archive:
		return false, errors.Join(errTooLong(d.url, d.Limits.Archive), d.discard())
	case in.done < total:
		return true, fmt.Errorf("%s ended after %d of %d bytes", d.url, in.done, total)
	}
	return false, nil
}

// monitoredReader reports progress, and resets the timeout whenever enough bytes
// have arrived.
type monitoredReader struct {
	*download
	from   io.Reader
	clock  *time.Timer
	window int64 // bytes since the timeout was reset
	failed error // of the network, not of the disk

	done, total, first int64
	began, reported    time.Time
}

// progressInterval is the shortest time between two reports.
const progressInterval = 100 * time.Millisecond

func (p *monitoredReader) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		p.failed = err
	}
	p.done += int64(n)
	if p.window += int64(n); p.window >= p.Limits.PaceMin {
		p.window = 0
		p.clock.Reset(p.Limits.Pace)
	}
	if now := p.Now(); now.Sub(p.reported) >= progressInterval {
		p.reported = now
		rate := 0.0
		if took := now.Sub(p.began).Seconds(); took > 0 {
			rate = float64(p.done-p.first) / took
		}
		p.Progress(Progress{Step: Download, Done: p.done, Total: p.total, Rate: rate})
	}
	return n, err
}
