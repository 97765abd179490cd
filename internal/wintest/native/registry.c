/*
 * A fake of advapi32's registry calls, for what Wine's do not do: another
 * machine, names in the user's language, and calls that misbehave as the
 * environment variable WINPERF_FAKE says:
 *
 *   lost     every second query says that the connection is gone
 *   hang     "Global" takes until the mode changes
 *   size     "Global" tells more bytes than the buffer has
 *   type     "Global" is a text
 *   endless  there is no last subkey
 *   refused  nothing may be read
 */
#define _ADVAPI32_ /* these are its functions: not to be imported */
#include <windows.h>
#include <winperf.h>
#include <wchar.h>

/* The handles that are given out. */
#define REMOTE_DATA ((HKEY)0x1000)
#define REMOTE_LOCAL ((HKEY)0x1004)
#define PERFLIB ((HKEY)0x1008)
#define GERMAN ((HKEY)0x100c)

static LONG handles, connects, queries;

/* FakeHandles returns how many handles are open, FakeConnects how often
 * machines were connected to. */
__declspec(dllexport) LONG WINAPI FakeHandles(void) { return handles; }
__declspec(dllexport) LONG WINAPI FakeConnects(void) { return connects; }

static BOOL mode(const WCHAR *name)
{
	WCHAR value[32];
	DWORD n = GetEnvironmentVariableW(L"WINPERF_FAKE", value, 32);

	return n > 0 && n < 32 && wcscmp(value, name) == 0;
}

/* give answers with a value as RegQueryValueEx does. */
static LSTATUS give(DWORD as, const void *value, DWORD n, LPDWORD type, LPBYTE data, LPDWORD size)
{
	DWORD room = *size;

	*type = as;
	*size = n;
	if (room < n)
		return ERROR_MORE_DATA;
	memcpy(data, value, n);
	return ERROR_SUCCESS;
}

static const WCHAR english[] = L"1\0" L"1847\0" L"4\0" L"Memory\0" L"24\0" L"Available Bytes\0";
static const WCHAR german[] = L"4\0" L"Speicher\0";
static const WCHAR machine[] = L"FAKE\0\0\0";

/* block answers with one object: Memory, with one counter. */
static LSTATUS block(LPDWORD type, LPBYTE data, LPDWORD size)
{
	struct {
		PERF_DATA_BLOCK head;
		WCHAR name[8];
		PERF_OBJECT_TYPE object;
		PERF_COUNTER_DEFINITION counter;
		PERF_COUNTER_BLOCK values;
		DWORD value;
	} b = {
		.head = {
			.Signature = L"PERF", .LittleEndian = 1, .Version = 1, .Revision = 1,
			.TotalByteLength = sizeof b, .HeaderLength = offsetof(typeof(b), object), .NumObjectTypes = 1,
			.PerfFreq.QuadPart = 1000, .SystemNameLength = 10, .SystemNameOffset = offsetof(typeof(b), name),
		},
		.object = {
			.TotalByteLength = sizeof b - offsetof(typeof(b), object),
			.DefinitionLength = sizeof b.object + sizeof b.counter, .HeaderLength = sizeof b.object,
			.ObjectNameTitleIndex = 4, .NumCounters = 1, .NumInstances = PERF_NO_INSTANCES,
		},
		.counter = {
			.ByteLength = sizeof b.counter, .CounterNameTitleIndex = 24, .CounterType = PERF_COUNTER_RAWCOUNT,
			.CounterSize = 4, .CounterOffset = 4,
		},
		.values.ByteLength = 8, .value = 1234,
	};

	memcpy(b.name, machine, sizeof b.name);
	return give(REG_BINARY, &b, sizeof b, type, data, size);
}

static LSTATUS query_data(const WCHAR *name, LPDWORD type, LPBYTE data, LPDWORD size)
{
	if (mode(L"lost") && InterlockedIncrement(&queries) % 2 == 1)
		return RPC_S_CALL_FAILED;
	if (wcscmp(name, L"Counter 009") == 0)
		return give(REG_MULTI_SZ, english, sizeof english, type, data, size);
	if (wcscmp(name, L"Counter 007") == 0)
		return ERROR_ACCESS_DENIED;
	if (wcscmp(name, L"Global") != 0 && wcscmp(name, L"4") != 0 && wcscmp(name, L"Foreign UNIX 4") != 0)
		return ERROR_FILE_NOT_FOUND;
	while (mode(L"hang"))
		Sleep(10);
	if (mode(L"type"))
		return give(REG_SZ, english, sizeof english, type, data, size);
	if (mode(L"size")) {
		*type = REG_BINARY;
		*size += 100;
		return ERROR_SUCCESS;
	}
	return block(type, data, size);
}

