package winapi

// HKEY is a handle of a registry key (winreg.h).
type HKEY uintptr

// The predefined keys. The performance keys need not be opened. Closing
// HKEY_PERFORMANCE_DATA releases the providers loaded into this process.
const (
	HKEY_LOCAL_MACHINE       HKEY = 0x80000002
	HKEY_PERFORMANCE_DATA    HKEY = 0x80000004
	HKEY_PERFORMANCE_TEXT    HKEY = 0x80000050
	HKEY_PERFORMANCE_NLSTEXT HKEY = 0x80000060
)

// The types of registry values (winnt.h).
const (
	REG_NONE      = 0
	REG_SZ        = 1
	REG_EXPAND_SZ = 2
	REG_BINARY    = 3
	REG_DWORD     = 4
	REG_MULTI_SZ  = 7
)

// KEY_READ is the right to read a key, its values and subkeys (winnt.h).
const KEY_READ = 0x20019

// MaxKeyName is the longest name of a registry key in UTF-16 units, without terminator.
const MaxKeyName = 255

// PROCESS_MEMORY_COUNTERS (psapi.h) is the memory of a process.
type PROCESS_MEMORY_COUNTERS struct {
	Cb                         uint32
	PageFaultCount             uint32
	PeakWorkingSetSize         uintptr
	WorkingSetSize             uintptr
	QuotaPeakPagedPoolUsage    uintptr
	QuotaPagedPoolUsage        uintptr
	QuotaPeakNonPagedPoolUsage uintptr
	QuotaNonPagedPoolUsage     uintptr
	PagefileUsage              uintptr
	PeakPagefileUsage          uintptr
}
