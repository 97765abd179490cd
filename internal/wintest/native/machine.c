/*
 * Fakes of the calls that read a machine: its adapters, connections and registry.
 * The machine has three adapters. "Fake NIC (1) #2" is up, with addresses of all
 * kinds; "Fake NIC" is down and has an address, too; the last one has the
 * description of the first. It has 1,500 connections over IPv4 (two of them
 * listening, the others established) and one over IPv6, in TIME_WAIT.
 *
 * The environment variable WINPERF_FAKE names functions that fail with
 * ERROR_ACCESS_DENIED, or says:
 *
 *   hang NAME     the function takes until the mode changes
 *   endless NAME  the function always needs a larger buffer
 */
#define _ADVAPI32_ /* these are its functions: not to be imported */
#include <winsock2.h>
#include <windows.h>
#include <ws2tcpip.h>
#include <iphlpapi.h>
#include <stddef.h>
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

FAKE DWORD WINAPI GetExtendedTcpTable(PVOID table, PDWORD size, WINBOOL order, ULONG family, TCP_TABLE_CLASS class, ULONG reserved)
{
	DWORD n = family == AF_INET ? 1500 : 1, need;

	if (order || class != TCP_TABLE_OWNER_PID_ALL || reserved != 0)
		return ERROR_INVALID_PARAMETER;
	if (refused(L"GetExtendedTcpTable"))
		return ERROR_ACCESS_DENIED;
	need = 4 + n * (family == AF_INET ? sizeof(MIB_TCPROW_OWNER_PID) : sizeof(MIB_TCP6ROW_OWNER_PID));
	if (*size < need || mode(L"endless ", L"GetExtendedTcpTable")) {
		*size = need;
		return ERROR_INSUFFICIENT_BUFFER;
	}

	*(DWORD *)table = n;
	if (family == AF_INET6) {
		((MIB_TCP6TABLE_OWNER_PID *)table)->table[0].dwState = MIB_TCP_STATE_TIME_WAIT;
		return ERROR_SUCCESS;
	}
	for (DWORD i = 0; i < n; i++)
		((MIB_TCPTABLE_OWNER_PID *)table)->table[i].dwState = i < 2 ? MIB_TCP_STATE_LISTEN : MIB_TCP_STATE_ESTAB;
	return ERROR_SUCCESS;
}

static const DWORD installed = 1700000000;

/* VALUES are the values of the registry. */
static const struct { const WCHAR *key, *name; DWORD type; const void *data; DWORD size; } values[] = {
	{ L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion", L"InstallDate", REG_DWORD, &installed, 4 },
	{ L"SYSTEM\\CurrentControlSet\\Services\\W32Time\\Parameters", L"Type", REG_SZ, L"NT5DS", 12 },
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
