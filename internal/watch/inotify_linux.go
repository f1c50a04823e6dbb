package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	fileEvents = unix.IN_CREATE | unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB |
		unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO
	selfEvents = unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	onlyFolder = unix.IN_ONLYDIR | unix.IN_EXCL_UNLINK
)

// inotify is a watch on every folder. Each event names the file in its folder.
type inotify struct {
	o       Options
	queue   *os.File
	remote  bool
	root    int32
	folders map[int32]string // by watch
	watches map[string]int32 // by folder
	buffer  [64 << 10]byte
}

// openEvents watches every folder below the one of the options.
func openEvents(o Options, names *nameSet) (events, error) {
	remote, err := isRemote(o.Folder)
	if err != nil {
		return nil, err
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w (limit: fs.inotify.max_user_instances)", o.Folder, err)
	}
	e := &inotify{
		o: o, queue: os.NewFile(uintptr(fd), "inotify"), remote: remote,
		folders: map[int32]string{}, watches: map[string]int32{},
	}
	if err := e.watch(".", names); err != nil {
		return nil, errors.Join(err, e.close())
	}
	e.root = e.watches["."]
	return e, nil
}

// isRemote reports whether other machines, or a program that keeps the files, may
// change them without telling the kernel.
func isRemote(folder string) (bool, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return false, err
	}
	switch int64(s.Type) { //nolint:unconvert,nolintlint // its size differs by processor
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.V9FS_MAGIC,
		unix.FUSE_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC, unix.AFS_SUPER_MAGIC:
		return true, nil
	}
	return false, nil
}

// limitError is err if it stays until somebody changes the system, nil if the
// folder is only not there.
func limitError(err error) error {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM) ||
		errors.Is(err, unix.ENOSYS) {
		return err
	}
	return nil
}

func (e *inotify) partial() bool { return e.remote }
func (e *inotify) close() error  { return e.queue.Close() }

// wait leaves the events in the queue: drain takes them under the lock, so that none
// is under way between the two.
func (e *inotify) wait() error {
	conn, err := e.queue.SyscallConn()
	if err != nil {
		return err
	}
	return conn.Read(func(fd uintptr) bool {
		n, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ) // FIONREAD: the bytes in the queue
		return err != nil || n > 0
	})
}

func (e *inotify) drain(into *nameSet) error {
	for {
		var n int
		err := e.control(func(fd int) (err error) {
			n, err = unix.Read(fd, e.buffer[:])
			return err
		})
		switch {
		case errors.Is(err, unix.EAGAIN):
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		}
		for rest := e.buffer[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			wd, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:end], []byte{0})
			if err := e.handle(wd, mask, string(name), into); err != nil {
				return err
			}
			rest = rest[end:]
		}
	}
}

// control calls f with the queue's descriptor, which stays open until f returns.
func (e *inotify) control(f func(fd int) error) error {
	conn, err := e.queue.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = f(int(fd)) }); err != nil {
		return err
	}
	return failed
}

func (e *inotify) handle(wd int32, mask uint32, name string, into *nameSet) error {
	if mask&unix.IN_Q_OVERFLOW != 0 {
		return errLost
	}
	folder, known := e.folders[wd]
	if !known {
		return nil // of a folder that has been moved away
	}
	if mask&(selfEvents|unix.IN_UNMOUNT|unix.IN_IGNORED) != 0 {
		if wd == e.root {
			return errLost
		}
		if mask&unix.IN_IGNORED != 0 {
			e.forget(wd)
		}
		return nil // the folder that it is in tells the rest
	}
	if name == "" {
		return nil
	}
	name = path.Join(folder, name)
	if mask&unix.IN_ISDIR == 0 {
		into.add(name)
		return nil
	}
	if e.skips(name) {
		return nil
	}
	_, watched := e.watches[name]
	switch {
	case mask&(unix.IN_MOVED_FROM|unix.IN_DELETE) != 0:
		into.add(name)
		if err := e.unwatch(name); err != nil {
			return err
		}
		// Another folder may have the name by now, as when two exchange theirs.
	case mask&unix.IN_ATTRIB != 0 && watched:
		return nil
	}
	return e.watch(name, into)
}

func (e *inotify) skips(folder string) bool { return e.o.Skip != nil && e.o.Skip(folder) }

func (e *inotify) forget(wd int32) {
	if folder := e.folders[wd]; e.watches[folder] == wd {
		delete(e.watches, folder)
	}
	delete(e.folders, wd)
}

// watch watches a folder and all below it, and adds the files that it finds: they may
// be older than the watch. A folder that has gone, or may not be read, is passed over.
func (e *inotify) watch(folder string, found *nameSet) error {
	where, flags := filepath.Join(e.o.Folder, filepath.FromSlash(folder)), uint32(fileEvents|selfEvents|onlyFolder)
	if folder != "." {
		flags |= unix.IN_DONT_FOLLOW
	}
	var wd int
	err := e.control(func(fd int) (err error) {
		wd, err = unix.InotifyAddWatch(fd, where, flags)
		return err
	})
	if err != nil {
		if folder != "." && limitError(err) == nil {
			return nil
		}
		return fmt.Errorf("watch %s: %w (limit: fs.inotify.max_user_watches)", where, err)
	}
	e.forget(int32(wd))
	e.folders[int32(wd)], e.watches[folder] = folder, int32(wd)
	if folder != "." {
		found.add(folder)
	}
	entries, err := os.ReadDir(where)
	if err != nil && folder == "." {
		return err
	}
	for _, entry := range entries {
		name := path.Join(folder, entry.Name())
		if !entry.IsDir() {
			found.add(name)
		} else if !e.skips(name) {
			if err := e.watch(name, found); err != nil {
				return err
			}
		}
	}
	return nil
}

// unwatch ends the watches of a folder that is gone and of all that were below it.
func (e *inotify) unwatch(folder string) error {
	for name, wd := range e.watches {
		if name != folder && !strings.HasPrefix(name, folder+"/") {
			continue
		}
		e.forget(wd)
		err := e.control(func(fd int) error {
			_, err := unix.InotifyRmWatch(fd, uint32(wd))
			return err
		})
		if err != nil && !errors.Is(err, unix.EINVAL) { // the kernel has ended it by itself
			return err
		}
	}
	return nil
}
