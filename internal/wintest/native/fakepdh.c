/*
 * A fake of pdh.dll, most of which ends the process in Wine 8.0. It has another
 * name, because a library that is loaded already is found by its bare name. Its
 * machine has two objects: "Prozess" ("Process" in English) with the instances
 * idle, svchost and svchost#1, whose counter "Handles" ("Handle Count") is a
 * number and "E/A pro s" ("IO/sec") a rate, and "Speicher" ("Memory") without
 * instances, with the counter "Bytes", and "Text", which nothing can be computed
 * of. Values follow from the number of collections, which are a second apart. It
 * has the functions that read live counters.
 *
 * The environment variable WINPERF_FAKE names a function that fails with
 * PDH_ACCESS_DENIED, or with another status (PdhAddCounterW=C0000BBB), or says:
 *
 *   pointer  names stand outside their buffers
 *   count    arrays claim more items than there is room for
 *   size     texts and arrays claim to be longer than their buffers
 *   endless  arrays and texts need more for ever
 *   unending texts lack their end
 *   empty    there are no instances at the moment
 *
 * One thread at a time may call it.
 */
#include <windows.h>
#include <pdh.h>
#include <pdhmsg.h>
#include <stddef.h>
#include <stdio.h>
#include <wchar.h>

#undef PDH_FUNCTION
#define PDH_FUNCTION __declspec(dllexport) PDH_STATUS WINAPI

#define RATE 0x10410500 /* PERF_COUNTER_BULK_COUNT */
#define FREQUENCY 1000
#define SECOND 10000000LL
#define EPOCH 0x01D0000000000000LL /* the FILETIME of the sample before the first */

typedef struct { const WCHAR *local, *english; DWORD type; } COUNTER;
typedef struct { const WCHAR *local, *english; BOOL multiple; COUNTER counters[2]; } OBJECT;
typedef struct { WCHAR machine[32], object[64], instance[64], counter[64]; } PARTS;

static const OBJECT objects[] = {
	{L"Prozess", L"Process", TRUE, {
		{L"Handles", L"Handle Count", 0x00010000 /* PERF_COUNTER_RAWCOUNT */},
		{L"E/A pro s", L"IO/sec", RATE}}},
	{L"Speicher", L"Memory", FALSE, {
		{L"Bytes", L"Bytes", 0x00010100 /* PERF_COUNTER_LARGE_RAWCOUNT */},
		{L"Text", L"Text", 0x00000B00 /* PERF_COUNTER_TEXT */}}},
};
static const WCHAR *instances[] = {L"idle", L"svchost", L"svchost#1"};
static LONG samples;

/* Whatever has a handle is a node of one list, in the order of creation. */
typedef enum { QUERY_NODE, VALUE_NODE } KIND;
typedef struct NODE { struct NODE *next; KIND kind; } NODE;
static NODE *nodes;

static void *create(KIND kind, size_t size)
{
	NODE **at = &nodes;

	while (*at)
		at = &(*at)->next;
	*at = calloc(1, size);
	(*at)->kind = kind;
	return *at;
}

/* find returns the node of a handle, NULL if there is none of the kind. */
static void *find(HANDLE handle, KIND kind)
{
	for (NODE *n = nodes; n; n = n->next)
		if (n == handle && n->kind == kind)
			return n;
	return NULL;
}

static void drop(void *node)
{
	for (NODE **at = &nodes; *at; at = &(*at)->next)
		if (*at == node) {
			*at = (*at)->next;
			free(node);
			return;
		}
}

/* FakeHandles returns how many handles are open. */
__declspec(dllexport) LONG WINAPI FakeHandles(void)
{
	LONG count = 0;

	for (NODE *n = nodes; n; n = n->next)
		count++;
	return count;
}

static BOOL mode(const char *name)
{
	char value[64];
	DWORD n = GetEnvironmentVariableA("WINPERF_FAKE", value, 64);

	return n > 0 && n < 64 && strcmp(value, name) == 0;
}

