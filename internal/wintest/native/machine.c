/*
 * Fakes of the calls that read a machine: its adapters, connections, volumes and
 * registry.
 * The machine has three adapters. "Fake NIC (1) #2" is up, with addresses of all
 * kinds; "Fake NIC" is down and has an address, too; the last one has the
 * description of the first. It has 1,500 connections over IPv4 (two of them
 * listening, the others established) and one over IPv6, in TIME_WAIT. Its drives
 * are C: on the disks 0 and 1, D: without a medium, and N: on another machine,
 * whose volume must not be read. The volumes 1 to 4 are C:, C:\mnt\data, one
 * without a path, and one without a file system. The processes 4 to 9 belong to
 * the account "system" of "NT AUTHORITY", the processes 10 to 19 to an account
 * without a name, others to accounts of "SHOP" that are named by their numbers. No
 * process 0 can be opened. Its disks have the numbers 0 and 9. It has two processor packages, with three processors
 * and with one. The service Dhcp runs, Spooler is stopped.
 *
 * The environment variable WINPERF_FAKE names functions that fail with
 * ERROR_ACCESS_DENIED, or says:
 *
 *   hang NAME     the function takes until the mode changes
 *   endless NAME  the function always needs a larger buffer
 */
#define _ADVAPI32_ /* these are its functions: not to be imported */
#define _KERNEL32_
#include <winsock2.h>
#include <windows.h>
#include <ws2tcpip.h>
#include <iphlpapi.h>
#include <winioctl.h>
#include <stddef.h>
#include <stdio.h>
#include <wchar.h>

#define FAKE __declspec(dllexport)

static LONG handles;

/* FakeHandles returns how many handles are open. */
FAKE LONG WINAPI FakeHandles(void) { return handles; }

static BOOL mode(const WCHAR *verb, const WCHAR *function)
{
	WCHAR want[128], value[128];
	DWORD n = GetEnvironmentVariableW(L"WINPERF_FAKE", value, 128);

	wcscpy(want, verb);
	wcscat(want, function);
	return n > 0 && n < 128 && wcscmp(value, want) == 0;
}

/* refused waits while a function hangs, and reports whether it fails. */
static BOOL refused(const WCHAR *function)
{
	while (mode(L"hang ", function))
		Sleep(5);
	return mode(L"", function);
}

/* ADAPTERS is a list of adapters with all that it points to. */
typedef struct {
	IP_ADAPTER_ADDRESSES_LH adapter[3];
	IP_ADAPTER_UNICAST_ADDRESS_LH unicast[4];
	IP_ADAPTER_ANYCAST_ADDRESS_XP anycast;
	SOCKADDR_IN v4[2];
	SOCKADDR_IN6 v6[3];
	WCHAR description[3][32], name[32];
	BYTE more[20000]; /* larger than the first buffer */
} ADAPTERS;

static void v4(SOCKET_ADDRESS *to, SOCKADDR_IN *at, BYTE last)
{
	const BYTE address[] = { 192, 0, 2, last };

	at->sin_family = AF_INET;
	memcpy(&at->sin_addr, address, 4);
	to->lpSockaddr = (SOCKADDR *)at;
	to->iSockaddrLength = sizeof *at;
}

static void v6(SOCKET_ADDRESS *to, SOCKADDR_IN6 *at, BYTE first, BYTE second, BYTE last)
{
	BYTE address[16] = { first, second };

	address[15] = last;
	at->sin6_family = AF_INET6;
	memcpy(&at->sin6_addr, address, 16);
	to->lpSockaddr = (SOCKADDR *)at;
	to->iSockaddrLength = sizeof *at;
}

