/*
 * A fake of pdh.dll, most of which ends the process in Wine 8.0. It has another
 * name, because a library that is loaded already is found by its bare name. Its
 * machine has
 * two objects: "Prozess" ("Process" in English) with the instances idle, svchost
 * and svchost#1, whose counter "Handles" ("Handle Count") is a number and "E/A pro
 * s" ("IO/sec") a rate, and "Speicher" ("Memory") without instances, with the
 * counter "Bytes". Values follow from the number of collections.
 *
 * The environment variable WINPERF_FAKE names a function that fails with
 * PDH_ACCESS_DENIED, or says:
 *
 *   pointer  names stand outside their buffers
 *   count    arrays claim more items than there is room for
 *   endless  arrays need more for ever
 */
#include <windows.h>
#include <pdh.h>
#include <pdhmsg.h>
#include <stdio.h>
#include <wchar.h>

#undef PDH_FUNCTION
#define PDH_FUNCTION __declspec(dllexport) PDH_STATUS WINAPI

typedef struct { const WCHAR *local, *english; DWORD type; } COUNTER;
typedef struct { const WCHAR *local, *english; BOOL multiple; COUNTER counters[2]; } OBJECT;
typedef struct { const OBJECT *object; const COUNTER *counter; WCHAR instance[64]; } HANDLE_OF;

static const OBJECT objects[] = {
	{L"Prozess", L"Process", TRUE, {
		{L"Handles", L"Handle Count", 0x00010000 /* PERF_COUNTER_RAWCOUNT */},
		{L"E/A pro s", L"IO/sec", 0x10410500 /* PERF_COUNTER_BULK_COUNT */}}},
	{L"Speicher", L"Memory", FALSE, {{L"Bytes", L"Bytes", 0x00010100 /* PERF_COUNTER_LARGE_RAWCOUNT */}, {NULL, NULL, 0}}},
};
static const WCHAR *instances[] = {L"idle", L"svchost", L"svchost#1"};
static LONG handles, samples;

#define FREQUENCY 1000

/* FakeHandles returns how many queries and counters are open. */
__declspec(dllexport) LONG WINAPI FakeHandles(void) { return handles; }

static BOOL mode(const char *name)
{
	char value[64];
	DWORD n = GetEnvironmentVariableA("WINPERF_FAKE", value, 64);

	return n > 0 && n < 64 && strcmp(value, name) == 0;
}

#define MAY_FAIL() do { if (mode(__func__)) return PDH_ACCESS_DENIED; } while (0)

