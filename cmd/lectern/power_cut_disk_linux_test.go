package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
)

// A fragileDisk is a disk with a write cache: what was written since it was last told to flush
// is lost when the power fails, or a part of it, in any order. It is the only file of a FUSE file
// system, in which a loop device can be.
type fragileDisk struct {
	file    string
	fuse    int
	random  *rand.Rand
	promise func() any // what is promised at the moment of a cut

	mu       sync.Mutex
	flushed  []byte           // what survives
	cached   map[int64][]byte // blocks that were written since
	requests int              // until the cut; 0: none is planned
	cuts     chan powerCut
}

// A powerCut is what is left of a disk, and what was promised at that moment.
type powerCut struct {
	image    []byte
	promised any
	lost     int // blocks that were written and not flushed
	kept     int // of these, those that had come to the disk all the same
}

const (
	diskSize  = 64 << 20
	diskBlock = 4096 // is written whole or not at all
)

// newFragileDisk mounts a disk without content, for as long as the mount namespace of this process
// lasts. It skips the test where that is not possible.
func newFragileDisk(t *testing.T, seed uint64, promise func() any) *fragileDisk {
	t.Helper()
	dir := t.TempDir()
	fuse, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err == nil {
		err = syscall.Mount("lectern", dir, "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse))
	}
	if err != nil {
		t.Skipf("no power can be cut here: a disk is played by FUSE: %v", err)
	}
	d := &fragileDisk{
		file: filepath.Join(dir, diskName), fuse: fuse, random: rand.New(rand.NewPCG(seed, 1)), promise: promise,
		flushed: make([]byte, diskSize), cached: map[int64][]byte{}, cuts: make(chan powerCut, 1),
	}
	go d.serve()
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return d
}

// cutAfter plans a cut after this many requests to the disk.
func (d *fragileDisk) cutAfter(requests int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = requests
}

// write puts bytes into the cache.
func (d *fragileDisk) write(at int64, data []byte) {
	for len(data) > 0 {
		block := at / diskBlock
		held, in := d.cached[block]
		if !in {
			held = bytes.Clone(d.flushed[block*diskBlock : (block+1)*diskBlock])
			d.cached[block] = held
		}
		n := copy(held[at%diskBlock:], data)
		at, data = at+int64(n), data[n:]
	}
}

func (d *fragileDisk) read(at int64, size int) []byte {
	end := min(at+int64(size), diskSize)
	data := bytes.Clone(d.flushed[at:end])
	for block := at / diskBlock; block*diskBlock < end; block++ {
		if held, in := d.cached[block]; in {
			from, to := max(block*diskBlock, at), min((block+1)*diskBlock, end)
			copy(data[from-at:to-at], held[from-block*diskBlock:])
		}
	}
	return data
}

// flush makes everything durable.
func (d *fragileDisk) flush() {
	for block, data := range d.cached {
		copy(d.flushed[block*diskBlock:], data)
	}
	clear(d.cached)
}

// count ends in a cut at the request for which one is planned.
func (d *fragileDisk) count() {
	if d.requests == 0 {
		return
	}
	if d.requests--; d.requests > 0 {
		return
	}
	cut := powerCut{promised: d.promise(), image: bytes.Clone(d.flushed), lost: len(d.cached)}
	share := []float64{0, 0, 0.5, 1}[d.random.IntN(4)] // of what was not flushed
	for _, block := range slices.Sorted(maps.Keys(d.cached)) {
		if d.random.Float64() < share {
			copy(cut.image[block*diskBlock:], d.cached[block])
			cut.kept++
		}
	}
	d.cuts <- cut
}

// The part of FUSE's protocol that one file needs, <linux/fuse.h>.
const (
	fuseLookup, fuseForget, fuseGetattr, fuseSetattr, fuseOpen, fuseRead, fuseWrite, fuseStatfs, fuseRelease = 1, 2, 3, 4, 14, 15, 16, 17, 18
	fuseFsync, fuseFlush, fuseInit, fuseOpendir, fuseReleasedir, fuseInterrupt, fuseBatchForget              = 20, 25, 26, 27, 29, 36, 42

	diskName    = "disk"
	rootNode    = 1
	diskNode    = 2
	maxTransfer = 128 << 10
	headerSize  = 40
)

// serve answers the kernel until the file system is unmounted.
func (d *fragileDisk) serve() {
	request := make([]byte, maxTransfer+diskBlock)
	for {
		n, err := syscall.Read(d.fuse, request)
		if errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.EAGAIN) { // it was taken back
			continue
		}
		if err != nil {
			_ = syscall.Close(d.fuse)
			return
		}
		r := request[:n]
		opcode, id := binary.LittleEndian.Uint32(r[4:]), binary.LittleEndian.Uint64(r[8:])
		if opcode == fuseForget || opcode == fuseBatchForget || opcode == fuseInterrupt {
			continue // nobody waits for an answer
		}
		body, failure := d.answer(opcode, binary.LittleEndian.Uint64(r[16:]), r[headerSize:])
		answer := binary.LittleEndian.AppendUint32(nil, uint32(16+len(body)))
		answer = binary.LittleEndian.AppendUint32(answer, uint32(-int32(failure)))
		answer = append(binary.LittleEndian.AppendUint64(answer, id), body...)
		_, _ = syscall.Write(d.fuse, answer) // the caller may be gone
	}
}