FAKE ULONG WINAPI GetAdaptersAddresses(ULONG family, ULONG flags, PVOID reserved, PIP_ADAPTER_ADDRESSES list, PULONG size)
{
	const ULONG wanted = GAA_FLAG_SKIP_MULTICAST | GAA_FLAG_SKIP_DNS_SERVER;
	ADAPTERS *a = (ADAPTERS *)list;

	if (family != AF_UNSPEC || flags != wanted || reserved != NULL)
		return ERROR_INVALID_PARAMETER;
	if (refused(L"GetAdaptersAddresses"))
		return ERROR_ACCESS_DENIED;
	if (*size < sizeof *a || mode(L"endless ", L"GetAdaptersAddresses")) {
		*size = sizeof *a;
		return ERROR_BUFFER_OVERFLOW;
	}

	memset(a, 0, sizeof *a);
	a->adapter[0].Next = &a->adapter[1];
	a->adapter[1].Next = &a->adapter[2];
	wcscpy(a->description[0], L"Fake NIC (1) #2");
	wcscpy(a->description[1], L"Fake NIC");
	wcscpy(a->name, L"Ethernet \x00fc");
	for (int i = 0; i < 3; i++) {
		a->adapter[i].Description = a->description[i % 2];
		a->adapter[i].FriendlyName = a->name;
		a->adapter[i].OperStatus = i == 0 ? IfOperStatusUp : IfOperStatusLowerLayerDown;
	}
	a->adapter[0].PhysicalAddressLength = 6;
	memcpy(a->adapter[0].PhysicalAddress, "\x00\x15\x5d\x01\x02\xab", 6);

	a->adapter[0].FirstUnicastAddress = &a->unicast[0];
	for (int i = 0; i < 2; i++)
		a->unicast[i].Next = &a->unicast[i + 1];
	v4(&a->unicast[0].Address, &a->v4[0], 1);
	v6(&a->unicast[1].Address, &a->v6[0], 0x20, 0x01, 1);
	v6(&a->unicast[2].Address, &a->v6[1], 0xfe, 0x80, 1); /* local to the link */
	a->adapter[0].FirstAnycastAddress = &a->anycast;
	v6(&a->anycast.Address, &a->v6[2], 0x20, 0x01, 2);
	a->adapter[1].FirstUnicastAddress = &a->unicast[3];
	v4(&a->unicast[3].Address, &a->v4[1], 9);
	return ERROR_SUCCESS;
}

/* room reports whether a table fits, and sets its size. */
static BOOL room(const WCHAR *function, PULONG size, ULONG need)
{
	ULONG have = *size;

	*size = need;
	return have >= need && !mode(L"endless ", function);
}

FAKE ULONG WINAPI GetTcpTable(PMIB_TCPTABLE table, PULONG size, WINBOOL order)
{
	const DWORD n = 1500;

	if (order)
		return ERROR_INVALID_PARAMETER;
	if (refused(L"GetTcpTable"))
		return ERROR_ACCESS_DENIED;
	if (!room(L"GetTcpTable", size, 4 + n * sizeof table->table[0]))
		return ERROR_INSUFFICIENT_BUFFER;
	table->dwNumEntries = n;
	for (DWORD i = 0; i < n; i++)
		table->table[i].dwState = i < 2 ? MIB_TCP_STATE_LISTEN : MIB_TCP_STATE_ESTAB;
	return ERROR_SUCCESS;
}

FAKE ULONG WINAPI GetTcp6Table(PMIB_TCP6TABLE table, PULONG size, WINBOOL order)
{
	if (order)
		return ERROR_INVALID_PARAMETER;
	if (refused(L"GetTcp6Table"))
		return ERROR_ACCESS_DENIED;
	if (!room(L"GetTcp6Table", size, 4 + sizeof table->table[0]))
		return ERROR_INSUFFICIENT_BUFFER;
	table->dwNumEntries = 1;
	table->table[0].State = MIB_TCP_STATE_TIME_WAIT;
	return ERROR_SUCCESS;
}

/* is reports whether a path is NUMBER of the volumes, with an end. */
static BOOL is(const WCHAR *path, WCHAR number, const WCHAR *end)
{
	const WCHAR *begin = L"\\\\?\\Volume{";

	return wcsncmp(path, begin, wcslen(begin)) == 0 && path[11] == number && path[12] == L'}'
		&& wcscmp(path + 13, end) == 0;
}

