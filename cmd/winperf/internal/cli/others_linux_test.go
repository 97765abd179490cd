package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
	"golang.org/x/sys/unix"
)

// ownEtc is set in the environment of a test that has an /etc of its own.
const ownEtc = "WINPERF_TEST_ETC"

// inEtc runs a test again in a program that has an /etc of its own, with this file of trusted accounts,
// and reports whether this is that program.
func inEtc(t *testing.T, publishers string) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can mount, and give files away")
	}
	dir := os.Getenv(ownEtc)
	if dir != "" {
		if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount(dir, "/etc", "", unix.MS_BIND, ""); err != nil {
			t.Fatal(err)
		}
		return true
	}

	dir = t.TempDir()
	accounts, err := os.ReadFile("/etc/passwd")
	if err := errors.Join(err, os.WriteFile(filepath.Join(dir, "passwd"), accounts, 0o644),
		os.Mkdir(filepath.Join(dir, "winperf"), 0o755),
		os.WriteFile(filepath.Join(dir, "winperf", "publishers"), []byte(publishers), 0o644)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), ownEtc+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skipf("skipped: %v", err)
	}
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// Hostile neighbours publish files that cannot be read and objects of accounts that are not
// trusted. Each run reports that once, and its status does not change. The same fault in files
// of root is damage.
func TestHostileNeighbours(t *testing.T) {
	if !inEtc(t, "nobody-of-that-name\n1002\n") {
		return
	}
	dir := filepath.Join(t.TempDir(), "published")
	t.Setenv(publish.Environment, dir)
	t.Chdir(t.TempDir())
	publishGood(t, dir)
	own := publishedSeed(t)
	broken := bytes.Clone(own)
	copy(broken[pubfile.HeaderSchema:], "xxxx")
	for name, content := range map[string][]byte{"a": broken, "b": broken, "c": own, "d": own} {
		path := filepath.Join(dir, name+pubfile.Suffix)
		t.Cleanup(publishBytes(t, path, content))
		if err := os.Chown(path, 61002, -1); err != nil {
			t.Fatal(err)
		}
	}

	for _, args := range [][]string{
		{"get", `\Peer(*)\*`},
		{"get", `\*(good*)\*`, "-o", "jsonl"},
		{"watch", `\Peer(*)\*`, "-n", "3", "-i", "0.01"},
		{"record", `\Peer(*)\*`, "-n", "2", "-i", "0.01", "-o", "x.capture"},
		{"record", `\Peer(*)\*`, "-n", "2", "-i", "0.01", "-o", "x.csv"},
		{"list"},
		{"list", "Peer", "-o", "jsonl"},
		{"dump", "--object", "Peer", "-o", "json"},
		{"compare", "--source", "local:", "--source", "local:", `\Peer(*)\*`},
	} {
		var stdout, stderr bytes.Buffer
		status := Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
		told := stderr.String()
		if status != console.ExitDone {
			t.Errorf("%q: status %d: %s", args, status, told)
		}
		for _, want := range []string{
			"winperf: omitted, because a file of another account is invalid: " + dir + "/a.winperf: byte 60: ",
			`object "Peer" of uid 61002 is not shown: to show it, add the line 61002 to /etc/winperf/publishers`,
			`publishers:1: unknown account "nobody-of-that-name": `,
		} {
			if strings.Count(told, want) != 1 {
				t.Errorf("%q: want once %q in %s", args, want, told)
			}
		}
		if n := strings.Count(told, " more)\n"); n != 1 || len(told) > 2048 {
			t.Errorf("%q: %d lines with a count: %s", args, n, told)
		}
	}

	// What is not about published objects tells nothing, and damage of the
	// administrator's own still ends with its status.
	for _, tt := range []struct {
		owner, status int
		path          string
		told          bool
	}{{61002, console.ExitDone, `\System\Processes`, false}, {0, console.ExitPartial, `\Peer(*)\*`, true}} {
		if err := os.Chown(filepath.Join(dir, "a"+pubfile.Suffix), tt.owner, -1); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		status := Run(t.Context(), []string{"get", tt.path}, strings.NewReader(""), &stdout, &stderr)
		if status != tt.status || (stderr.Len() > 0) != tt.told {
			t.Errorf("%s: status %d, want %d: %s", tt.path, status, tt.status, stderr.String())
		}
	}
}

