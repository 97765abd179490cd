package providerdll

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"
	"unsafe"

	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
	"github.com/winperf/winperf/provider/publish"
)

// text calls a function that writes a text.
func (l library) text(t testing.TB, function uintptr, args ...uintptr) string {
	t.Helper()
	units := make([]uint16, 1<<14)
	n, _, _ := syscall.SyscallN(function, append(args, uintptr(unsafe.Pointer(&units[0])),
		uintptr(len(units)))...)
	return string(utf16.Decode(units[:n]))
}

// ownSID is the account that this test runs as.
func ownSID(t testing.TB) string {
	t.Helper()
	token, err := syscall.OpenCurrentProcessToken()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = token.Close() }()
	user, err := token.GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	sid, err := user.User.Sid.String()
	if err != nil {
		t.Fatal(err)
	}
	return sid
}

// names writes the value by which the administrator names accounts.
func names(t testing.TB, accounts ...string) {
	t.Helper()
	var list []byte
	for _, a := range accounts {
		list = append(list, utf16z(a)...)
	}
	set(t, service+`WinperfLibrary\Performance`, typeTexts,
		map[string][]byte{"Publishers": append(list, 0, 0)})
}

// change opens a publisher's file and writes to it.
func change(t testing.TB, p *publish.Publisher, at int64, data []byte) {
	t.Helper()
	f, err := os.OpenFile(p.Path(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(data, at)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestStarted has a later publisher say that it began before all others: the system
// knows when its file was made.
func TestStarted(t *testing.T) {
	dir, collect := provider(t)
	peer(t, publisher(t, dir, schema(t)), "one", 1)
	time.Sleep(20 * time.Millisecond) // two files have two times
	p := publisher(t, dir, schema(t))
	peer(t, p, "two", 2)
	change(t, p, pubfile.HeaderStarted, make([]byte, 8))
	if got := collect(t, "8006", plenty).show(t); got != "8006[one=1 two=2]" {
		t.Error(got)
	}
}

// TestPublishers names the accounts whose files count. Whatever cannot be understood
// admits no account.
func TestPublishers(t *testing.T) {
	const shown = "8006[one=1]"
	own := ownSID(t)
	for name, tt := range map[string]struct {
		accounts     []string
		want, owner  string
		unknownNames bool
	}{
		"none is named":          {nil, shown, own, false},
		"this one":               {[]string{own}, shown, "Publishers", false},
		"this one by its name":   {[]string{winapi.AccountName(own)}, shown, "Publishers", false},
		"this one among others":  {[]string{"S-1-5-19", own, "S-1-5-20"}, shown, "Publishers", false},
		"another one":            {[]string{"S-1-5-19"}, "", "", false},
		"an unknown one":         {[]string{`winperf has no such account`}, "", "", true},
		"this one and a mistake": {[]string{`winperf has no such account`, own}, shown, "Publishers", true},
	} {
		t.Run(name, func(t *testing.T) {
			l := load(t)
			install(t)
			if tt.accounts != nil {
				names(t, tt.accounts...)
			}
			dir := published(t)
			peer(t, publisher(t, dir, schema(t)), "one", 1)
			l.start(t, "WinperfLibrary")
			if got := l.ask(t, "8006", plenty).show(t); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if got := l.text(t, l.owner, peerObject); got != tt.owner {
				t.Errorf("owner %s, want %s", got, tt.owner)
			}
			told := l.text(t, l.troubles)
			if tt.unknownNames && !strings.Contains(told, "names an account that is not known") {
				t.Errorf("told: %s", told)
			}
			if tt.want == "" && !strings.Contains(told, "The value \"Publishers\"") {
				t.Errorf("told: %s", told)
			}
		})
	}
}

// TestPublishersWrong has a value of another type: the administrator did not mean
// everybody.
func TestPublishersWrong(t *testing.T) {
	l := load(t)
	install(t)
	set(t, service+`WinperfLibrary\Performance`, typeNumber, map[string][]byte{"Publishers": number(1)})
	peer(t, publisher(t, published(t), schema(t)), "one", 1)
	l.start(t, "WinperfLibrary")
	if got := l.ask(t, "8006", plenty).show(t); got != "" {
		t.Error(got)
	}
}

// TestWritable has a file that everybody may write to: its owner says nothing.
func TestWritable(t *testing.T) {
	l := load(t)
	install(t)
	dir := published(t)
	p := publisher(t, dir, schema(t))
	peer(t, p, "one", 1)
	data, err := os.ReadFile(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	data = data[:binary.LittleEndian.Uint64(data[pubfile.HeaderUsed:])]
	const alone, both = "8006[one=1]", "8006[one=1 one=1]"
	for sddl, want := range map[string]string{
		"D:P(A;;FA;;;OW)":              both,
		"D:P(A;;FA;;;OW)(A;;FR;;;WD)":  both,
		"D:P(A;;FA;;;OW)(A;;FA;;;WD)":  alone,
		"D:P(A;;FA;;;OW)(A;;0x2;;;WD)": alone,
	} {
		t.Run(sddl, func(t *testing.T) {
			path := filepath.Join(dir, "other.winperf")
			f, err := winapi.CreateShared(path, sddl)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := errors.Join(f.Close(), os.Remove(path)); err != nil {
					t.Error(err)
				}
			}()
			if wintest.Wine() && want == alone {
				below(t, path, "chmod", "0666") // which a umask has taken
			}
			if _, err := f.Write(data); err != nil {
				t.Fatal(err)
			}
			if locked, err := winapi.TryLock(f, true); err != nil || !locked {
				t.Fatalf("locked %v, error %v", locked, err)
			}
			l.start(t, "WinperfLibrary")
			if got := l.ask(t, "8006", plenty).show(t); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// below changes a file by a program of the system below Wine, which has no handle of
// such a program: the file beside it says that all went well.
func below(t testing.TB, path, program, how string) {
	t.Helper()
	host, err := exec.Command("winepath", "-u", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	const script = `"$0" "$1" "$2" && : >"$2.done"`
	file := strings.TrimSpace(string(host))
	out, err := exec.Command("start", "/unix", "/bin/sh", "-c", script, program, how, file).CombinedOutput()
	for range 100 {
		if os.Remove(path+".done") == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Skipf("skipped: this account cannot %s files: %v %s", program, err, out)
}

// hold makes a file that nobody can open until it is given back.
func hold(t testing.TB, path string) (give func()) {
	t.Helper()
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.CREATE_NEW, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.CloseHandle(h); err != nil {
			t.Error(err)
		}
	}
}

// TestTwoAccounts gives one of two publishers' files to another account, which Wine
// has as ANONYMOUS LOGON, and forges everything that a publisher can.
func TestTwoAccounts(t *testing.T) {
	if !wintest.Wine() {
		t.Skip("skipped: one test cannot make files of two accounts; Wine has the owner of the system below")
	}
	dir, l := published(t), load(t)
	install(t)
	own, other := publisher(t, dir, schema(t)), publisher(t, dir, schema(t))
	peer(t, own, "one", 1)
	peer(t, other, "two", 2)
	change(t, other, pubfile.HeaderStarted, make([]byte, 8))
	change(t, other, 0, make([]byte, 8)) // not ready yet
	below(t, other.Path(), "chown", "12345")
	const anonymous = "S-1-5-7"
	expect := func(when, want, owner string) {
		t.Helper()
		if got := l.ask(t, "8006", plenty).show(t); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
		if got := l.text(t, l.owner, peerObject); got != owner {
			t.Errorf("%s: owner %s, want %s", when, got, owner)
		}
	}

	l.start(t, "WinperfLibrary")
	expect("alone", "8006[one=1]", ownSID(t))
	change(t, other, 0, binary.LittleEndian.AppendUint64(nil, pubfile.Magic))
	expect("with another one's", "8006[one=1]", ownSID(t))
	if told := l.text(t, l.troubles); !strings.Contains(told, "belongs to another one") {
		t.Errorf("told: %s", told)
	}
	give := hold(t, filepath.Join(dir, "held.winperf"))
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	expect("while the first one's may be there", "", ownSID(t))
	give()
	expect("after the first one is gone", "8006[two=2]", anonymous)
	peer(t, publisher(t, dir, schema(t)), "three", 3)
	expect("after it is back", "8006[two=2]", anonymous)

	// A reader that sees both at once goes by the accounts: those that nobody logs in with, as
	// this one, come before people's.
	l = load(t)
	l.start(t, "WinperfLibrary")
	expect("both at once", "8006[two=2]", anonymous)
}