FAKE DWORD WINAPI GetLogicalDrives(void)
{
	return refused(L"GetLogicalDrives") ? 0 : 1 << 2 | 1 << 3 | 1 << 13;
}

FAKE UINT WINAPI GetDriveTypeW(LPCWSTR root)
{
	if (wcscmp(root, L"D:\\") == 0)
		return DRIVE_CDROM;
	return wcscmp(root, L"N:\\") == 0 ? DRIVE_REMOTE : DRIVE_FIXED;
}

FAKE WINBOOL WINAPI GetVolumeInformationW(LPCWSTR root, LPWSTR name, DWORD n, LPDWORD serial, LPDWORD component, LPDWORD flags, LPWSTR system, DWORD system_n)
{
	if (wcscmp(root, L"N:\\") == 0)
		ExitProcess(3); /* it might hang */
	if (component != NULL || n != MAX_PATH + 1 || system_n != MAX_PATH + 1 || refused(L"GetVolumeInformationW")
			|| wcscmp(root, L"D:\\") == 0 || is(root, L'4', L"\\")) {
		SetLastError(ERROR_NOT_READY);
		return FALSE;
	}
	*serial = 0xABCD1234;
	*flags = is(root, L'2', L"\\") ? FILE_READ_ONLY_VOLUME : 0;
	wcscpy(name, L"System \x00e4");
	wcscpy(system, L"NTFS");
	return TRUE;
}

#define SEARCH ((HANDLE)0x2000)
#define DEVICE ((HANDLE)0x3000)
#define PROCESSES 0x10000 /* the handle of process 0 */
#define TOKENS 0x1000000 /* the handle of its token */

static int found;

static WINBOOL next_volume(LPWSTR name)
{
	if (++found > 4) {
		SetLastError(ERROR_NO_MORE_FILES);
		return FALSE;
	}
	wcscpy(name, L"\\\\?\\Volume{0}\\");
	name[11] = (WCHAR)(L'0' + found);
	return TRUE;
}

FAKE HANDLE WINAPI FindFirstVolumeW(LPWSTR name, DWORD n)
{
	found = 0;
	if (n < 64 || refused(L"FindFirstVolumeW")) {
		SetLastError(ERROR_ACCESS_DENIED);
		return INVALID_HANDLE_VALUE;
	}
	InterlockedIncrement(&handles);
	next_volume(name);
	return SEARCH;
}

FAKE WINBOOL WINAPI FindNextVolumeW(HANDLE search, LPWSTR name, DWORD n)
{
	return search == SEARCH && n >= 64 && next_volume(name);
}

FAKE WINBOOL WINAPI FindVolumeClose(HANDLE search)
{
	if (search == SEARCH)
		InterlockedDecrement(&handles);
	return TRUE;
}

FAKE WINBOOL WINAPI GetVolumePathNamesForVolumeNameW(LPCWSTR volume, LPWCH paths, DWORD n, PDWORD needed)
{
	static const WCHAR drive[] = L"C:\\\0", directory[] = L"C:\\mnt\\data\\\0";

	*needed = n;
	paths[0] = 0;
	if (is(volume, L'1', L"\\"))
		memcpy(paths, drive, sizeof drive);
	if (is(volume, L'2', L"\\"))
		memcpy(paths, directory, sizeof directory);
	return TRUE;
}

FAKE DWORD WINAPI QueryDosDeviceW(LPCWSTR name, LPWSTR device, DWORD n)
{
	if (wcsncmp(name, L"Volume{", 7) != 0 || n < 64)
		return 0;
	wcscpy(device, L"\\Device\\HarddiskVolume0");
	device[22] = name[7];
	return (DWORD)wcslen(device) + 2;
}

