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

// text calls a function of the DLL that writes a text.
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

// TestStarted: a forged start time does not change the order of files, which follows
// their creation times.
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

// TestPublishers: the files of the reading account are shown for every value of Publishers. A mistake
// in the value is reported.
func TestPublishers(t *testing.T) {
	const shown = "8006[one=1]"
	own := ownSID(t)
	for name, tt := range map[string]struct {
		accounts []string
		mistake  bool
	}{
		"none is named":          {nil, false},
		"this one":               {[]string{own}, false},
		"this one by its name":   {[]string{winapi.AccountName(own)}, false},
		"another one":            {[]string{"S-1-5-19"}, false},
		"everyone":               {[]string{"*"}, false},
		"an unknown one":         {[]string{`winperf has no such account`}, true},
		"this one and a mistake": {[]string{`winperf has no such account`, own}, true},
	} {
		t.Run(name, func(t *testing.T) {
			l := load(t)
			install(t)
			if tt.accounts != nil {
				names(t, tt.accounts...)
			}
			peer(t, publisher(t, published(t), schema(t)), "one", 1)
			l.start(t, "WinperfLibrary")
			if got := l.ask(t, "8006", plenty).show(t); got != shown {
				t.Errorf("%s, want %s", got, shown)
			}
			if got := l.text(t, l.owner, peerObject); got != own {
				t.Errorf("owner %s, want %s", got, own)
			}
			const message = "names an unknown account"
			if text := l.text(t, l.troubles); strings.Contains(text, message) != tt.mistake {
				t.Errorf("troubles: %s", text)
			}
		})
	}
}

// TestPublishersWrong: a value of another type names no account and is reported.
func TestPublishersWrong(t *testing.T) {
	l := load(t)
	install(t)
	set(t, service+`WinperfLibrary\Performance`, typeNumber, map[string][]byte{"Publishers": number(1)})
	peer(t, publisher(t, published(t), schema(t)), "one", 1)
	l.start(t, "WinperfLibrary")
	if got := l.ask(t, "8006", plenty).show(t); got != "8006[one=1]" {
		t.Error(got)
	}
	if text := l.text(t, l.troubles); !strings.Contains(text, "cannot be read") {
		t.Errorf("troubles: %s", text)
	}
}

// TestWritable: a file that other accounts may write to is omitted.
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
// such a program: the file next to it says that all went well.
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

// TestTwoAccounts gives one of two publishers' files to another account, which Wine
// has as ANONYMOUS LOGON, and forges everything that a publisher can.
func TestTwoAccounts(t *testing.T) {
	if !wintest.Wine() {
		t.Skip("skipped: one test cannot make files of two accounts; Wine has the owner of the system below")
	}
	dir := published(t)
	install(t)
	own, other := publisher(t, dir, schema(t)), publisher(t, dir, schema(t))
	peer(t, own, "one", 1)
	peer(t, other, "two", 2)
	change(t, other, pubfile.HeaderStarted, make([]byte, 8))
	below(t, other.Path(), "chown", "12345")
	const anonymous = "S-1-5-7"
	expect := func(l library, when, want, owner string) {
		t.Helper()
		if got := l.ask(t, "8006", plenty).show(t); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
		if got := l.text(t, l.owner, peerObject); got != owner {
			t.Errorf("%s: owner %s, want %s", when, got, owner)
		}
	}

	for _, tt := range []struct {
		accounts    []string
		want, owner string
	}{
		{nil, "8006[one=1]", ownSID(t)},
		{[]string{"S-1-5-19"}, "8006[one=1]", ownSID(t)},
		{[]string{anonymous}, "8006[one=1 two=2]", ownSID(t)},
		{[]string{"*"}, "8006[one=1 two=2]", ownSID(t)},
	} {
		l := load(t)
		names(t, tt.accounts...)
		l.start(t, "WinperfLibrary")
		for range 2 { // an account that is not trusted is reported once
			expect(l, strings.Join(tt.accounts, " "), tt.want, tt.owner)
		}
		const line = "add the line " + anonymous + ` to the value "Publishers"`
		left := strings.Count(l.text(t, l.troubles), line)
		if shown := strings.Contains(tt.want, "two"); left > 1 || (left == 1) == shown {
			t.Errorf("%q: reported %d times", tt.accounts, left)
		}
	}

	// Without the account that reads the other one's is shown alone.
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	l := load(t)
	l.start(t, "WinperfLibrary")
	expect(l, "alone", "8006[two=2]", anonymous)
}