/* forced is the status that a function is to fail with. */
static PDH_STATUS forced(const char *function)
{
	char value[64];
	DWORD n = GetEnvironmentVariableA("WINPERF_FAKE", value, 64);
	size_t length = strlen(function);

	if (n == 0 || n >= 64 || strncmp(value, function, length))
		return ERROR_SUCCESS;
	if (value[length] == '=')
		return strtoul(value + length + 1, NULL, 16);
	return value[length] ? ERROR_SUCCESS : PDH_ACCESS_DENIED;
}

#define MAY_FAIL() do { PDH_STATUS fail = forced(__func__); if (fail) return fail; } while (0)

/* TRY returns from a function whose part failed. */
#define TRY(call) do { PDH_STATUS fail = (call); if (fail) return fail; } while (0)

/* ready answers how large an answer is; PDH_MORE_DATA if there is no room for it. */
static PDH_STATUS ready(DWORD need, const void *to, LPDWORD size)
{
	DWORD room = *size;

	*size = mode("endless") ? room + 8 : need;
	if (room < *size || !to)
		return PDH_MORE_DATA;
	if (mode("size"))
		*size = 1000000;
	return ERROR_SUCCESS;
}

/* give answers with texts: n units in all. */
static PDH_STATUS give(const WCHAR *text, DWORD n, LPWSTR to, LPDWORD size)
{
	if (!size)
		return PDH_INVALID_ARGUMENT;
	TRY(ready(n, to, size));
	memcpy(to, text, n * sizeof(WCHAR));
	if (mode("unending"))
		wmemset(to, L'x', n);
	return ERROR_SUCCESS;
}

/* A list is a MULTI_SZ without its last NUL. */
typedef struct { WCHAR text[4096]; DWORD n; } LIST;

/* add_once appends a text that is not yet there. */
static void add_once(LIST *list, const WCHAR *text)
{
	DWORD length = wcslen(text) + 1;

	for (const WCHAR *s = list->text; s < list->text + list->n; s += wcslen(s) + 1)
		if (!_wcsicmp(s, text))
			return;
	if (list->n + length < ARRAYSIZE(list->text)) {
		wcscpy(list->text + list->n, text);
		list->n += length;
	}
}

static PDH_STATUS give_list(LIST *list, LPWSTR to, LPDWORD size)
{
	list->text[list->n] = 0;
	return give(list->text, list->n + 1, to, size);
}

/* match compares without regard to case; * stands for any run of characters. */
static BOOL match(const WCHAR *pattern, const WCHAR *text)
{
	if (*pattern == L'*')
		return match(pattern + 1, text) || (*text && match(pattern, text + 1));
	if (!*pattern || !*text)
		return *pattern == *text;
	return towlower(*pattern) == towlower(*text) && match(pattern + 1, text + 1);
}

/* split takes a path apart: \\machine\object(instance)\counter, of which machine
 * and instance may be missing. */
static BOOL split(const WCHAR *path, PARTS *p)
{
	int n = 0;

	memset(p, 0, sizeof(*p));
	if (!wcsncmp(path, L"\\\\", 2)) {
		if (swscanf(path, L"\\\\%31l[^\\]%n", p->machine, &n) != 1)
			return FALSE;
		path += n;
	}
	if (swscanf(path, L"\\%63l[^(\\](%63l[^)])\\%63l[^\n]", p->object, p->instance, p->counter) == 3)
		return TRUE;
	p->instance[0] = 0;
	return swscanf(path, L"\\%63l[^(\\]\\%63l[^\n]", p->object, p->counter) == 2;
}

/* join writes the path of parts. */
static void join(const PARTS *p, WCHAR *path, size_t units)
{
	const WCHAR *machine = p->machine[0] ? p->machine : L"HOST";

	if (p->instance[0])
		swprintf(path, units, L"\\\\%ls\\%ls(%ls)\\%ls", machine, p->object, p->instance, p->counter);
	else
		swprintf(path, units, L"\\\\%ls\\%ls\\%ls", machine, p->object, p->counter);
}