FAKE HANDLE WINAPI CreateFileW(LPCWSTR name, DWORD access, DWORD share, LPSECURITY_ATTRIBUTES security, DWORD creation, DWORD attributes, HANDLE template)
{
	if (access != 0 || share != (FILE_SHARE_READ | FILE_SHARE_WRITE) || security != NULL
			|| creation != OPEN_EXISTING || attributes != 0 || template != NULL || refused(L"CreateFileW")) {
		SetLastError(ERROR_ACCESS_DENIED);
		return INVALID_HANDLE_VALUE;
	}
	if (wcscmp(name, L"\\\\.\\PhysicalDrive0") == 0 || wcscmp(name, L"\\\\.\\PhysicalDrive9") == 0
			|| wcscmp(name, L"\\\\.\\C:") == 0 || is(name, L'2', L"") || is(name, L'3', L"")) {
		InterlockedIncrement(&handles);
		return DEVICE;
	}
	SetLastError(ERROR_FILE_NOT_FOUND);
	return INVALID_HANDLE_VALUE;
}

FAKE WINBOOL WINAPI CloseHandle(HANDLE handle)
{
	if (handle == DEVICE || (ULONG_PTR)handle >= PROCESSES)
		InterlockedDecrement(&handles);
	return TRUE;
}

/* extents are three parts of a volume on two disks, in a list that does not fit into the first buffer. */
static WINBOOL extents(LPVOID out, DWORD n, LPDWORD returned)
{
	const DWORD need = 8192;
	VOLUME_DISK_EXTENTS *list = out;

	if (n < need || mode(L"endless ", L"DeviceIoControl")) {
		*returned = sizeof *list;
		SetLastError(ERROR_MORE_DATA);
		return FALSE;
	}
	*returned = need;
	list->NumberOfDiskExtents = 3;
	list->Extents[0].DiskNumber = 0;
	list->Extents[1].DiskNumber = 1;
	list->Extents[2].DiskNumber = 0;
	return TRUE;
}

static WINBOOL model(const STORAGE_PROPERTY_QUERY *query, DWORD query_n, LPVOID out, DWORD n, LPDWORD returned)
{
	STORAGE_DEVICE_DESCRIPTOR *d = out;

	if (query_n != sizeof *query || query->PropertyId != StorageDeviceProperty || query->QueryType != PropertyStandardQuery
			|| n < 256 || mode(L"", L"model")) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	*returned = d->Size = 64;
	d->VendorIdOffset = 40;
	d->ProductIdOffset = 50;
	strcpy((char *)out + 40, "ACME   ");
	strcpy((char *)out + 50, "Disk 1  ");
	return TRUE;
}

/* layout has room for four partitions, of which two are used. */
static WINBOOL layout(LPVOID out, DWORD n, LPDWORD returned)
{
	DRIVE_LAYOUT_INFORMATION_EX *l = out;

	*returned = offsetof(DRIVE_LAYOUT_INFORMATION_EX, PartitionEntry) + 4 * sizeof l->PartitionEntry[0];
	if (n < *returned) {
		SetLastError(ERROR_INSUFFICIENT_BUFFER);
		return FALSE;
	}
	l->PartitionCount = 4;
	l->PartitionEntry[0].PartitionNumber = 1;
	l->PartitionEntry[1].PartitionNumber = 2;
	return TRUE;
}

FAKE WINBOOL WINAPI DeviceIoControl(HANDLE device, DWORD code, LPVOID in, DWORD in_n, LPVOID out, DWORD n, LPDWORD returned, LPOVERLAPPED overlapped)
{
	if (device != DEVICE || overlapped != NULL || refused(L"DeviceIoControl")) {
		SetLastError(ERROR_ACCESS_DENIED);
		return FALSE;
	}
	if (code == IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS)
		return extents(out, n, returned);
	if (code == IOCTL_STORAGE_QUERY_PROPERTY)
		return model(in, in_n, out, n, returned);
	if (code == IOCTL_DISK_GET_DRIVE_LAYOUT_EX)
		return layout(out, n, returned);
	if (code == IOCTL_DISK_GET_DRIVE_GEOMETRY_EX && n >= sizeof(DISK_GEOMETRY_EX)) {
		((DISK_GEOMETRY_EX *)out)->DiskSize.QuadPart = 1LL << 41;
		*returned = sizeof(DISK_GEOMETRY_EX);
		return TRUE;
	}
	SetLastError(ERROR_INVALID_PARAMETER);
	return FALSE;
}

