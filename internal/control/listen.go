package control

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// maxPath is the limit of all systems (sockaddr_un of macOS, without the NUL).
const maxPath = 103

// ListenSocket creates the socket of a program, and its directory. With others, other users
// may connect, too.
func ListenSocket(dir, name string, others bool) (*net.UnixListener, error) {
	if err := makeDir(dir, others); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, socketName(name, os.Getpid()))
	if len(path) > maxPath {
		const form = "%s: a socket's path has at most %d bytes; %s names a shorter directory"
		return nil, fmt.Errorf(form, path, maxPath, Environment)
	}

	address := &net.UnixAddr{Name: path, Net: "unix"}
	l, err := net.ListenUnix("unix", address)
	if err != nil {
		conn, dialErr := net.DialUnix("unix", nil, address)
		switch {
		case dialErr == nil:
			err = fmt.Errorf("%s: %w: this program listens already", path, os.ErrExist)
			return nil, errors.Join(err, conn.Close())
		case !noListener(dialErr):
			return nil, err
		}

		// The socket is of an ended program with the same id, or not a socket.
		info, statErr := os.Lstat(path)
		if statErr != nil || !isSocket(info.Mode()) || os.Remove(path) != nil {
			return nil, err
		}
		if l, err = net.ListenUnix("unix", address); err != nil {
			return nil, err
		}
	}

	mode := os.FileMode(0o600)
	if others {
		mode = 0o666 // the kernel reports the connecting user
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func makeDir(dir string, others bool) error {
	mode := os.FileMode(0o700)
	if others {
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, mode); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return checkDir(dir)
}