__declspec(dllexport) LSTATUS WINAPI RegQueryValueExW(HKEY key, LPCWSTR name, LPDWORD reserved, LPDWORD type, LPBYTE data, LPDWORD size)
{
	const DWORD last = 4658;

	if (reserved != NULL || name == NULL || type == NULL || size == NULL)
		return ERROR_INVALID_PARAMETER;
	if (mode(L"refused"))
		return ERROR_ACCESS_DENIED;
	switch ((DWORD)(ULONG_PTR)key) {
	case (DWORD)(ULONG_PTR)HKEY_PERFORMANCE_DATA:
	case (DWORD)(ULONG_PTR)REMOTE_DATA:
		return query_data(name, type, data, size);
	case (DWORD)(ULONG_PTR)HKEY_PERFORMANCE_NLSTEXT:
	case (DWORD)(ULONG_PTR)GERMAN:
		if (wcscmp(name, L"Counter") == 0)
			return give(REG_MULTI_SZ, german, sizeof german, type, data, size);
		return ERROR_FILE_NOT_FOUND;
	case (DWORD)(ULONG_PTR)PERFLIB:
		if (wcscmp(name, L"Last Counter") == 0)
			return give(REG_DWORD, &last, sizeof last, type, data, size);
		return ERROR_FILE_NOT_FOUND;
	}
	return ERROR_FILE_NOT_FOUND;
}

__declspec(dllexport) LSTATUS WINAPI RegConnectRegistryW(LPCWSTR name, HKEY key, PHKEY result)
{
	if (wcscmp(name, L"\\\\GONE") == 0)
		return ERROR_BAD_NETPATH;
	if (wcscmp(name, L"\\\\SHUT") == 0)
		return ERROR_ACCESS_DENIED;
	InterlockedIncrement(&connects);
	InterlockedIncrement(&handles);
	*result = (DWORD)(ULONG_PTR)key == (DWORD)(ULONG_PTR)HKEY_PERFORMANCE_DATA ? REMOTE_DATA : REMOTE_LOCAL;
	return ERROR_SUCCESS;
}

__declspec(dllexport) LSTATUS WINAPI RegOpenKeyExW(HKEY key, LPCWSTR name, DWORD options, REGSAM access, PHKEY result)
{
	const WCHAR *perflib = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib";

	if (options != 0 || access != KEY_READ || (key != REMOTE_LOCAL && (DWORD)(ULONG_PTR)key != (DWORD)(ULONG_PTR)HKEY_LOCAL_MACHINE))
		return ERROR_INVALID_PARAMETER;
	if (wcsncmp(name, perflib, wcslen(perflib)) != 0)
		return ERROR_FILE_NOT_FOUND;
	name += wcslen(perflib);
	if (*name != 0 && wcscmp(name, L"\\007") != 0)
		return ERROR_FILE_NOT_FOUND;
	InterlockedIncrement(&handles);
	*result = *name == 0 ? PERFLIB : GERMAN;
	return ERROR_SUCCESS;
}

__declspec(dllexport) LSTATUS WINAPI RegEnumKeyExW(HKEY key, DWORD index, LPWSTR name, LPDWORD n, LPDWORD reserved, LPWSTR class, LPDWORD class_n, PFILETIME written)
{
	const WCHAR *subkeys[] = { L"007", L"009", L"_V2Providers" };

	if (key != PERFLIB || reserved != NULL || class != NULL || class_n != NULL || written != NULL)
		return ERROR_INVALID_PARAMETER;
	if (mode(L"endless"))
		index = 0;
	if (index >= ARRAYSIZE(subkeys))
		return ERROR_NO_MORE_ITEMS;
	if (*n <= wcslen(subkeys[index]))
		return ERROR_MORE_DATA;
	wcscpy(name, subkeys[index]);
	*n = (DWORD)wcslen(name);
	return ERROR_SUCCESS;
}

__declspec(dllexport) LSTATUS WINAPI RegCloseKey(HKEY key)
{
	if (key == REMOTE_DATA || key == REMOTE_LOCAL || key == PERFLIB || key == GERMAN)
		InterlockedDecrement(&handles);
	return ERROR_SUCCESS;
}