FAKE HANDLE WINAPI OpenProcess(DWORD access, WINBOOL inherit, DWORD pid)
{
	if (access != PROCESS_QUERY_LIMITED_INFORMATION || inherit || pid == 0 || refused(L"OpenProcess")) {
		SetLastError(ERROR_ACCESS_DENIED);
		return NULL;
	}
	InterlockedIncrement(&handles);
	return (HANDLE)(ULONG_PTR)(PROCESSES + pid);
}

FAKE WINBOOL WINAPI OpenProcessToken(HANDLE process, DWORD access, PHANDLE token)
{
	if (access != TOKEN_QUERY || refused(L"OpenProcessToken")) {
		SetLastError(ERROR_ACCESS_DENIED);
		return FALSE;
	}
	InterlockedIncrement(&handles);
	*token = (HANDLE)((ULONG_PTR)process - PROCESSES + TOKENS);
	return TRUE;
}

/* A SID of the fake ends in a number: the process of its account. */
FAKE WINBOOL WINAPI GetTokenInformation(HANDLE token, TOKEN_INFORMATION_CLASS class, LPVOID info, DWORD n, PDWORD returned)
{
	const BYTE sid[] = { SID_REVISION, 2, 0, 0, 0, 0, 0, 5, 21, 0, 0, 0 };
	DWORD pid = (DWORD)((ULONG_PTR)token - TOKENS);
	TOKEN_USER *user = info;

	*returned = sizeof *user + sizeof sid + 4;
	if (class != TokenUser || n < *returned || refused(L"GetTokenInformation")) {
		SetLastError(ERROR_INSUFFICIENT_BUFFER);
		return FALSE;
	}
	if (pid < 20)
		pid = pid < 10 ? 4 : 10;
	user->User.Sid = user + 1;
	memcpy(user->User.Sid, sid, sizeof sid);
	memcpy((BYTE *)user->User.Sid + sizeof sid, &pid, 4);
	return TRUE;
}

/* The command line of a process has its id. Process 12 has a long one, the one of process 13 is outside its buffer. */
FAKE LONG WINAPI NtQueryInformationProcess(HANDLE process, ULONG class, PVOID info, ULONG n, PULONG returned)
{
	struct { USHORT length, maximum; WCHAR *buffer; } *text = info;
	DWORD pid = (DWORD)((ULONG_PTR)process - PROCESSES);
	WCHAR *line = (WCHAR *)(text + 1);
	int i;

	if (class != 60 || n < 65536 || refused(L"NtQueryInformationProcess"))
		return (LONG)0xC0000022;
	swprintf(line, 100, pid == 12 ? L"long " : L"\"C:\\a b\\%lu.exe\" -x \x00e4", pid);
	if (pid == 12) {
		for (i = 0; i < 2000; i++)
			line[5 + i] = 'x';
		line[2005] = 0;
	}
	text->length = text->maximum = (USHORT)(2 * wcslen(line));
	text->buffer = pid == 13 ? (WCHAR *)((BYTE *)info + n - 2) : line;
	*returned = sizeof *text + text->length;
	return 0;
}

static LONG lookups;

/* FakeLookups returns how often the name of an account was looked up. */
FAKE LONG WINAPI FakeLookups(void) { return lookups; }

