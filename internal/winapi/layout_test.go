package winapi

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// layout is what a structure looks like in the headers.
type layout struct {
	name   string // in C
	zero   any    // the Go structure
	fields []field
	size64 uintptr
	size32 uintptr
}

// field is a field of a structure in its order: its name in C and where it is
// on 64 and 32 bits.
type field struct {
	name               string
	offset64, offset32 uintptr
}

// layouts are all structures of the package.
var layouts = []layout{
	{"PROCESS_MEMORY_COUNTERS", PROCESS_MEMORY_COUNTERS{}, []field{
		{"cb", 0, 0},
		{"PageFaultCount", 4, 4},
		{"PeakWorkingSetSize", 8, 8},
		{"WorkingSetSize", 16, 12},
		{"QuotaPeakPagedPoolUsage", 24, 16},
		{"QuotaPagedPoolUsage", 32, 20},
		{"QuotaPeakNonPagedPoolUsage", 40, 24},
		{"QuotaNonPagedPoolUsage", 48, 28},
		{"PagefileUsage", 56, 32},
		{"PeakPagefileUsage", 64, 36},
	}, 72, 40},
	{"MEMORYSTATUSEX", MEMORYSTATUSEX{}, []field{
		{"dwLength", 0, 0},
		{"dwMemoryLoad", 4, 4},
		{"ullTotalPhys", 8, 8},
		{"ullAvailPhys", 16, 16},
		{"ullTotalPageFile", 24, 24},
		{"ullAvailPageFile", 32, 32},
		{"ullTotalVirtual", 40, 40},
		{"ullAvailVirtual", 48, 48},
		{"ullAvailExtendedVirtual", 56, 56},
	}, 64, 64},
	{"SYSTEMTIME", SYSTEMTIME{}, []field{
		{"wYear", 0, 0},
		{"wMonth", 2, 2},
		{"wDayOfWeek", 4, 4},
		{"wDay", 6, 6},
		{"wHour", 8, 8},
		{"wMinute", 10, 10},
		{"wSecond", 12, 12},
		{"wMilliseconds", 14, 14},
	}, 16, 16},
	{"DYNAMIC_TIME_ZONE_INFORMATION", DYNAMIC_TIME_ZONE_INFORMATION{}, []field{
		{"Bias", 0, 0},
		{"StandardName", 4, 4},
		{"StandardDate", 68, 68},
		{"StandardBias", 84, 84},
		{"DaylightName", 88, 88},
		{"DaylightDate", 152, 152},
		{"DaylightBias", 168, 168},
		{"TimeZoneKeyName", 172, 172},
		{"DynamicDaylightTimeDisabled", 428, 428},
	}, 432, 432},
	{"SOCKET_ADDRESS", SOCKET_ADDRESS{}, []field{
		{"lpSockaddr", 0, 0},
		{"iSockaddrLength", 8, 4},
	}, 16, 8},
	{"MIB_TCPROW", MIB_TCPROW{}, []field{
		{"dwState", 0, 0},
		{"dwLocalAddr", 4, 4},
		{"dwLocalPort", 8, 8},
		{"dwRemoteAddr", 12, 12},
		{"dwRemotePort", 16, 16},
	}, 20, 20},
	{"MIB_TCP6ROW", MIB_TCP6ROW{}, []field{
		{"State", 0, 0},
		{"LocalAddr", 4, 4},
		{"dwLocalScopeId", 20, 20},
		{"dwLocalPort", 24, 24},
		{"RemoteAddr", 28, 28},
		{"dwRemoteScopeId", 44, 44},
		{"dwRemotePort", 48, 48},
	}, 52, 52},
	{"ENUM_SERVICE_STATUS_PROCESSW", ENUM_SERVICE_STATUS_PROCESSW{}, []field{
		{"lpServiceName", 0, 0},
		{"lpDisplayName", 8, 4},
		{"ServiceStatusProcess", 16, 8},
	}, 56, 44},
	{"SERVICE_STATUS_PROCESS", SERVICE_STATUS_PROCESS{}, []field{
		{"dwServiceType", 0, 0},
		{"dwCurrentState", 4, 4},
		{"dwControlsAccepted", 8, 8},
		{"dwWin32ExitCode", 12, 12},
		{"dwServiceSpecificExitCode", 16, 16},
		{"dwCheckPoint", 20, 20},
		{"dwWaitHint", 24, 24},
		{"dwProcessId", 28, 28},
		{"dwServiceFlags", 32, 32},
	}, 36, 36},
	{"STORAGE_PROPERTY_QUERY", STORAGE_PROPERTY_QUERY{}, []field{
		{"PropertyId", 0, 0},
		{"QueryType", 4, 4},
		{"AdditionalParameters", 8, 8},
	}, 12, 12},
	{"STORAGE_DEVICE_DESCRIPTOR", STORAGE_DEVICE_DESCRIPTOR{}, []field{
		{"Version", 0, 0},
		{"Size", 4, 4},
		{"DeviceType", 8, 8},
		{"DeviceTypeModifier", 9, 9},
		{"RemovableMedia", 10, 10},
		{"CommandQueueing", 11, 11},
		{"VendorIdOffset", 12, 12},
		{"ProductIdOffset", 16, 16},
		{"ProductRevisionOffset", 20, 20},
		{"SerialNumberOffset", 24, 24},
		{"BusType", 28, 28},
		{"RawPropertiesLength", 32, 32},
		{"RawDeviceProperties", 36, 36},
	}, 40, 40},
	{"DISK_GEOMETRY_EX", DISK_GEOMETRY_EX{}, []field{
		{"Geometry", 0, 0},
		{"DiskSize", 24, 24},
		{"Data", 32, 32},
	}, 40, 40},
	{"PARTITION_INFORMATION_EX", PARTITION_INFORMATION_EX{}, []field{
		{"PartitionStyle", 0, 0},
		{"StartingOffset", 8, 8},
		{"PartitionLength", 16, 16},
		{"PartitionNumber", 24, 24},
	}, 144, 144},
	{"DRIVE_LAYOUT_INFORMATION_EX", DRIVE_LAYOUT_INFORMATION_EX{}, []field{
		{"PartitionStyle", 0, 0},
		{"PartitionCount", 4, 4},
		{"PartitionEntry", 48, 48},
	}, 192, 192},
	{"GROUP_AFFINITY", GROUP_AFFINITY{}, []field{
		{"Mask", 0, 0},
		{"Group", 8, 4},
		{"Reserved", 10, 6},
	}, 16, 12},
	{"PROCESSOR_RELATIONSHIP", PROCESSOR_RELATIONSHIP{}, []field{
		{"Flags", 0, 0},
		{"GroupCount", 22, 22},
		{"GroupMask", 24, 24},
	}, 40, 36},
	{"CACHE_RELATIONSHIP", CACHE_RELATIONSHIP{}, []field{
		{"Level", 0, 0},
		{"Associativity", 1, 1},
		{"LineSize", 2, 2},
		{"CacheSize", 4, 4},
		{"Type", 8, 8},
		{"Reserved", 12, 12},
		{"GroupMask", 32, 32},
	}, 48, 44},
	{"SID_AND_ATTRIBUTES", SID_AND_ATTRIBUTES{}, []field{
		{"Sid", 0, 0},
		{"Attributes", 8, 4},
	}, 16, 8},
	{"UNICODE_STRING", UNICODE_STRING{}, []field{{"Length", 0, 0}, {"MaximumLength", 2, 2}, {"Buffer", 8, 4}}, 16, 8},
	{"TOKEN_USER", TOKEN_USER{}, []field{{"User", 0, 0}}, 16, 8},
	{"DISK_EXTENT", DISK_EXTENT{}, []field{
		{"DiskNumber", 0, 0},
		{"StartingOffset", 8, 8},
		{"ExtentLength", 16, 16},
	}, 24, 24},
	{"VOLUME_DISK_EXTENTS", VOLUME_DISK_EXTENTS{}, []field{
		{"NumberOfDiskExtents", 0, 0},
		{"Extents", 8, 8},
	}, 32, 32},
}

