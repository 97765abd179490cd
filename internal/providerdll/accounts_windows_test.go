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

	"golang.org/x/sys/windows"

	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
	"github.com/winperf/winperf/provider/publish"
)

// text calls a function that writes a text.
func (l library) text(t testing.TB, function uintptr, args ...uintptr) string {
	t.Helper()
	units := make([]uint16, 1<<14)
	n, _, _ := syscall.SyscallN(function, append(args, uintptr(unsafe.Pointer(&units[0])), uintptr(len(units)))...)
	return string(utf16.Decode(units[:n]))
}

// ownSID is the account that this test runs as.
func ownSID(t testing.TB) string {
	t.Helper()
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	return user.User.Sid.String()
}

// names writes the value by which the administrator names accounts.
func names(t testing.TB, accounts ...string) {
	t.Helper()
	var list []byte
	for _, a := range accounts {
		list = append(list, utf16z(a)...)
	}
	set(t, service+`WinperfLibrary\Performance`, typeTexts, map[string][]byte{"Publishers": append(list, 0, 0)})
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
	change(t, p, publish.HeaderStarted, make([]byte, 8))
	if got := collect(t, "8006", plenty).show(t); got != "8006[one=1 two=2]" {
		t.Error(got)
	}
}

// TestPublishers names the accounts whose files count. Whatever cannot be understood
// admits nobody.
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
		"one that nobody has":    {[]string{`winperf has no such account`}, "", "", true},
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
	data = data[:binary.LittleEndian.Uint64(data[publish.HeaderUsed:])]
	for sddl, want := range map[string]string{
		"D:P(A;;FA;;;OW)":              "8006[one=1 one=1]",
		"D:P(A;;FA;;;OW)(A;;FR;;;WD)":  "8006[one=1 one=1]",
		"D:P(A;;FA;;;OW)(A;;FA;;;WD)":  "8006[one=1]",
		"D:P(A;;FA;;;OW)(A;;0x2;;;WD)": "8006[one=1]",
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
			setRights(t, path, sddl) // what it is created with Wine puts through its umask
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

func setRights(t testing.TB, path, sddl string) {
	t.Helper()
	descriptor, err := windows.SecurityDescriptorFromString(sddl)
	if err != nil {
		t.Fatal(err)
	}
	rights, _, err := descriptor.DACL()
	if err != nil {
		t.Fatal(err)
	}
	err = windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION, nil, nil, rights, nil)
	if err != nil {
		t.Fatal(err)
	}
}

// giveAway makes a file another account's, by a program of the system below Wine.
func giveAway(t testing.TB, path, account string) {
	t.Helper()
	host, err := exec.Command("winepath", "-u", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	// Wine has no handle of such a program: nothing tells when it ends, or how.
	out, ran := exec.Command("start", "/unix", "/bin/chown", "12345", strings.TrimSpace(string(host))).CombinedOutput()
	for range 100 {
		d, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
		if err != nil {
			t.Fatal(err)
		}
		if owner, _, err := d.Owner(); err == nil && owner.String() == account {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Skipf("skipped: this account cannot give files to another one: %v %s", ran, out)
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
	change(t, other, publish.HeaderStarted, make([]byte, 8))
	change(t, other, 0, make([]byte, 8)) // not ready yet
	const anonymous = "S-1-5-7"
	giveAway(t, other.Path(), anonymous)
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
	change(t, other, 0, binary.LittleEndian.AppendUint64(nil, publish.Magic))
	expect("with another one's", "8006[one=1]", ownSID(t))
	if told := l.text(t, l.troubles); !strings.Contains(told, "belongs to another one") {
		t.Errorf("told: %s", told)
	}
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	expect("after the first one is gone", "8006[two=2]", anonymous)
	peer(t, publisher(t, dir, schema(t)), "three", 3)
	expect("after it is back", "8006[two=2]", anonymous)

	// Who sees both at once goes by the accounts: those that nobody logs in with, as
	// this one, come before people's.
	l = load(t)
	l.start(t, "WinperfLibrary")
	expect("both at once", "8006[two=2]", anonymous)
}