// Counters of every type that a trusted account publishes, with odd names of instances and no
// values, do not change the status and report nothing.
func TestOthersTypes(t *testing.T) {
	if !inEtc(t, "61002\n") {
		return
	}
	dir := filepath.Join(t.TempDir(), "published")
	t.Setenv(publish.Environment, dir)
	t.Chdir(t.TempDir())
	for info := range counter.Types() {
		declared := fmt.Sprintf(`{"objects": [{"name": %q, "multi": true, "counters": [{"name": "N", "type": %q}]}]}`,
			"Odd "+info.Name, info.Name)
		s, err := registration.ParseDeclaration("test.json", []byte(declared))
		if err != nil {
			continue // a type that cannot be published
		}
		p, err := publish.New(s, publish.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Close() })
		if err := os.Chown(p.Path(), 61002, -1); err != nil {
			t.Fatal(err)
		}
		o, err := p.Object("Odd " + info.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "a", "_Total", "#1", "a/b", "\n", "\ufffe", "(", strings.Repeat("x", 1000)} {
			if _, err := o.Instance(name, publish.InstanceOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}

	for _, args := range [][]string{
		{"get", `\System\Processes`, `\*(*)\N`, "-o", "jsonl"},
		{"watch", `\System\Processes`, `\*(*)\N`, "-n", "3", "-i", "0.01", "-o", "jsonl"},
		{"record", `\System\*`, `\Odd*(*)\*`, "-n", "3", "-i", "0.01", "-o", "x.capture"},
		{"summary", "x.capture"},
		{"list"},
	} {
		var stdout, stderr bytes.Buffer
		status := Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
		if status != console.ExitDone || strings.Contains(stderr.String(), "bad ") {
			t.Errorf("%q: status %d: %s", args, status, stderr.String())
		}
		if args[0] == "get" && !strings.Contains(stdout.String(), "Odd PERF_ELAPSED_TIME") {
			t.Errorf("%q: nothing of the other account", args)
		}
	}
}

// An object of another account, in a directory that is not read, is not just missing.
func TestOthersElsewhere(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can give directories away")
	}
	const dir = "/dev/shm/winperf-61004"
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Cleanup(publishBytes(t, filepath.Join(dir, "a"+pubfile.Suffix), publishedSeed(t)))
	if err := os.Chown(dir, 61004, -1); err != nil {
		t.Fatal(err)
	}

	for _, tt := range []struct {
		environment string
		args        []string
		told        bool
	}{
		{"", []string{"get", `\Absent(*)\*`, `\Absent too\*`}, true},
		{"", []string{"list", "Absent"}, true},
		{"", []string{"get", `\System\Processes`}, false},
		{t.TempDir(), []string{"get", `\Absent(*)\*`}, false},
	} {
		t.Setenv(publish.Environment, tt.environment)
		var stdout, stderr bytes.Buffer
		Run(t.Context(), tt.args, strings.NewReader(""), &stdout, &stderr)
		n := strings.Count(stderr.String(), "directories where other accounts publish are not read: ")
		if n > 1 || (n == 1) != tt.told || tt.told && !strings.Contains(stderr.String(), publish.Environment+"=/dev/shm/winperf-") {
			t.Errorf("%q: %s", tt.args, &stderr)
		}
	}
}

// The service of dist/winperf.service reads the counters of another account that the file of trusted
// accounts names, with the group of the published file. In a user namespace, as systemd makes one for
// PrivateUsers=yes, the account has no number, and the message says so.
func TestServiceReadsPublished(t *testing.T) {
	if !inEtc(t, "61002\n") {
		return
	}
	const service, publisher, group = 61001, 61002, 61100
	unit, err := os.ReadFile("../../../../dist/winperf.service")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(unit, []byte("\n#SupplementaryGroups=")) {
		t.Error("the unit does not show how the service gets a group")
	}
	private := bytes.Contains(unit, []byte("\nPrivateUsers=yes\n"))

	dir, program := publishedBy(t, publisher, group)
	get := func(private bool) string {
		cmd := &exec.Cmd{Path: program, Args: []string{"winperf", "get", `\Peer(*)\*`}, Dir: dir}
		cmd.Env = append(os.Environ(), publish.Environment+"="+dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: service, Gid: service, Groups: []uint32{group}},
		}
		if private {
			cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = identical(0, service)
			cmd.SysProcAttr.GidMappings = identical(0, service, group)
			cmd.SysProcAttr.GidMappingsEnableSetgroups = true
		}
		out, _ := cmd.CombinedOutput() // the status follows from what is shown
		return string(out)
	}

	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		got := get(private)
		if strings.Contains(got, "good") && strings.Contains(got, "17") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the service shows\n%s", got)
		}
	}
	const message = `object "Peer" is not shown, because its account has no number in this user namespace`
	if got := get(true); strings.Contains(got, "good") || !strings.Contains(got, message) {
		t.Errorf("with private users the service shows\n%s", got)
	}
}

// publishedBy runs winperf publish with an account and a group, until the test ends, and returns the
// directory and the program in it, which all accounts may run.
func publishedBy(t *testing.T, account, group int) (dir, program string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "published")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })

	program, schema := filepath.Join(dir, "winperf"), filepath.Join(dir, "peer.json")
	code, err := os.ReadFile(os.Args[0])
	if err := errors.Join(err, os.WriteFile(program, code, 0o755),
		os.WriteFile(schema, fmt.Appendf(nil, publishedSchema, "Peers", "Other"), 0o644),
		os.Chmod(dir, 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}

	var out bytes.Buffer
	cmd := &exec.Cmd{Path: program, Args: []string{"winperf", "publish", "--schema", schema, "--dir", dir}, Dir: dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(account), Gid: uint32(group)}}
	cmd.Stdout, cmd.Stderr = &out, &out
	in, err := cmd.StdinPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Errorf("%v\n%s", err, &out)
		}
	})

	if _, err := fmt.Fprintln(in, `\Peer(good)\Bytes Served 17`); err != nil {
		t.Fatal(err)
	}
	return dir, program
}

// identical maps numbers of accounts or groups to themselves.
func identical(numbers ...int) (all []syscall.SysProcIDMap) {
	for _, n := range numbers {
		all = append(all, syscall.SysProcIDMap{ContainerID: n, HostID: n, Size: 1})
	}
	return all
}