FAKE WINBOOL WINAPI LookupAccountSidW(LPCWSTR machine, PSID sid, LPWSTR name, LPDWORD n, LPWSTR domain, LPDWORD domain_n, PSID_NAME_USE use)
{
	DWORD pid;

	memcpy(&pid, (BYTE *)sid + 12, 4);
	InterlockedIncrement(&lookups);
	if (machine != NULL || *n < 256 || *domain_n < 256 || refused(L"LookupAccountSidW")) {
		SetLastError(ERROR_ACCESS_DENIED);
		return FALSE;
	}
	if (pid == 10) {
		SetLastError(ERROR_NONE_MAPPED);
		return FALSE;
	}
	wcscpy(domain, pid == 4 ? L"NT AUTHORITY" : L"SHOP");
	if (pid == 4)
		wcscpy(name, L"system");
	else
		swprintf(name, *n, L"%lu", pid);
	*n = (DWORD)wcslen(name);
	*domain_n = (DWORD)wcslen(domain);
	*use = SidTypeUser;
	return TRUE;
}

/* Two packages: one with two cores, one core of which has two processors, and one with a single processor. */
FAKE WINBOOL WINAPI GetLogicalProcessorInformationEx(LOGICAL_PROCESSOR_RELATIONSHIP relation, PSYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX info, PDWORD size)
{
	static const struct { BYTE relation, level; DWORD cache; KAFFINITY mask; } records[] = {
		{ RelationProcessorPackage, 0, 0, 7 }, { RelationProcessorCore, 0, 0, 3 },
		{ RelationProcessorCore, 0, 0, 4 }, { RelationCache, 2, 512 << 10, 3 },
		{ RelationCache, 2, 512 << 10, 4 }, { RelationCache, 3, 4096 << 10, 7 },
		{ RelationProcessorPackage, 0, 0, 8 }, { RelationProcessorCore, 0, 0, 8 },
	};
	const DWORD used = sizeof *info * ARRAYSIZE(records);

	if (relation != RelationAll || refused(L"GetLogicalProcessorInformationEx")) {
		SetLastError(ERROR_ACCESS_DENIED);
		return FALSE;
	}
	if (*size < used) {
		*size = used;
		SetLastError(ERROR_INSUFFICIENT_BUFFER);
		return FALSE;
	}
	*size = used;
	memset(info, 0, used);
	for (size_t i = 0; i < ARRAYSIZE(records); i++) {
		info[i].Relationship = records[i].relation;
		info[i].Size = sizeof *info;
		if (records[i].relation == RelationCache) {
			info[i].Cache.Level = records[i].level;
			info[i].Cache.CacheSize = records[i].cache;
			info[i].Cache.GroupMask.Mask = records[i].mask;
		} else {
			info[i].Processor.GroupCount = 1;
			info[i].Processor.GroupMask[0].Mask = records[i].mask;
		}
	}
	return TRUE;
}

FAKE void WINAPI GetNativeSystemInfo(LPSYSTEM_INFO info)
{
	info->wProcessorArchitecture = PROCESSOR_ARCHITECTURE_ARM64;
}

#define MANAGER ((SC_HANDLE)0x4000)

FAKE SC_HANDLE WINAPI OpenSCManagerW(LPCWSTR machine, LPCWSTR database, DWORD access)
{
	if (machine != NULL || database != NULL || access != (SC_MANAGER_CONNECT | SC_MANAGER_ENUMERATE_SERVICE)
			|| refused(L"OpenSCManagerW")) {
		SetLastError(ERROR_ACCESS_DENIED);
		return NULL;
	}
	InterlockedIncrement(&handles);
	return MANAGER;
}

FAKE WINBOOL WINAPI CloseServiceHandle(SC_HANDLE manager)
{
	if (manager == MANAGER)
		InterlockedDecrement(&handles);
	return TRUE;
}

