/*
 * A fake of advapi32's PerfLib consumer functions, which Wine 8.0 has in part:
 * two counter sets, {00000001-...} "Disk" with the instances C: and D:, and
 * {00000002-...} "Clock" without instances. Counter 1 counts the samples taken,
 * in instance D: from 1000 on.
 *
 * The environment variable WINPERF_FAKE names a function that fails with
 * ERROR_ACCESS_DENIED, or says:
 *
 *   grow     PerfQueryCounterData needs one byte more than it was given, 5 times
 *   endless  it needs more for ever
 *   long     it says that it wrote more than there is room for
 *   empty    it writes nothing
 *   hang     it takes 3 seconds
 */
#define _ADVAPI32_ /* these are its functions: not to be imported */
#include <windows.h>
#include <string.h>
#include <wchar.h>

#define ANY 0xFFFFFFFFu
#define MAX_IDS 16

/* The structures of perflib.h, which mingw-w64 lacks. */
typedef struct { DWORD total, counters; LONGLONG perf, time, freq; SYSTEMTIME system; } DATA_HEADER;
typedef struct { DWORD status, type, size, reserved; } COUNTER_HEADER;
typedef struct { DWORD size, count; } MULTI;
typedef struct { DWORD size, id; WCHAR name[4]; } INSTANCE; /* "C:" */
typedef struct { DWORD bytes, size; ULONGLONG value; } COUNTER_DATA;
typedef struct { GUID set; DWORD status, size, counter, instance, index, reserved; } IDENTIFIER;
typedef struct { GUID set; DWORD type, detail, counters, instances; } SET_INFO;
typedef struct {
	DWORD id, type;
	ULONGLONG attributes;
	DWORD detail, scale, base, time, freq, multi, aggregate, reserved;
} COUNTER_INFO;

typedef struct { DWORD count; IDENTIFIER ids[MAX_IDS]; } QUERY;

static const GUID disk = {1, 0, 0, {0}}, clock_set = {2, 0, 0, {0}}, provider = {9, 0, 0, {0}};
static LONG handles;
static ULONGLONG samples;
static int grown;

/* FakeHandles returns how many queries are open. */
__declspec(dllexport) LONG WINAPI FakeHandles(void) { return handles; }

static BOOL mode(const WCHAR *name)
{
	WCHAR value[64];
	DWORD n = GetEnvironmentVariableW(L"WINPERF_FAKE", value, 64);

	return n > 0 && n < 64 && wcscmp(value, name) == 0;
}

/* give answers with bytes as all of the functions do. */
static ULONG give(const void *from, DWORD n, void *to, DWORD room, DWORD *actual)
{
	*actual = n;
	if (room < n)
		return ERROR_NOT_ENOUGH_MEMORY;
	memcpy(to, from, n);
	return ERROR_SUCCESS;
}

static ULONG text(const WCHAR *s, void *to, DWORD room, DWORD *actual)
{
	return give(s, (wcslen(s) + 1) * sizeof(WCHAR), to, room, actual);
}

/* texts answers with a table of one text, of counter 1. */
static ULONG texts(const WCHAR *s, void *to, DWORD room, DWORD *actual)
{
	struct { DWORD size, counters, id, offset; WCHAR text[32]; } table = {sizeof(table), 1, 1, 16, {0}};

	wcsncpy(table.text, s, 31);
	return give(&table, sizeof(table), to, room, actual);
}