func (d *fragileDisk) answer(opcode uint32, node uint64, args []byte) (body []byte, failure syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch opcode {
	case fuseInit:
		const bigWrites, maxPages = 1 << 5, 1 << 22
		body = make([]byte, 64)
		for at, v := range map[int]uint32{0: 7, 4: 31, 8: maxTransfer, 12: bigWrites | maxPages, 20: maxTransfer, 24: 1} {
			binary.LittleEndian.PutUint32(body[at:], v)
		}
		binary.LittleEndian.PutUint16(body[28:], maxTransfer/diskBlock)
		return body, 0
	case fuseLookup:
		if string(args) != diskName+"\x00" {
			return nil, syscall.ENOENT
		}
		body = binary.LittleEndian.AppendUint64(nil, diskNode)
		body = append(body, make([]byte, 32)...)
		return append(body, attributes(diskNode)...), 0
	case fuseGetattr, fuseSetattr:
		return append(make([]byte, 16), attributes(node)...), 0
	case fuseOpen, fuseOpendir:
		return make([]byte, 16), 0
	case fuseRead:
		return d.read(int64(binary.LittleEndian.Uint64(args[8:])), int(binary.LittleEndian.Uint32(args[16:]))), 0
	case fuseWrite:
		data := args[headerSize:]
		d.write(int64(binary.LittleEndian.Uint64(args[8:])), data)
		d.count()
		return binary.LittleEndian.AppendUint64(nil, uint64(len(data))), 0
	case fuseFsync:
		d.flush()
		d.count()
		return nil, 0
	case fuseStatfs:
		return make([]byte, 80), 0
	case fuseFlush, fuseRelease, fuseReleasedir:
		return nil, 0
	}
	return nil, syscall.ENOSYS
}

// attributes are those of the disk, or of the folder that it is in.
func attributes(node uint64) []byte {
	a := make([]byte, 88)
	mode, size := uint32(syscall.S_IFREG|0o600), uint64(diskSize)
	if node == rootNode {
		mode, size = syscall.S_IFDIR|0o700, 0
	}
	binary.LittleEndian.PutUint64(a[0:], node)
	binary.LittleEndian.PutUint64(a[8:], size)
	binary.LittleEndian.PutUint64(a[16:], size/512)
	binary.LittleEndian.PutUint32(a[60:], mode)
	binary.LittleEndian.PutUint32(a[64:], 1) // links
	binary.LittleEndian.PutUint32(a[80:], diskBlock)
	return a
}