// beginnings are the structures of which the package has only the first fields.
var beginnings = []layout{
	{"IP_ADAPTER_ADDRESSES_LH", IP_ADAPTER_ADDRESSES_LH{}, []field{
		{"Length", 0, 0},
		{"IfIndex", 4, 4},
		{"Next", 8, 8},
		{"AdapterName", 16, 12},
		{"FirstUnicastAddress", 24, 16},
		{"FirstAnycastAddress", 32, 20},
		{"FirstMulticastAddress", 40, 24},
		{"FirstDnsServerAddress", 48, 28},
		{"DnsSuffix", 56, 32},
		{"Description", 64, 36},
		{"FriendlyName", 72, 40},
		{"PhysicalAddress", 80, 44},
		{"PhysicalAddressLength", 88, 52},
		{"Flags", 92, 56},
		{"Mtu", 96, 60},
		{"IfType", 100, 64},
		{"OperStatus", 104, 68},
	}, 112, 72},
	{"SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX", SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX{}, []field{
		{"Relationship", 0, 0},
		{"Size", 4, 4},
	}, 8, 8},
	{"IP_ADAPTER_ANYCAST_ADDRESS_XP", IP_ADAPTER_ANYCAST_ADDRESS_XP{}, []field{
		{"Length", 0, 0},
		{"Flags", 4, 4},
		{"Next", 8, 8},
		{"Address", 16, 12},
	}, 32, 20},
	{"IP_ADAPTER_UNICAST_ADDRESS_LH", IP_ADAPTER_ANYCAST_ADDRESS_XP{}, []field{
		{"Length", 0, 0},
		{"Flags", 4, 4},
		{"Next", 8, 8},
		{"Address", 16, 12},
	}, 32, 20},
}

