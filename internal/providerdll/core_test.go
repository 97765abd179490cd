//go:build !windows

package providerdll

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/winperf/winperf/internal/pubfile"
)

// core is the provider's core, as a program of 64 and one of 32 bits. Both are
// asked everything and must give the same answers.
type core []*process

// process is the core in a process of its own, under the address and undefined
// behaviour sanitizers.
type process struct {
	in     io.WriteCloser
	out    io.Reader
	stderr bytes.Buffer
	cmd    *exec.Cmd
}

// wordSizes are the bits of the programs that this machine can make.
func wordSizes() []int {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "386" {
		return []int{0} // whatever the compiler makes
	}
	return []int{64, 32}
}

// build compiles the core for each word size, once for all tests.
var build = sync.OnceValues(func() (dir string, err error) {
	// What the compiler reads go test does not see: without this it would give results
	// of an earlier core from its cache.
	for _, name := range []string{"core.c", "core.h", "layout.h", "fuzz.c"} {
		if _, err := os.ReadFile(filepath.Join(source, name)); err != nil {
			return "", err
		}
	}

	if dir, err = os.MkdirTemp("", "winperf-provider"); err != nil {
		return "", err
	}
	for _, bits := range wordSizes() {
		args := []string{"-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror",
			"-fsanitize=address,undefined",
			"-fno-sanitize-recover=all", "-o", program(dir, bits), filepath.Join(source, "core.c"),
			filepath.Join(source, "fuzz.c")}
		if bits != 0 {
			args = append(args, fmt.Sprint("-m", bits))
		}
		if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			return dir, fmt.Errorf("the core of %d bits: %w (for 32 bits on 64 install gcc-multilib)\n%s",
				bits, err, out)
		}
	}
	return dir, nil
})

func program(dir string, bits int) string { return filepath.Join(dir, fmt.Sprint("core", bits)) }

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, _ := build(); dir != "" {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

func startCore(t testing.TB) core {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("skipped: gcc is missing")
	}
	dir, err := build()
	if err != nil {
		t.Fatal(err)
	}
	var c core
	for _, bits := range wordSizes() {
		p, err := startProcess(t, program(dir, bits))
		if bits == 32 && errors.Is(err, syscall.ENOEXEC) {
			t.Log("64 bits only: the kernel runs no 32-bit programs")
			continue
		}
		if err != nil {
			t.Fatal(err)
		}

		var pointer [4]byte
		if _, err := io.ReadFull(p.out, pointer[:]); err != nil {
			t.Fatalf("%v: %s", err, p.stderr.String())
		}
		if n := int(binary.LittleEndian.Uint32(pointer[:])); bits != 0 && 8*n != bits {
			t.Fatalf("the core of %d bits has pointers of %d bytes", bits, n)
		}
		c = append(c, p)
	}
	return c
}

func startProcess(t testing.TB, program string) (*process, error) {
	t.Helper()
	var err error
	c := &process{cmd: exec.Command(program)}
	// What a test allows itself, a hostile file must not: 64 MiB for a request.
	c.cmd.Env = append(os.Environ(), "ASAN_OPTIONS=max_allocation_size_mb=64:allocator_may_return_null=1")
	c.cmd.Stderr = &c.stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}

	t.Cleanup(func() { // a leak ends the program with an error, too
		if err := errors.Join(c.in.Close(), c.cmd.Wait()); err != nil {
			t.Errorf("%v\n%s", err, c.stderr.String())
		}
	})
	return c, nil
}

// copied is a copy of a file, and one made later, if slots changed meanwhile.
type copied struct{ data, later []byte }

// owner is the first file of an object, by its position among the files.
type owner struct{ title, file uint32 }

// request is a request to the core.
type request struct {
	query      []byte // nil is NULL
	room, most int
	files      []copied
}

// limit is the default limit of an answer in bytes.
const limit = 1 << 22

// ask asks the core. A nil query is NULL.
func (c core) ask(query []byte, room int, files ...copied) (answer, error) {
	a, _, err := c.request(request{query: query, room: room, most: limit, files: files})
	return a, err
}

// request asks the core of each word size, and returns the first files of objects, too.
func (c core) request(r request) (answer, []owner, error) {
	first, owners, err := c[0].request(r)
	for _, p := range c[1:] {
		if err != nil {
			break
		}
		var other answer
		var others []owner
		other, others, err = p.request(r)
		if err == nil && !(reflect.DeepEqual(first, other) && slices.Equal(owners, others)) {
			err = fmt.Errorf("one word size gives %+v %v, the other one %+v %v", first, owners, other, others)
		}
	}
	return first, owners, err
}

// bytes is the request as the program reads it.
func (r request) bytes() []byte {
	le := binary.LittleEndian
	p := le.AppendUint32(nil, uint32(r.room))
	p = le.AppendUint32(p, uint32(r.most))
	if r.query == nil {
		p = le.AppendUint32(p, ^uint32(0))
	} else {
		p = append(le.AppendUint32(p, uint32(len(r.query))), r.query...)
	}

	p = le.AppendUint32(p, uint32(len(r.files)))
	for _, f := range r.files {
		p = append(le.AppendUint32(p, uint32(len(f.data))), f.data...)
		p = append(le.AppendUint32(p, uint32(len(f.later))), f.later...)
	}
	return p
}

func (c *process) request(r request) (a answer, owners []owner, err error) {
	if _, err := c.in.Write(r.bytes()); err != nil {
		return a, nil, fmt.Errorf("%w: %s", err, c.stderr.String())
	}
	var head [16]byte
	if _, err := io.ReadFull(c.out, head[:]); err != nil {
		return a, nil, fmt.Errorf("the core has ended: %w", err)
	}
	le := binary.LittleEndian
	a = answer{more: le.Uint32(head[:]) == 0, objects: int(le.Uint32(head[4:])),
		troubles: le.Uint32(head[8:])}
	a.data = make([]byte, le.Uint32(head[12:]))
	if _, err := io.ReadFull(c.out, a.data); err != nil {
		return a, nil, err
	}

	if _, err := io.ReadFull(c.out, head[:4]); err != nil {
		return a, nil, err
	}
	list := make([]byte, le.Uint32(head[:]))
	_, err = io.ReadFull(c.out, list)
	for ; len(list) >= 8; list = list[8:] {
		owners = append(owners, owner{le.Uint32(list), le.Uint32(list[4:])})
	}
	return a, owners, err
}

// utf16z is a text as Windows has it.
func utf16z(s string) (p []byte) {
	for _, u := range utf16.Encode([]rune(s + "\x00")) {
		p = binary.LittleEndian.AppendUint16(p, u)
	}
	return p
}

// copies reads the files of a directory, the oldest first, as provider.c gives them:
// what publishers of these tests say about themselves is true.
func copies(t testing.TB, dir string) (files []copied) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, copied{data: data})
	}
	slices.SortFunc(files, func(a, b copied) int {
		return bytes.Compare(started(a.data), started(b.data))
	})
	return files
}

// started is when publishing began, highest byte first.
func started(p []byte) []byte {
	return binary.BigEndian.AppendUint64(nil, binary.LittleEndian.Uint64(p[pubfile.HeaderStarted:]))
}

// provider returns a directory to publish in and a collector of what is there.
func provider(t testing.TB) (dir string, collect collector) {
	t.Helper()
	dir, c := t.TempDir(), startCore(t)
	return dir, func(t testing.TB, query string, room int) answer {
		t.Helper()
		a, err := c.ask(utf16z(query), room, copies(t, dir)...)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}
