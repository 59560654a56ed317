package s64

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// A Dir is the files of one directory by their SHA-256. Nothing outside the
// directory is ever opened, and a file that has changed since it was read is
// not given. Its methods may be called from any goroutine.
type Dir struct {
	root *os.Root

	mu    sync.Mutex
	files map[[32]byte]dirFile
}

type dirFile struct {
	name string
	size int64
	mod  time.Time
}

// maxFiles is how many files of a directory are served.
const maxFiles = 4096

// OpenDir reads every plain file of the directory path once, for its hash: 4,096
// at most. Directories, links and files that cannot be read are left out. It
// returns an error if there is no such directory.
func OpenDir(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("s64: files: %w", err)
	}
	d := &Dir{root: root, files: make(map[[32]byte]dirFile)}
	if err := d.Scan(); err != nil {
		root.Close()
		return nil, err
	}
	return d, nil
}

// Scan reads the directory anew. If it cannot be read that is an error, and the
// files stay those of the time before.
func (d *Dir) Scan() error {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("s64: files: %w", err)
	}
	files := make(map[[32]byte]dirFile)
	for _, e := range entries {
		if !e.Type().IsRegular() || len(files) >= maxFiles {
			continue
		}
		f, err := d.root.Open(e.Name())
		if err != nil {
			continue
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		info, serr := f.Stat()
		f.Close()
		if err == nil && serr == nil {
			files[[32]byte(h.Sum(nil))] = dirFile{name: e.Name(), size: info.Size(), mod: info.ModTime()}
		}
	}
	d.mu.Lock()
	d.files = files
	d.mu.Unlock()
	return nil
}

// Size is the length in bytes of the file with this hash; false if there is none,
// or it has changed.
func (d *Dir) Size(hash [32]byte) (int64, bool) {
	f, ok := d.find(hash)
	if !ok {
		return 0, false
	}
	info, err := d.root.Stat(f.name)
	if err != nil || !f.same(info) {
		return 0, false
	}
	return f.size, true
}

// Open opens the file with this hash, for the caller to close. The error is
// fs.ErrNotExist if there is none, and another if it has changed.
func (d *Dir) Open(hash [32]byte) (*os.File, error) {
	f, ok := d.find(hash)
	if !ok {
		return nil, fs.ErrNotExist
	}
	file, err := d.root.Open(f.name)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !f.same(info) {
		file.Close()
		return nil, errors.New("s64: the file has changed")
	}
	return file, nil
}

func (d *Dir) find(hash [32]byte) (dirFile, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.files[hash]
	return f, ok
}

func (f dirFile) same(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && info.Size() == f.size && info.ModTime().Equal(f.mod)
}

// Close frees the directory. Files that were opened stay open.
func (d *Dir) Close() error { return d.root.Close() }
