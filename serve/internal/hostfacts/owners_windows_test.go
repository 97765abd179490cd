package hostfacts

import (
	"fmt"
	"os"
	"os/user"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
)

// fakeOwners returns the accounts of machine.c, and the number of lookups since its start.
func fakeOwners(t *testing.T) (a *accounts, lookups func() int) {
	t.Helper()
	fakeMachine(t)
	dll := winapi.NewDLL(wintest.DLL(t, "machine"))
	count, err := dll.Proc("FakeLookups").Addr()
	if err != nil {
		t.Fatal(err)
	}
	start, _, _ := syscall.SyscallN(count)
	return newAccounts(winapi.NewAccounts(dll, dll)), func() int {
		n, _, _ := syscall.SyscallN(count)
		return int(int32(n) - int32(start))
	}
}

// TestOwners: each account is looked up once, also one without a name.
func TestOwners(t *testing.T) {
	a, lookups := fakeOwners(t)
	for range 2 {
		for id, want := range map[uint64]string{
			4: `NT AUTHORITY\system`, 5: `NT AUTHORITY\system`, 300: `SHOP\300`, 301: `SHOP\301`,
			10: "", 11: "", 0: "", 1<<32 + 4: "",
		} {
			if got := a.owner(id); got != want {
				t.Errorf("process %d belongs to %q, want %q", id, got, want)
			}
		}
	}
	if n := lookups(); n != 4 {
		t.Errorf("%d lookups of 4 accounts", n)
	}
}

// TestOwnersFail: after a call that fails, a process has no owner, and later it has one.
func TestOwnersFail(t *testing.T) {
	a, _ := fakeOwners(t)
	for _, function := range []string{"OpenProcess", "OpenProcessToken", "GetTokenInformation", "LookupAccountSidW"} {
		t.Setenv("WINPERF_FAKE", function)
		if got := a.owner(4); got != "" {
			t.Errorf("%s fails: %q", function, got)
		}
	}
	t.Setenv("WINPERF_FAKE", "")
	if got := a.owner(4); got != `NT AUTHORITY\system` {
		t.Errorf("%q", got)
	}
}

// TestOwnersBounded: more accounts than are kept are looked up.
func TestOwnersBounded(t *testing.T) {
	a, lookups := fakeOwners(t)
	a.left, a.until = time.Hour, time.Now().Add(time.Hour)
	const n = 2*maxOwners + 5
	for id := range uint64(n) {
		id += 1000
		if got, want := a.owner(id), fmt.Sprintf(`SHOP\%d`, id); got != want {
			t.Fatalf("process %d belongs to %q", id, got)
		}
	}
	if len(a.names) > maxOwners || lookups() != n {
		t.Errorf("%d names are kept, after %d lookups", len(a.names), lookups())
	}
}

// TestOwnersHang: a lookup that does not return does not keep others waiting, and known names remain.
func TestOwnersHang(t *testing.T) {
	a, lookups := fakeOwners(t)
	if got := a.owner(4); got != `NT AUTHORITY\system` {
		t.Errorf("%q", got)
	}

	t.Setenv("WINPERF_FAKE", "hang LookupAccountSidW")
	a.left = time.Millisecond
	for id, want := range map[uint64]string{300: "", 301: "", 4: `NT AUTHORITY\system`} {
		if got := a.owner(id); got != want {
			t.Errorf("process %d belongs to %q, want %q", id, got, want)
		}
	}
	if n := lookups(); n > 2 {
		t.Errorf("%d lookups while one hangs", n)
	}

	t.Setenv("WINPERF_FAKE", "")
	for a.line.Busy() {
		time.Sleep(time.Millisecond)
	}
	if got := a.owner(300); got != "" {
		t.Errorf("without time left: %q", got)
	}
	a.until = time.Time{} // the next period
	if got := a.owner(300); got != `SHOP\300` {
		t.Errorf("process 300 belongs to %q", got)
	}
}

// TestOwnProcess: this process belongs to this user.
func TestOwnProcess(t *testing.T) {
	u, err := user.Current()
	if err != nil {
		t.Skip(err)
	}
	if got := owners()(uint64(os.Getpid())); got != u.Username {
		t.Errorf("%q, want %q", got, u.Username)
	}
}