/* known tells whether a machine, with or without backslashes, is there: NULL and
 * "" are this one. */
static BOOL known(const WCHAR *machine)
{
	if (!machine || !*machine)
		return TRUE;
	if (!wcsncmp(machine, L"\\\\", 2))
		machine += 2;
	return !_wcsicmp(machine, L"HOST") || !_wcsicmp(machine, L"other");
}

enum { COLUMNS = 8, PATH_UNITS = 96 };

typedef struct {
	NODE node;
	LONG now, before; /* the samples since the first; 0 is none */
} QUERY;

typedef struct {
	NODE node;
	QUERY *query;
	PARTS parts;
	const OBJECT *object;
	const COUNTER *counter;
	DWORD type;
} VALUE;

/* Live values follow from the number of the sample and the instance's position. */
static PDH_RAW_COUNTER live_value(DWORD type, int instance, LONG sample)
{
	PDH_RAW_COUNTER v = {0};
	LONGLONG time = EPOCH + sample * SECOND;

	v.TimeStamp.dwLowDateTime = (DWORD)time;
	v.TimeStamp.dwHighDateTime = (DWORD)(time >> 32);
	if (type == RATE) {
		v.FirstValue = (LONGLONG)10 * (instance + 1) * sample;
		v.SecondValue = (LONGLONG)FREQUENCY * sample;
	} else
		v.FirstValue = 100 * instance + sample;
	return v;
}

/* values finds the instances that a counter stands for, and what they had in a
 * sample. It returns how many there are. */
static DWORD values(const VALUE *v, LONG sample, WCHAR names[][64], PDH_RAW_COUNTER *raw)
{
	DWORD n = 0;

	if (!v->object->multiple) {
		names[0][0] = 0;
		raw[0] = live_value(v->type, 0, sample);
		return 1;
	}
	for (int i = 0; i < 3; i++)
		if (match(v->parts.instance, instances[i])) {
			wcscpy(names[n], instances[i]);
			raw[n++] = live_value(v->type, i, sample);
		}
	return n;
}

/* collect takes the next sample of a query: PDH_NO_DATA where no counter of it has
 * a value. */