/* give answers with texts: n units in all. */
static PDH_STATUS give(const WCHAR *text, DWORD n, LPWSTR to, LPDWORD size)
{
	DWORD room = *size;

	*size = n;
	if (room < n || !to)
		return PDH_MORE_DATA;
	memcpy(to, text, n * sizeof(WCHAR));
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhGetDllVersion(LPDWORD version)
{
	MAY_FAIL();
	*version = PDH_VERSION;
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhOpenQueryW(LPCWSTR source, DWORD_PTR user, PDH_HQUERY *query)
{
	MAY_FAIL();
	if (source || user)
		return PDH_INVALID_ARGUMENT;
	*query = (PDH_HQUERY)1;
	InterlockedIncrement(&handles);
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhCloseQuery(PDH_HQUERY query)
{
	MAY_FAIL();
	if (query != (PDH_HQUERY)1)
		return PDH_INVALID_HANDLE;
	InterlockedDecrement(&handles);
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhCollectQueryData(PDH_HQUERY query)
{
	MAY_FAIL();
	samples++;
	return query == (PDH_HQUERY)1 ? ERROR_SUCCESS : PDH_INVALID_HANDLE;
}

/* add takes a path apart: \object(instance)\counter or \object\counter. */
static PDH_STATUS add(LPCWSTR path, BOOL english, PDH_HCOUNTER *handle)
{
	WCHAR object[64] = L"", instance[64] = L"", counter[64] = L"";
	HANDLE_OF *h;

	if (!path)
		return PDH_INVALID_ARGUMENT;
	if (swscanf(path, L"\\%63l[^(\\](%63l[^)])\\%63l[^\n]", object, instance, counter) != 3) {
		instance[0] = 0;
		if (swscanf(path, L"\\%63l[^\\]\\%63l[^\n]", object, counter) != 2)
			return PDH_CSTATUS_BAD_COUNTERNAME;
	}
	for (int i = 0; i < 2; i++) {
		const OBJECT *o = &objects[i];

		if (_wcsicmp(object, english ? o->english : o->local))
			continue;
		if (o->multiple != (instance[0] != 0))
			return PDH_INVALID_PATH;
		for (int k = 0; k < 2 && o->counters[k].local; k++) {
			if (_wcsicmp(counter, english ? o->counters[k].english : o->counters[k].local))
				continue;
			h = calloc(1, sizeof(*h));
			h->object = o;
			h->counter = &o->counters[k];
			wcscpy(h->instance, instance);
			*handle = h;
			InterlockedIncrement(&handles);
			return ERROR_SUCCESS;
		}
		return PDH_CSTATUS_NO_COUNTER;
	}
	return PDH_CSTATUS_NO_OBJECT;
}

PDH_FUNCTION PdhAddCounterW(PDH_HQUERY query, LPCWSTR path, DWORD_PTR user, PDH_HCOUNTER *counter)
{
	MAY_FAIL();
	return query == (PDH_HQUERY)1 && !user ? add(path, FALSE, counter) : (PDH_STATUS)PDH_INVALID_HANDLE;
}

PDH_FUNCTION PdhAddEnglishCounterW(PDH_HQUERY query, LPCWSTR path, DWORD_PTR user, PDH_HCOUNTER *counter)
{
	MAY_FAIL();
	return query == (PDH_HQUERY)1 && !user ? add(path, TRUE, counter) : (PDH_STATUS)PDH_INVALID_HANDLE;
}

PDH_FUNCTION PdhRemoveCounter(PDH_HCOUNTER counter)
{
	MAY_FAIL();
	free(counter);
	InterlockedDecrement(&handles);
	return ERROR_SUCCESS;
}

/* put copies a text to *to, moves *to behind it and returns where it stands. */
static LPWSTR put(LPWSTR *to, const WCHAR *text)
{
	LPWSTR at = *to;

	wcscpy(at, text);
	*to += wcslen(text) + 1;
	return mode("pointer") ? (LPWSTR)16 : at;
}

PDH_FUNCTION PdhGetCounterInfoW(PDH_HCOUNTER counter, BOOLEAN explain, LPDWORD size, PPDH_COUNTER_INFO_W info)
{
	HANDLE_OF *h = counter;
	DWORD room = *size, need = sizeof(*info) + 1024;
	LPWSTR to = (LPWSTR)(info + 1);

	MAY_FAIL();
	if (!explain)
		return PDH_INVALID_ARGUMENT;
	*size = need;
	if (room < need || !info)
		return PDH_MORE_DATA;
	memset(info, 0, sizeof(*info));
	info->dwLength = need;
	info->dwType = h->counter->type;
	info->lDefaultScale = -2;
	info->szFullPath = put(&to, L"\\\\HOST\\x");
	info->szObjectName = put(&to, h->object->local);
	info->szCounterName = put(&to, h->counter->local);
	info->szExplainText = put(&to, L"Hilfe");
	info->dwInstanceIndex = (DWORD)-1;
	if (h->object->multiple)
		info->szInstanceName = put(&to, h->instance);
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhGetCounterTimeBase(PDH_HCOUNTER counter, LONGLONG *base)
{
	HANDLE_OF *h = counter;

	MAY_FAIL();
	*base = FREQUENCY;
	return h->counter->type == 0x10410500 ? ERROR_SUCCESS : PDH_INVALID_ARGUMENT;
}

PDH_FUNCTION PdhSetCounterScaleFactor(PDH_HCOUNTER counter, LONG factor)
{
	MAY_FAIL();
	return counter && factor >= PDH_MIN_SCALE && factor <= PDH_MAX_SCALE ? ERROR_SUCCESS : PDH_INVALID_ARGUMENT;
}

static PDH_RAW_COUNTER raw(const HANDLE_OF *h, int i)
{
	PDH_RAW_COUNTER v = {0, {1, 2}, 0, 0, 0};

	if (h->counter->type == 0x10410500) {
		v.FirstValue = (LONGLONG)10 * (i + 1) * samples;
		v.SecondValue = (LONGLONG)FREQUENCY * samples;
	} else
		v.FirstValue = 100 * i + samples;
	return v;
}

static int position(const HANDLE_OF *h)
{
	for (int i = 0; i < 3; i++)
		if (!h->object->multiple || !_wcsicmp(h->instance, instances[i]))
			return i;
	return -1;
}

PDH_FUNCTION PdhGetRawCounterValue(PDH_HCOUNTER counter, LPDWORD type, PPDH_RAW_COUNTER value)
{
	HANDLE_OF *h = counter;
	int i = position(h);

	MAY_FAIL();
	if (type)
		*type = h->counter->type;
	memset(value, 0, sizeof(*value));
	if (i < 0)
		value->CStatus = PDH_CSTATUS_NO_INSTANCE;
	else
		*value = raw(h, i);
	return ERROR_SUCCESS;
}

static PDH_FMT_COUNTERVALUE format(const HANDLE_OF *h, int i, DWORD as)
{
	PDH_FMT_COUNTERVALUE v = {0};

	if ((as & PDH_FMT_LARGE) != 0)
		v.largeValue = raw(h, i).FirstValue;
	else
		v.doubleValue = 10 * (i + 1);
	if (samples < 2 && h->counter->type == 0x10410500)
		v.CStatus = PDH_CSTATUS_INVALID_DATA;
	return v;
}

PDH_FUNCTION PdhGetFormattedCounterValue(PDH_HCOUNTER counter, DWORD as, LPDWORD type, PPDH_FMT_COUNTERVALUE value)
{
	HANDLE_OF *h = counter;
	int i = position(h);

	MAY_FAIL();
	if (type)
		*type = h->counter->type;
	memset(value, 0, sizeof(*value));
	if (i < 0)
		value->CStatus = PDH_CSTATUS_NO_INSTANCE;
	else
		*value = format(h, i, as);
	return value->CStatus ? PDH_INVALID_DATA : ERROR_SUCCESS;
}

/* array answers with an item of some size for each instance, its name's pointer first. */
static PDH_STATUS array(const HANDLE_OF *h, LPDWORD size, LPDWORD count, BYTE *items, DWORD item, DWORD as)
{
	DWORD room = *size, need = 3 * item + 3 * 10 * sizeof(WCHAR);
	LPWSTR to = (LPWSTR)(items + 3 * item);

	*size = mode("endless") ? room + 8 : need;
	if (room < *size || !items)
		return PDH_MORE_DATA;
	*count = mode("count") ? 1000000 : 3;
	for (int i = 0; i < 3; i++) {
		*(LPWSTR *)(items + i * item) = put(&to, instances[i]);
		if (item == sizeof(PDH_RAW_COUNTER_ITEM_W))
			((PPDH_RAW_COUNTER_ITEM_W)items)[i].RawValue = raw(h, i);
		else
			((PPDH_FMT_COUNTERVALUE_ITEM_W)items)[i].FmtValue = format(h, i, as);
	}
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhGetRawCounterArrayW(PDH_HCOUNTER counter, LPDWORD size, LPDWORD count, PPDH_RAW_COUNTER_ITEM_W items)
{
	MAY_FAIL();
	return array(counter, size, count, (BYTE *)items, sizeof(*items), 0);
}

PDH_FUNCTION PdhGetFormattedCounterArrayW(PDH_HCOUNTER counter, DWORD as, LPDWORD size, LPDWORD count, PPDH_FMT_COUNTERVALUE_ITEM_W items)
{
	MAY_FAIL();
	return array(counter, size, count, (BYTE *)items, sizeof(*items), as);
}

PDH_FUNCTION PdhEnumMachinesW(LPCWSTR source, LPWSTR list, LPDWORD size)
{
	MAY_FAIL();
	return source ? (PDH_STATUS)PDH_INVALID_ARGUMENT : give(L"\\\\HOST\0", 8, list, size);
}

PDH_FUNCTION PdhEnumObjectsW(LPCWSTR source, LPCWSTR machine, LPWSTR list, LPDWORD size, DWORD detail, WINBOOL refresh)
{
	MAY_FAIL();
	(void)refresh;
	if (source || (detail & 0xFFFF) != PERF_DETAIL_WIZARD)
		return PDH_INVALID_ARGUMENT;
	if (machine && wcscmp(machine, L"\\\\other"))
		return PDH_CSTATUS_NO_MACHINE;
	return give(L"Prozess\0Speicher\0", 18, list, size);
}

PDH_FUNCTION PdhEnumObjectItemsW(LPCWSTR source, LPCWSTR machine, LPCWSTR object, LPWSTR counters, LPDWORD counter_size,
	LPWSTR list, LPDWORD size, DWORD detail, DWORD flags)
{
	PDH_STATUS a, b;

	MAY_FAIL();
	if (source || machine || flags || detail != PERF_DETAIL_WIZARD)
		return PDH_INVALID_ARGUMENT;
	if (!_wcsicmp(object, L"Speicher")) {
		*size = 0;
		return give(L"Bytes\0", 7, counters, counter_size);
	}
	if (_wcsicmp(object, L"Prozess"))
		return PDH_CSTATUS_NO_OBJECT;
	a = give(L"Handles\0E/A pro s\0", 19, counters, counter_size);
	b = give(L"idle\0svchost\0", 14, list, size);
	return a ? a : b;
}

PDH_FUNCTION PdhExpandWildCardPathW(LPCWSTR source, LPCWSTR path, LPWSTR list, LPDWORD size, DWORD flags)
{
	MAY_FAIL();
	if (source || flags || !path)
		return PDH_INVALID_ARGUMENT;
	return give(L"\\\\HOST\\Speicher\\Bytes\0", 23, list, size);
}

PDH_FUNCTION PdhExpandCounterPathW(LPCWSTR path, LPWSTR list, LPDWORD size)
{
	MAY_FAIL();
	return path ? give(L"\\\\HOST\\old\0", 12, list, size) : (PDH_STATUS)PDH_INVALID_ARGUMENT;
}

PDH_FUNCTION PdhConnectMachineW(LPCWSTR machine)
{
	MAY_FAIL();
	return machine && !wcscmp(machine, L"\\\\other") ? ERROR_SUCCESS : PDH_CSTATUS_NO_MACHINE;
}

PDH_FUNCTION PdhValidatePathW(LPCWSTR path)
{
	MAY_FAIL();
	return path && !wcscmp(path, L"\\Speicher\\Bytes") ? ERROR_SUCCESS : PDH_CSTATUS_NO_COUNTER;
}

PDH_FUNCTION PdhLookupPerfNameByIndexW(LPCWSTR machine, DWORD index, LPWSTR name, LPDWORD size)
{
	MAY_FAIL();
	return !machine && index == 230 ? give(L"Prozess", 8, name, size) : (PDH_STATUS)PDH_STRING_NOT_FOUND;
}

PDH_FUNCTION PdhLookupPerfIndexByNameW(LPCWSTR machine, LPCWSTR name, LPDWORD index)
{
	MAY_FAIL();
	*index = 230;
	return !machine && name && !wcscmp(name, L"Prozess") ? ERROR_SUCCESS : PDH_STRING_NOT_FOUND;
}

PDH_FUNCTION PdhGetDefaultPerfObjectW(LPCWSTR source, LPCWSTR machine, LPWSTR name, LPDWORD size)
{
	MAY_FAIL();
	return source || machine ? (PDH_STATUS)PDH_INVALID_ARGUMENT : give(L"Prozess", 8, name, size);
}

PDH_FUNCTION PdhGetDefaultPerfCounterW(LPCWSTR source, LPCWSTR machine, LPCWSTR object, LPWSTR name, LPDWORD size)
{
	MAY_FAIL();
	return source || machine || !object ? (PDH_STATUS)PDH_INVALID_ARGUMENT : give(L"Handles", 8, name, size);
}

PDH_FUNCTION PdhOpenQueryH(PDH_HLOG source, DWORD_PTR user, PDH_HQUERY *query)
{
	MAY_FAIL();
	return source ? PDH_INVALID_HANDLE : (DWORD)PdhOpenQueryW(NULL, user, query);
}

PDH_FUNCTION PdhCollectQueryDataWithTime(PDH_HQUERY query, LONGLONG *time)
{
	MAY_FAIL();
	*time = 0x0102030405060708;
	return PdhCollectQueryData(query);
}

PDH_FUNCTION PdhCollectQueryDataEx(PDH_HQUERY query, DWORD seconds, HANDLE event)
{
	MAY_FAIL();
	return query == (PDH_HQUERY)1 && seconds == 7 && event ? ERROR_SUCCESS : PDH_INVALID_ARGUMENT;
}

__declspec(dllexport) WINBOOL WINAPI PdhIsRealTimeQuery(PDH_HQUERY query)
{
	return query == (PDH_HQUERY)1;
}

/* compute makes a rate of two raw values. */
static PDH_STATUS compute(DWORD as, LONGLONG base, PPDH_RAW_COUNTER newer, PPDH_RAW_COUNTER older, PPDH_FMT_COUNTERVALUE value)
{
	if (as != PDH_FMT_DOUBLE || !newer || !older)
		return PDH_INVALID_ARGUMENT;
	value->CStatus = PDH_CSTATUS_NEW_DATA;
	value->doubleValue = (double)(newer->FirstValue - older->FirstValue) * base / (newer->SecondValue - older->SecondValue);
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhCalculateCounterFromRawValue(PDH_HCOUNTER counter, DWORD as, PPDH_RAW_COUNTER newer, PPDH_RAW_COUNTER older,
	PPDH_FMT_COUNTERVALUE value)
{
	MAY_FAIL();
	return counter ? (DWORD)compute(as, FREQUENCY, newer, older, value) : PDH_INVALID_HANDLE;
}

PDH_FUNCTION PdhFormatFromRawValue(DWORD type, DWORD as, LONGLONG *base, PPDH_RAW_COUNTER newer, PPDH_RAW_COUNTER older,
	PPDH_FMT_COUNTERVALUE value)
{
	MAY_FAIL();
	return type == 0x10410500 ? (DWORD)compute(as, *base, newer, older, value) : PDH_INVALID_ARGUMENT;
}

PDH_FUNCTION PdhComputeCounterStatistics(PDH_HCOUNTER counter, DWORD as, DWORD first, DWORD count, PPDH_RAW_COUNTER values, PPDH_STATISTICS data)
{
	MAY_FAIL();
	if (!counter || first >= count || as != PDH_FMT_LARGE)
		return PDH_INVALID_ARGUMENT;
	memset(data, 0, sizeof(*data));
	data->dwFormat = as;
	data->count = count;
	data->min.largeValue = data->max.largeValue = values[first].FirstValue;
	for (DWORD i = 0; i < count; i++) {
		LONGLONG v = values[i].FirstValue;

		data->min.largeValue = min(data->min.largeValue, v);
		data->max.largeValue = max(data->max.largeValue, v);
		data->mean.largeValue += v;
	}
	data->mean.largeValue /= count;
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhMakeCounterPathW(PPDH_COUNTER_PATH_ELEMENTS_W e, LPWSTR path, LPDWORD size, DWORD flags)
{
	WCHAR text[512];

	MAY_FAIL();
	if (flags || !e->szObjectName || !e->szCounterName || wcslen(e->szObjectName) > 64 || wcslen(e->szCounterName) > 64)
		return PDH_INVALID_ARGUMENT;
	swprintf(text, 512, L"%ls\\%ls(%ls/%ls#%u)\\%ls", e->szMachineName, e->szObjectName, e->szParentInstance, e->szInstanceName,
		(unsigned)e->dwInstanceIndex, e->szCounterName);
	return give(text, wcslen(text) + 1, path, size);
}

PDH_FUNCTION PdhParseCounterPathW(LPCWSTR path, PPDH_COUNTER_PATH_ELEMENTS_W e, LPDWORD size, DWORD flags)
{
	DWORD room = *size, need = sizeof(*e) + 512;
	LPWSTR to = (LPWSTR)(e + 1);

	MAY_FAIL();
	if (flags || wcscmp(path, L"\\\\M\\Obj(P/I#3)\\Ctr"))
		return PDH_INVALID_PATH;
	*size = need;
	if (room < need || !e)
		return PDH_MORE_DATA;
	e->szMachineName = put(&to, L"\\\\M");
	e->szObjectName = put(&to, L"Obj");
	e->szInstanceName = put(&to, L"I");
	e->szParentInstance = put(&to, L"P");
	e->dwInstanceIndex = 3;
	e->szCounterName = put(&to, L"Ctr");
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhParseInstanceNameW(LPCWSTR text, LPWSTR name, LPDWORD size, LPWSTR parent, LPDWORD parent_size, LPDWORD index)
{
	MAY_FAIL();
	if (wcscmp(text, L"P/I#3") || *size < 2 || *parent_size < 2)
		return PDH_INVALID_INSTANCE;
	wcscpy(name, L"I");
	wcscpy(parent, L"P");
	*size = *parent_size = 2;
	*index = 3;
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhValidatePathExW(PDH_HLOG source, LPCWSTR path)
{
	MAY_FAIL();
	return source ? PDH_INVALID_HANDLE : (DWORD)PdhValidatePathW(path);
}

PDH_FUNCTION PdhSetDefaultRealTimeDataSource(DWORD source)
{
	MAY_FAIL();
	return source == 1 || source == 4 ? ERROR_SUCCESS : PDH_INVALID_ARGUMENT;
}