__declspec(dllexport) ULONG WINAPI PerfEnumerateCounterSet(LPCWSTR machine, GUID *ids, DWORD room, DWORD *actual)
{
	if (mode(L"PerfEnumerateCounterSet"))
		return ERROR_ACCESS_DENIED;
	if (machine && wcscmp(machine, L"other"))
		return ERROR_BAD_NETPATH;
	*actual = 2;
	if (room < 2)
		return ERROR_NOT_ENOUGH_MEMORY;
	ids[0] = disk;
	ids[1] = clock_set;
	return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI PerfQueryCounterSetRegistrationInfo(LPCWSTR machine, const GUID *set, ULONG code,
	ULONG language, BYTE *info, DWORD room, DWORD *actual)
{
	BOOL is_disk = IsEqualGUID(set, &disk), german = (language & 0x3FF) == 7 && code != 2;
	struct { SET_INFO set; COUNTER_INFO counter; } all = {
		{*set, 0, 100, 1, is_disk ? 2 : 0},
		{1, 0x10410500 /* PERF_COUNTER_BULK_COUNT */, 0, 100, 0, ANY, ANY, ANY, ANY, 0, 0},
	};

	if (mode(L"PerfQueryCounterSetRegistrationInfo"))
		return ERROR_ACCESS_DENIED;
	if (machine && wcscmp(machine, L"other"))
		return ERROR_BAD_NETPATH;
	if (!is_disk && !IsEqualGUID(set, &clock_set))
		return ERROR_WMI_GUID_NOT_FOUND;
	switch (code) {
	case 1:
		return give(&all, sizeof(all), info, room, actual);
	case 2:
		return language == 1 ? give(&all.counter, sizeof(all.counter), info, room, actual) : ERROR_WMI_ITEMID_NOT_FOUND;
	case 3:
	case 9:
		if (german)
			return text(is_disk ? L"Platte" : L"Uhr", info, room, actual);
		return text(is_disk ? L"Disk" : L"Clock", info, room, actual);
	case 4:
		return text(german ? L"Hilfe" : L"Help", info, room, actual);
	case 5:
	case 10:
		return texts(german ? L"Proben" : L"Samples/sec", info, room, actual);
	case 6:
		return texts(german ? L"Wie viele Proben" : L"How many samples", info, room, actual);
	case 7:
		return text(L"Fake", info, room, actual);
	case 8:
		return give(&provider, sizeof(provider), info, room, actual);
	}
	return ERROR_INVALID_PARAMETER;
}

static INSTANCE instance(int i)
{
	INSTANCE in = {sizeof(in), i + 1, L"C:"};

	in.name[0] += i;
	return in;
}

__declspec(dllexport) ULONG WINAPI PerfEnumerateCounterSetInstances(LPCWSTR machine, const GUID *set, INSTANCE *to,
	DWORD room, DWORD *actual)
{
	INSTANCE all[2] = {instance(0), instance(1)};

	if (mode(L"PerfEnumerateCounterSetInstances"))
		return ERROR_ACCESS_DENIED;
	if (machine && wcscmp(machine, L"other"))
		return ERROR_BAD_NETPATH;
	if (!IsEqualGUID(set, &disk))
		return IsEqualGUID(set, &clock_set) ? ERROR_WMI_INSTANCE_NOT_FOUND : ERROR_WMI_GUID_NOT_FOUND;
	return give(all, sizeof(all), to, room, actual);
}

__declspec(dllexport) ULONG WINAPI PerfOpenQueryHandle(LPCWSTR machine, HANDLE *query)
{
	if (mode(L"PerfOpenQueryHandle"))
		return ERROR_ACCESS_DENIED;
	if (machine && wcscmp(machine, L"other"))
		return ERROR_BAD_NETPATH;
	*query = calloc(1, sizeof(QUERY));
	InterlockedIncrement(&handles);
	return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI PerfCloseQueryHandle(HANDLE query)
{
	if (mode(L"PerfCloseQueryHandle"))
		return ERROR_ACCESS_DENIED;
	free(query);
	InterlockedDecrement(&handles);
	return ERROR_SUCCESS;
}

/* next returns the identifier behind id, NULL where there is none that is whole. */
static IDENTIFIER *next(IDENTIFIER *id, BYTE *end)
{
	BYTE *p = (BYTE *)id + id->size;

	return p + sizeof(IDENTIFIER) <= end ? (IDENTIFIER *)p : NULL;
}

static int find(QUERY *q, const IDENTIFIER *id)
{
	for (DWORD i = 0; i < q->count; i++)
		if (IsEqualGUID(&q->ids[i].set, &id->set) && q->ids[i].counter == id->counter && q->ids[i].instance == id->instance)
			return i;
	return -1;
}

__declspec(dllexport) ULONG WINAPI PerfAddCounters(HANDLE query, IDENTIFIER *ids, DWORD size)
{
	QUERY *q = query;

	if (mode(L"PerfAddCounters"))
		return ERROR_ACCESS_DENIED;
	if (size < sizeof(*ids))
		return ERROR_INVALID_PARAMETER;
	for (IDENTIFIER *id = ids; id; id = next(id, (BYTE *)ids + size)) {
		BOOL is_disk = IsEqualGUID(&id->set, &disk);

		if (!is_disk && !IsEqualGUID(&id->set, &clock_set))
			id->status = ERROR_WMI_GUID_NOT_FOUND;
		else if (is_disk != (id->size > sizeof(*id)))
			id->status = ERROR_INVALID_PARAMETER;
		else if (find(q, id) >= 0 || q->count == MAX_IDS)
			id->status = ERROR_ALREADY_EXISTS;
		else {
			id->status = ERROR_SUCCESS;
			q->ids[q->count] = *id;
			q->ids[q->count].index = q->count;
			q->count++;
		}
	}
	return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI PerfQueryCounterInfo(HANDLE query, BYTE *to, DWORD room, DWORD *actual)
{
	QUERY *q = query;
	BYTE all[MAX_IDS * (sizeof(IDENTIFIER) + 8)];
	DWORD n = 0;

	if (mode(L"PerfQueryCounterInfo"))
		return ERROR_ACCESS_DENIED;
	for (DWORD i = 0; i < q->count; i++) {
		IDENTIFIER id = q->ids[i];
		DWORD name = id.size > sizeof(id) ? 8 : 0;

		id.size = sizeof(id) + name;
		memcpy(all + n, &id, sizeof(id));
		memcpy(all + n + sizeof(id), L"*\0\0", name);
		n += id.size;
	}
	return give(all, n, to, room, actual);
}

/* answer appends the answer to an identifier to b and returns its size. */
static DWORD answer(const IDENTIFIER *id, BYTE *b)
{
	struct { COUNTER_HEADER head; MULTI ids; DWORD id, pad; } head = {{0, 2, 0, 0}, {16, 1}, 1, 0};
	BOOL is_disk = IsEqualGUID(&id->set, &disk);
	BYTE *p = b + sizeof(head);

	if (is_disk) {
		MULTI list = {sizeof(list) + 2 * (sizeof(INSTANCE) + sizeof(COUNTER_DATA)), 2};

		head.head.type = 6;
		memcpy(p, &list, sizeof(list));
		p += sizeof(list);
	}
	for (int i = 0; i < (is_disk ? 2 : 1); i++) {
		INSTANCE in = instance(i);
		COUNTER_DATA data = {8, sizeof(data), samples + 1000 * i};

		if (is_disk) {
			memcpy(p, &in, sizeof(in));
			p += sizeof(in);
		}
		memcpy(p, &data, sizeof(data));
		p += sizeof(data);
	}
	head.head.size = p - b;
	memcpy(b, &head, sizeof(head));
	return p - b;
}

__declspec(dllexport) ULONG WINAPI PerfQueryCounterData(HANDLE query, BYTE *to, DWORD room, DWORD *actual)
{
	QUERY *q = query;
	BYTE all[sizeof(DATA_HEADER) + MAX_IDS * 128];
	DATA_HEADER head = {sizeof(head), q->count, 0, 0, 1000, {0}};
	FILETIME now;

	if (mode(L"PerfQueryCounterData"))
		return ERROR_ACCESS_DENIED;
	if (mode(L"hang"))
		Sleep(3000);
	if (mode(L"endless") || (mode(L"grow") && grown++ < 5)) {
		*actual = room + 1;
		return ERROR_NOT_ENOUGH_MEMORY;
	}
	if (mode(L"long") || mode(L"empty")) {
		*actual = mode(L"long") ? room + 1 : 0;
		return ERROR_SUCCESS;
	}
	samples++;
	GetSystemTimeAsFileTime(&now);
	head.time = (LONGLONG)now.dwHighDateTime << 32 | now.dwLowDateTime;
	head.perf = samples * 1000;
	for (DWORD i = 0; i < q->count; i++)
		head.total += answer(&q->ids[i], all + head.total);
	memcpy(all, &head, sizeof(head));
	if (room < head.total)
		samples--; /* it is not taken */
	return give(all, head.total, to, room, actual);
}