/* The services Dhcp and Spooler, one in each call, and one in a state that does not exist. */
FAKE WINBOOL WINAPI EnumServicesStatusExW(SC_HANDLE manager, SC_ENUM_TYPE level, DWORD kind, DWORD state, LPBYTE buf, DWORD n, LPDWORD needed, LPDWORD count, LPDWORD resume, LPCWSTR group)
{
	static const struct { const WCHAR *name; DWORD state; } services[] = {
		{ L"Dhcp", SERVICE_RUNNING }, { L"Spooler", SERVICE_STOPPED }, { L"Odd", 8 },
	};
	ENUM_SERVICE_STATUS_PROCESSW *list = (ENUM_SERVICE_STATUS_PROCESSW *)buf;
	BOOL endless = mode(L"endless ", L"EnumServicesStatusExW");

	if (manager != MANAGER || level != SC_ENUM_PROCESS_INFO || kind != SERVICE_WIN32 || state != SERVICE_STATE_ALL
			|| n < 4096 || n > 256 << 10 || group != NULL || *resume >= ARRAYSIZE(services)
			|| refused(L"EnumServicesStatusExW")) {
		SetLastError(ERROR_ACCESS_DENIED);
		return FALSE;
	}
	memset(buf, 0, n);
	list->lpServiceName = wcscpy((WCHAR *)(list + 1), services[*resume].name);
	list->ServiceStatusProcess.dwCurrentState = services[*resume].state;
	*count = 1;
	if (!endless && ++*resume == ARRAYSIZE(services))
		return TRUE;
	*needed = 1;
	SetLastError(ERROR_MORE_DATA);
	return FALSE;
}

static const DWORD installed = 1700000000;

/* VALUES are the values of the registry. */
static const struct { const WCHAR *key, *name; DWORD type; const void *data; DWORD size; } values[] = {
	{ L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion", L"InstallDate", REG_DWORD, &installed, 4 },
	{ L"SYSTEM\\CurrentControlSet\\Services\\W32Time\\Parameters", L"Type", REG_SZ, L"NT5DS", 12 },
	{ L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", L"ProcessorNameString", REG_SZ, L"Fake CPU  ", 22 },
	{ L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", L"Identifier", REG_SZ, L"Fake Family 8", 28 },
	{ L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\3", L"ProcessorNameString", REG_SZ, L"Other", 12 },
};

#define KEYS 0x1000 /* the handle of the key of values[0] */

FAKE LSTATUS WINAPI RegOpenKeyExW(HKEY key, LPCWSTR name, DWORD options, REGSAM access, PHKEY result)
{
	if ((DWORD)(ULONG_PTR)key != (DWORD)(ULONG_PTR)HKEY_LOCAL_MACHINE || options != 0 || access != KEY_READ)
		return ERROR_INVALID_PARAMETER;
	if (refused(L"RegOpenKeyExW"))
		return ERROR_ACCESS_DENIED;
	for (size_t i = 0; i < ARRAYSIZE(values); i++)
		if (wcscmp(values[i].key, name) == 0) {
			InterlockedIncrement(&handles);
			*result = (HKEY)(ULONG_PTR)(KEYS + i);
			return ERROR_SUCCESS;
		}
	return ERROR_FILE_NOT_FOUND;
}

FAKE LSTATUS WINAPI RegQueryValueExW(HKEY key, LPCWSTR name, LPDWORD reserved, LPDWORD type, LPBYTE data, LPDWORD size)
{
	size_t first = (ULONG_PTR)key - KEYS;

	if (first >= ARRAYSIZE(values) || reserved != NULL)
		return ERROR_INVALID_PARAMETER;
	for (size_t i = first; i < ARRAYSIZE(values); i++)
		if (wcscmp(values[i].key, values[first].key) == 0 && wcscmp(values[i].name, name) == 0) {
			if (*size < values[i].size)
				return ERROR_MORE_DATA;
			*type = values[i].type;
			*size = values[i].size;
			memcpy(data, values[i].data, values[i].size);
			return ERROR_SUCCESS;
		}
	return ERROR_FILE_NOT_FOUND;
}

FAKE LSTATUS WINAPI RegCloseKey(HKEY key)
{
	(void)key;
	InterlockedDecrement(&handles);
	return ERROR_SUCCESS;
}