// constants are all numbers of the package, by their name in C.
var constants = map[string]uint64{
	"HKEY_LOCAL_MACHINE":       uint64(HKEY_LOCAL_MACHINE),
	"HKEY_PERFORMANCE_DATA":    uint64(HKEY_PERFORMANCE_DATA),
	"HKEY_PERFORMANCE_TEXT":    uint64(HKEY_PERFORMANCE_TEXT),
	"HKEY_PERFORMANCE_NLSTEXT": uint64(HKEY_PERFORMANCE_NLSTEXT),
	"REG_NONE":                 REG_NONE,
	"REG_SZ":                   REG_SZ,
	"REG_EXPAND_SZ":            REG_EXPAND_SZ,
	"REG_BINARY":               REG_BINARY,
	"REG_DWORD":                REG_DWORD,
	"REG_MULTI_SZ":             REG_MULTI_SZ,
	"KEY_READ":                 KEY_READ,
	"ALL_PROCESSOR_GROUPS":     ALL_PROCESSOR_GROUPS,
	"ComputerNameDnsHostname":  ComputerNameDnsHostname,
	"ComputerNameDnsDomain":    ComputerNameDnsDomain,

	"ComputerNameDnsFullyQualified": ComputerNameDnsFullyQualified,

	"AF_INET":                  AF_INET,
	"AF_INET6":                 AF_INET6,
	"GAA_FLAG_SKIP_MULTICAST":  GAA_FLAG_SKIP_MULTICAST,
	"GAA_FLAG_SKIP_DNS_SERVER": GAA_FLAG_SKIP_DNS_SERVER,

	"SC_MANAGER_CONNECT":           SC_MANAGER_CONNECT,
	"SC_MANAGER_ENUMERATE_SERVICE": SC_MANAGER_ENUMERATE_SERVICE,
	"SC_ENUM_PROCESS_INFO":         SC_ENUM_PROCESS_INFO,
	"SERVICE_WIN32":                SERVICE_WIN32,
	"SERVICE_STATE_ALL":            SERVICE_STATE_ALL,

	"IOCTL_STORAGE_QUERY_PROPERTY":     IOCTL_STORAGE_QUERY_PROPERTY,
	"IOCTL_DISK_GET_DRIVE_GEOMETRY_EX": IOCTL_DISK_GET_DRIVE_GEOMETRY_EX,
	"IOCTL_DISK_GET_DRIVE_LAYOUT_EX":   IOCTL_DISK_GET_DRIVE_LAYOUT_EX,

	"RelationProcessorCore":    RelationProcessorCore,
	"RelationCache":            RelationCache,
	"RelationProcessorPackage": RelationProcessorPackage,
	"RelationAll":              RelationAll,

	"PROCESS_QUERY_LIMITED_INFORMATION": PROCESS_QUERY_LIMITED_INFORMATION,
	"TOKEN_QUERY":                       TOKEN_QUERY,
	"TokenUser":                         TokenUser,
	"SID_MAX_SUB_AUTHORITIES":           subauthorities,

	"DRIVE_UNKNOWN":         DRIVE_UNKNOWN,
	"DRIVE_NO_ROOT_DIR":     DRIVE_NO_ROOT_DIR,
	"DRIVE_REMOVABLE":       DRIVE_REMOVABLE,
	"DRIVE_FIXED":           DRIVE_FIXED,
	"DRIVE_REMOTE":          DRIVE_REMOTE,
	"DRIVE_CDROM":           DRIVE_CDROM,
	"DRIVE_RAMDISK":         DRIVE_RAMDISK,
	"FILE_READ_ONLY_VOLUME": FILE_READ_ONLY_VOLUME,

	"IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS": IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS,
}

