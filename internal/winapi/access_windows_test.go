package winapi

import (
	"errors"
	"slices"
	"testing"

	"golang.org/x/sys/windows"
)

// TestAccess reads lists in the text form of Windows (Microsoft Learn, "Security Descriptor String Format").
func TestAccess(t *testing.T) {
	for text, want := range map[string][]Access{
		"D:(D;;0x9;;;WD)(A;CI;KR;;;S-1-5-32-558)(A;CIIO;KA;;;CO)": {
			{"S-1-1-0", true, 9}, {"S-1-5-32-558", false, KEY_READ},
		},
		"D:":                 {},
		"O:BAD:(A;;KA;;;LS)": {{"S-1-5-19", false, 0xf003f}},
		"O:BA":               {{"S-1-1-0", false, windows.GENERIC_ALL}},
	} {
		descriptor, err := windows.SecurityDescriptorFromString(text)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := accessOf(descriptor); !slices.Equal(list, want) {
			t.Errorf("%s: %+v, error %v", text, list, err)
		}
	}
}

// TestKeyAccess reads the rights of a key of the system. Administrators can read it.
func TestKeyAccess(t *testing.T) {
	r := NewRegistry(NewDLL("advapi32.dll"))
	key, err := r.OpenKey(HKEY_LOCAL_MACHINE, "SOFTWARE")
	if err != nil {
		t.Fatal(err)
	}
	list, err := KeyAccess(key)
	if err != nil || !slices.ContainsFunc(list, func(a Access) bool {
		return a.SID == "S-1-5-32-544" && !a.Deny && a.Mask != 0
	}) {
		t.Errorf("%+v, error %v", list, err)
	}

	if err := r.CloseKey(key); err != nil {
		t.Fatal(err)
	}
	if list, err := KeyAccess(0); !errors.Is(err, ERROR_INVALID_HANDLE) {
		t.Errorf("no key: %+v, error %v", list, err)
	}
}