static PDH_STATUS collect(QUERY *q)
{
	WCHAR names[COLUMNS][64];
	PDH_RAW_COUNTER raw[COLUMNS];
	DWORD n = 0;

	for (NODE *node = nodes; node; node = node->next)
		if (node->kind == VALUE_NODE && ((VALUE *)node)->query == q)
			n += values((VALUE *)node, 0, names, raw);
	if (n == 0)
		return PDH_NO_DATA;
	q->before = q->now;
	q->now = InterlockedIncrement(&samples);
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhOpenQueryW(LPCWSTR source, DWORD_PTR user, PDH_HQUERY *query)
{
	MAY_FAIL();
	if (source || user || !query)
		return PDH_INVALID_ARGUMENT;
	*query = create(QUERY_NODE, sizeof(QUERY));
	return ERROR_SUCCESS;
}

/* PdhCloseQuery frees a query and all of its counters. */
PDH_FUNCTION PdhCloseQuery(PDH_HQUERY query)
{
	MAY_FAIL();
	if (!find(query, QUERY_NODE))
		return PDH_INVALID_HANDLE;
	for (NODE *n = nodes, *next; n; n = next) {
		next = n->next;
		if (n->kind == VALUE_NODE && ((VALUE *)n)->query == query)
			drop(n);
	}
	drop(query);
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhCollectQueryData(PDH_HQUERY query)
{
	QUERY *q = find(query, QUERY_NODE);

	MAY_FAIL();
	return q ? collect(q) : (PDH_STATUS)PDH_INVALID_HANDLE;
}

/* look_up finds the counter of a path on the machine. */
static PDH_STATUS look_up(VALUE *v, BOOL english)
{
	for (int i = 0; i < 2; i++) {
		const OBJECT *o = &objects[i];

		if (_wcsicmp(v->parts.object, english ? o->english : o->local))
			continue;
		if (o->multiple != (v->parts.instance[0] != 0))
			return PDH_INVALID_PATH;
		for (int k = 0; k < 2; k++) {
			if (_wcsicmp(v->parts.counter, english ? o->counters[k].english : o->counters[k].local))
				continue;
			v->object = o;
			v->counter = &o->counters[k];
			v->type = v->counter->type;
			return v->type == 0x00000B00 ? PDH_FUNCTION_NOT_FOUND : ERROR_SUCCESS;
		}
		return PDH_CSTATUS_NO_COUNTER;
	}
	return PDH_CSTATUS_NO_OBJECT;
}

static PDH_STATUS check(LPCWSTR path, BOOL english, VALUE *v)
{
	size_t length = path ? wcslen(path) : 0;

	if (!path)
		return PDH_INVALID_ARGUMENT;
	if (length == 0 || path[length - 1] == L'\\')
		return PDH_CSTATUS_NO_COUNTERNAME;
	if (!split(path, &v->parts))
		return PDH_CSTATUS_BAD_COUNTERNAME;
	if (!known(v->parts.machine))
		return PDH_CSTATUS_NO_MACHINE;
	return look_up(v, english);
}

static PDH_STATUS add(PDH_HQUERY query, LPCWSTR path, DWORD_PTR user, BOOL english, PDH_HCOUNTER *counter)
{
	QUERY *q = find(query, QUERY_NODE);
	VALUE v = {0}, *added;

	if (!q)
		return PDH_INVALID_HANDLE;
	if (user || !counter)
		return PDH_INVALID_ARGUMENT;
	TRY(check(path, english, &v));
	added = create(VALUE_NODE, sizeof(*added));
	v.node = added->node;
	v.query = q;
	*added = v;
	*counter = added;
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhAddCounterW(PDH_HQUERY query, LPCWSTR path, DWORD_PTR user, PDH_HCOUNTER *counter)
{
	MAY_FAIL();
	return add(query, path, user, FALSE, counter);
}

PDH_FUNCTION PdhAddEnglishCounterW(PDH_HQUERY query, LPCWSTR path, DWORD_PTR user, PDH_HCOUNTER *counter)
{
	MAY_FAIL();
	return add(query, path, user, TRUE, counter);
}

PDH_FUNCTION PdhRemoveCounter(PDH_HCOUNTER counter)
{
	MAY_FAIL();
	if (!find(counter, VALUE_NODE))
		return PDH_INVALID_HANDLE;
	drop(counter);
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
	VALUE *v = find(counter, VALUE_NODE);
	DWORD need = sizeof(*info) + 1024;
	LPWSTR to = (LPWSTR)(info + 1);
	PARTS p;
	WCHAR path[PATH_UNITS];

	MAY_FAIL();
	if (!v)
		return PDH_INVALID_HANDLE;
	if (!explain)
		return PDH_INVALID_ARGUMENT;
	TRY(ready(need, info, size));
	p = v->parts;
	wcscpy(p.object, v->object->local); /* in the system's language */
	wcscpy(p.counter, v->counter->local);
	join(&p, path, PATH_UNITS);
	memset(info, 0, sizeof(*info));
	info->dwLength = need;
	info->dwType = v->type;
	info->lDefaultScale = -2;
	info->szFullPath = put(&to, path);
	info->szObjectName = put(&to, p.object);
	info->szCounterName = put(&to, p.counter);
	info->szExplainText = put(&to, L"Hilfe");
	info->dwInstanceIndex = (DWORD)-1;
	if (p.instance[0])
		info->szInstanceName = put(&to, p.instance);
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhGetCounterTimeBase(PDH_HCOUNTER counter, LONGLONG *base)
{
	VALUE *v = find(counter, VALUE_NODE);

	MAY_FAIL();
	if (!v)
		return PDH_INVALID_HANDLE;
	*base = FREQUENCY;
	return v->type == RATE ? ERROR_SUCCESS : PDH_INVALID_ARGUMENT;
}

PDH_FUNCTION PdhGetRawCounterValue(PDH_HCOUNTER counter, LPDWORD type, PPDH_RAW_COUNTER value)
{
	VALUE *v = find(counter, VALUE_NODE);
	WCHAR names[COLUMNS][64];
	PDH_RAW_COUNTER raw[COLUMNS] = {0};

	MAY_FAIL();
	if (!v)
		return PDH_INVALID_HANDLE;
	if (type)
		*type = v->type;
	if (values(v, v->query->now, names, raw) == 0)
		raw[0].CStatus = PDH_CSTATUS_NO_INSTANCE;
	*value = raw[0];
	return ERROR_SUCCESS;
}

static PDH_STATUS no_value(PPDH_FMT_COUNTERVALUE value, DWORD why, PDH_STATUS status)
{
	value->CStatus = why;
	return status;
}

/* compute makes a displayable value of raw values: a rate of two. */
static PDH_STATUS compute(DWORD type, DWORD as, const PDH_RAW_COUNTER *newer, const PDH_RAW_COUNTER *older,
	PPDH_FMT_COUNTERVALUE value)
{
	double v;

	memset(value, 0, sizeof(*value));
	if (type == RATE) {
		v = (double)(newer->FirstValue - older->FirstValue) * FREQUENCY / (newer->SecondValue - older->SecondValue);
	} else
		v = (double)newer->FirstValue;
	value->CStatus = PDH_CSTATUS_NEW_DATA;
	switch (as & (PDH_FMT_LONG | PDH_FMT_DOUBLE | PDH_FMT_LARGE)) {
	case PDH_FMT_LONG:   value->longValue = (LONG)v; break;
	case PDH_FMT_LARGE:  value->largeValue = (LONGLONG)v; break;
	case PDH_FMT_DOUBLE: value->doubleValue = v; break;
	default: return PDH_INVALID_ARGUMENT;
	}
	return ERROR_SUCCESS;
}

/* format computes a value of an instance from the last samples. */
static PDH_STATUS format(const VALUE *v, DWORD as, DWORD n, PPDH_FMT_COUNTERVALUE value)
{
	WCHAR names[COLUMNS][64];
	PDH_RAW_COUNTER newer[COLUMNS], older[COLUMNS];

	memset(value, 0, sizeof(*value));
	if (!v->query->now || (v->type == RATE && !v->query->before))
		return no_value(value, PDH_CSTATUS_INVALID_DATA, PDH_INVALID_DATA);
	values(v, v->query->now, names, newer);
	values(v, v->query->before, names, older);
	return compute(v->type, as, &newer[n], &older[n], value);
}

PDH_FUNCTION PdhGetFormattedCounterValue(PDH_HCOUNTER counter, DWORD as, LPDWORD type, PPDH_FMT_COUNTERVALUE value)
{
	VALUE *v = find(counter, VALUE_NODE);
	WCHAR names[COLUMNS][64];
	PDH_RAW_COUNTER raw[COLUMNS];

	MAY_FAIL();
	if (!v)
		return PDH_INVALID_HANDLE;
	if (type)
		*type = v->type;
	memset(value, 0, sizeof(*value));
	if (values(v, v->query->now, names, raw) == 0)
		return no_value(value, PDH_CSTATUS_NO_INSTANCE, PDH_INVALID_DATA);
	return format(v, as, 0, value);
}

/* array answers with an item of some size for each instance, its name's pointer first. */
static PDH_STATUS array(const VALUE *v, LPDWORD size, LPDWORD count, BYTE *items, DWORD item, DWORD as)
{
	WCHAR names[COLUMNS][64];
	PDH_RAW_COUNTER raw[COLUMNS];
	DWORD n, need;
	LPWSTR to;

	if (!v)
		return PDH_INVALID_HANDLE;
	if (!size || !count)
		return PDH_INVALID_ARGUMENT;
	n = values(v, v->query->now, names, raw);
	need = n * item;
	for (DWORD i = 0; i < n; i++)
		need += (wcslen(names[i]) + 1) * sizeof(WCHAR);
	TRY(ready(need, items, size));
	to = (LPWSTR)(items + n * item);
	*count = mode("count") ? 1000000 : n;
	for (DWORD i = 0; i < n; i++) {
		*(LPWSTR *)(items + i * item) = put(&to, names[i]);
		if (item == sizeof(PDH_RAW_COUNTER_ITEM_W))
			((PPDH_RAW_COUNTER_ITEM_W)items)[i].RawValue = raw[i];
		else
			format(v, as, i, &((PPDH_FMT_COUNTERVALUE_ITEM_W)items)[i].FmtValue);
	}
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhGetRawCounterArrayW(PDH_HCOUNTER counter, LPDWORD size, LPDWORD count, PPDH_RAW_COUNTER_ITEM_W items)
{
	MAY_FAIL();
	return array(find(counter, VALUE_NODE), size, count, (BYTE *)items, sizeof(*items), 0);
}

PDH_FUNCTION PdhGetFormattedCounterArrayW(PDH_HCOUNTER counter, DWORD as, LPDWORD size, LPDWORD count, PPDH_FMT_COUNTERVALUE_ITEM_W items)
{
	MAY_FAIL();
	return array(find(counter, VALUE_NODE), size, count, (BYTE *)items, sizeof(*items), as);
}

/* paths_of lists all counters with machine and instance. */
static void paths_of(LIST *list)
{
	WCHAR path[PATH_UNITS];

	list->n = 0;
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			for (int n = 0; n < (objects[i].multiple ? 3 : 1); n++) {
				PARTS p = {0};

				wcscpy(p.object, objects[i].local);
				wcscpy(p.counter, objects[i].counters[k].local);
				if (objects[i].multiple)
					wcscpy(p.instance, instances[n]);
				join(&p, path, PATH_UNITS);
				add_once(list, path);
			}
}

/* EACH_PATH goes through all paths, taken apart into p. */
#define EACH_PATH(p) \
	LIST all; \
	paths_of(&all); \
	for (const WCHAR *path = all.text; path < all.text + all.n && split(path, &(p)); path += wcslen(path) + 1)

PDH_FUNCTION PdhEnumObjectsW(LPCWSTR source, LPCWSTR machine, LPWSTR to, LPDWORD size, DWORD detail, WINBOOL refresh)
{
	LIST list = {0};
	PARTS p;

	(void)refresh;
	MAY_FAIL();
	if (source || (detail & 0xFFFF) != PERF_DETAIL_WIZARD)
		return PDH_INVALID_ARGUMENT;
	if (!known(machine))
		return PDH_CSTATUS_NO_MACHINE;
	EACH_PATH(p)
		add_once(&list, p.object);
	return give_list(&list, to, size);
}

PDH_FUNCTION PdhEnumObjectItemsW(LPCWSTR source, LPCWSTR machine, LPCWSTR object, LPWSTR counters, LPDWORD counters_size,
	LPWSTR to, LPDWORD size, DWORD detail, DWORD flags)
{
	LIST c = {0}, i = {0};
	PDH_STATUS a, b;
	BOOL multiple = FALSE;
	PARTS p;

	MAY_FAIL();
	if (source || !object || flags || detail != PERF_DETAIL_WIZARD)
		return PDH_INVALID_ARGUMENT;
	if (!known(machine))
		return PDH_CSTATUS_NO_MACHINE;
	EACH_PATH(p) {
		WCHAR *index = wcschr(p.instance, L'#');

		if (_wcsicmp(p.object, object))
			continue;
		add_once(&c, p.counter);
		if (index)
			*index = 0; /* each name once */
		if (!p.instance[0])
			continue;
		multiple = TRUE;
		if (!mode("empty"))
			add_once(&i, p.instance);
	}
	if (c.n == 0)
		return PDH_CSTATUS_NO_OBJECT;
	a = give_list(&c, counters, counters_size);
	if (!multiple) {
		*size = 0;
		return a;
	}
	b = i.n ? give_list(&i, to, size) : give(L"\0", 2, to, size);
	return a ? a : b;
}