// TestLayout compares every structure with the offsets above.
func TestLayout(t *testing.T) {
	wide := unsafe.Sizeof(uintptr(0)) == 8
	pick := func(a, b uintptr) uintptr {
		if wide {
			return a
		}
		return b
	}
	for _, l := range slices.Concat(layouts, beginnings) {
		typ := reflect.TypeOf(l.zero)
		if got, want := typ.Size(), pick(l.size64, l.size32); got != want {
			t.Errorf("%s has %d bytes, want %d", l.name, got, want)
		}
		named := slices.DeleteFunc(reflect.VisibleFields(typ), func(f reflect.StructField) bool {
			return f.Name == "_" // alignment, or unused
		})
		if len(named) != len(l.fields) {
			t.Errorf("%s has %d fields, want %d", l.name, len(named), len(l.fields))
			continue
		}
		for i, f := range l.fields {
			got := named[i]
			if want := pick(f.offset64, f.offset32); got.Offset != want ||
				!strings.EqualFold(got.Name, f.name) {
				t.Errorf("%s: field %d is %s at %d, want %s at %d", l.name, i, got.Name, got.Offset,
					f.name, want)
			}
		}
	}
}

// TestHeaders compares the same tables with the headers of mingw-w64: a C
// compiler checks an assertion for each number.
func TestHeaders(t *testing.T) {
	const compiler = "x86_64-w64-mingw32-gcc"
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("skipped: no %s to read the Windows headers with", compiler)
	}
	var c strings.Builder
	c.WriteString("#include <stddef.h>\n#include <winsock2.h>\n#include <windows.h>\n#include <winternl.h>\n#include <iphlpapi.h>\n#include <winioctl.h>\n" +
		"#include <psapi.h>\n#include <winperf.h>\n")
	c.WriteString("#define SAME(x, n) _Static_assert((unsigned)(size_t)(x) == (n), #x)\n")
	for _, l := range layouts {
		fmt.Fprintf(&c, "SAME(sizeof(%s), %d);\n", l.name, l.size64)
	}
	for _, l := range slices.Concat(layouts, beginnings) {
		for _, f := range l.fields {
			fmt.Fprintf(&c, "SAME(offsetof(%s, %s), %d);\n", l.name, f.name, f.offset64)
		}
	}
	for name, n := range constants {
		// A handle is no constant expression for _Static_assert, an array's size is.
		fmt.Fprintf(&c, "char check_%s[(unsigned)(size_t)(%s) == %du ? 1 : -1];\n", name, name, n)
	}
	for e, name := range errnoNames {
		fmt.Fprintf(&c, "SAME(%s, %d);\n", name, uint32(e))
	}
	file := filepath.Join(t.TempDir(), "headers.c")
	if err := os.WriteFile(file, []byte(c.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-fsyntax-only", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
