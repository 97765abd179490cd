/*
 * A fake of pdh.dll, most of which ends the process in Wine 8.0. It has another
 * name, because a library that is loaded already is found by its bare name. Its
 * machine has two objects: "Prozess" ("Process" in English) with the instances
 * idle, svchost and svchost#1, whose counter "Handles" ("Handle Count") is a
 * number and "E/A pro s" ("IO/sec") a rate, and "Speicher" ("Memory") without
 * instances, with the counter "Bytes", and "Text", which nothing can be computed
 * of. Values follow from the number of collections, which are a second apart.
 * Logs are files that only this library reads: see fakepdhlog.h.
 *
 * The environment variable WINPERF_FAKE names a function that fails with
 * PDH_ACCESS_DENIED, or with another status (PdhOpenLogW=C0000BBB), or says:
 *
 *   pointer  names stand outside their buffers, callbacks get a wrong argument
 *   count    arrays and records claim more items than there is room for
 *   size     texts, records and ranges claim to be longer than their buffers
 *   endless  arrays, texts, records and ranges need more for ever
 *   unending texts lack their end
 *   empty    there are no instances at the moment
 *   room     dialogs want a buffer of 10,000 units
 *   cancel   whoever sees a dialog cancels it
 *   title    whoever sees a dialog for counters cancels it, unless "Counters" is its title
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
typedef enum { QUERY_NODE, VALUE_NODE, LOG_NODE, SOURCE_NODE } KIND;
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

/* What a log holds, and what the file of a log holds up to its last record. */
enum { COLUMNS = 8, PATH_UNITS = 96, RECORDS = 64, STRING_UNITS = 32 };

typedef struct {
	LONGLONG time;
	WCHAR comment[STRING_UNITS];
	PDH_RAW_COUNTER values[COLUMNS];
} RECORD;

typedef struct {
	char magic[8];
	DWORD type, columns, n, catalogs;
	WCHAR caption[STRING_UNITS];
	WCHAR paths[COLUMNS][PATH_UNITS];
	DWORD types[COLUMNS];
	RECORD records[RECORDS];
} LOGDATA;

typedef struct {
	NODE node;
	LOGDATA *data;          /* NULL: live counters */
	LONGLONG from, to;      /* the records that are read */
	DWORD next;             /* the record that is read next */
	LONG now, before;       /* the samples: since the first, or records from 1; 0 is none */
	HANDLE timer, event;    /* of PdhCollectQueryDataEx */
} QUERY;

typedef struct {
	NODE node;
	QUERY *query;
	PARTS parts;
	const OBJECT *object;   /* NULL where the query reads a log */
	const COUNTER *counter;
	DWORD type;
	LONG scale;
} VALUE;

/* by_name and by_handle find the data of a source, NULL for live counters. */
static PDH_STATUS by_name(LPCWSTR source, const LOGDATA **data);
static PDH_STATUS by_handle(PDH_HLOG source, const LOGDATA **data);

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
	const LOGDATA *data = v->query->data;
	DWORD n = 0;

	for (DWORD c = 0; data && c < data->columns; c++) {
		PARTS p;

		if (!split(data->paths[c], &p) || !match(v->parts.object, p.object) || !match(v->parts.counter, p.counter) ||
			!match(v->parts.instance, p.instance))
			continue;
		wcscpy(names[n], p.instance);
		if (sample)
			raw[n] = data->records[sample - 1].values[c];
		n++;
	}
	if (data)
		return n;
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
 * a value, PDH_NO_MORE_DATA behind the last record. */
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
	if (!q->data) {
		q->before = q->now;
		q->now = InterlockedIncrement(&samples);
		return ERROR_SUCCESS;
	}
	while (q->next < q->data->n && q->data->records[q->next].time < q->from)
		q->next++;
	if (q->next >= q->data->n || q->data->records[q->next].time > q->to)
		return PDH_NO_MORE_DATA;
	q->before = q->now;
	q->now = ++q->next;
	return ERROR_SUCCESS;
}

static PDH_STATUS open_query(const LOGDATA *data, DWORD_PTR user, PDH_HQUERY *query)
{
	QUERY *q;

	if (user || !query)
		return PDH_INVALID_ARGUMENT;
	q = create(QUERY_NODE, sizeof(*q));
	q->to = MAXLONGLONG;
	if (data) { /* a query outlives its source */
		q->data = malloc(sizeof(*data));
		*q->data = *data;
	}
	*query = q;
	return ERROR_SUCCESS;
}

/* stop ends what PdhCollectQueryDataEx began. */
static void stop(QUERY *q)
{
	if (q->timer)
		(void)DeleteTimerQueueTimer(NULL, q->timer, INVALID_HANDLE_VALUE);
	q->timer = NULL;
}

/* close_query frees a query and all of its counters. */
static void close_query(QUERY *q)
{
	stop(q);
	for (NODE *n = nodes, *next; n; n = next) {
		next = n->next;
		if (n->kind == VALUE_NODE && ((VALUE *)n)->query == q)
			drop(n);
	}
	free(q->data);
	drop(q);
}

PDH_FUNCTION PdhGetDllVersion(LPDWORD version)
{
	MAY_FAIL();
	*version = PDH_VERSION;
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhOpenQueryW(LPCWSTR source, DWORD_PTR user, PDH_HQUERY *query)
{
	const LOGDATA *data;

	MAY_FAIL();
	TRY(by_name(source, &data));
	return open_query(data, user, query);
}

PDH_FUNCTION PdhOpenQueryH(PDH_HLOG source, DWORD_PTR user, PDH_HQUERY *query)
{
	const LOGDATA *data;

	MAY_FAIL();
	TRY(by_handle(source, &data));
	return open_query(data, user, query);
}

PDH_FUNCTION PdhCloseQuery(PDH_HQUERY query)
{
	MAY_FAIL();
	if (!find(query, QUERY_NODE))
		return PDH_INVALID_HANDLE;
	close_query(query);
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhCollectQueryData(PDH_HQUERY query)
{
	QUERY *q = find(query, QUERY_NODE);

	MAY_FAIL();
	return q ? collect(q) : (PDH_STATUS)PDH_INVALID_HANDLE;
}

PDH_FUNCTION PdhCollectQueryDataWithTime(PDH_HQUERY query, LONGLONG *time)
{
	QUERY *q = find(query, QUERY_NODE);

	MAY_FAIL();
	if (!q)
		return PDH_INVALID_HANDLE;
	TRY(collect(q));
	*time = q->data ? q->data->records[q->now - 1].time : EPOCH + q->now * SECOND;
	return ERROR_SUCCESS;
}

/* tick runs in a thread of its own, while the caller waits for the event. */
static void CALLBACK tick(PVOID query, BOOLEAN fired)
{
	QUERY *q = query;

	(void)fired;
	if (!collect(q))
		SetEvent(q->event);
}

PDH_FUNCTION PdhCollectQueryDataEx(PDH_HQUERY query, DWORD seconds, HANDLE event)
{
	QUERY *q = find(query, QUERY_NODE);

	MAY_FAIL();
	if (!q)
		return PDH_INVALID_HANDLE;
	if (!seconds || !event)
		return PDH_INVALID_ARGUMENT;
	stop(q);
	q->event = event;
	return CreateTimerQueueTimer(&q->timer, NULL, tick, q, seconds * 1000, seconds * 1000, 0) ? ERROR_SUCCESS : GetLastError();
}

__declspec(dllexport) WINBOOL WINAPI PdhIsRealTimeQuery(PDH_HQUERY query)
{
	QUERY *q = find(query, QUERY_NODE);

	return q && !q->data;
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

/* look_up_log finds the counter of a path in a log. */
static PDH_STATUS look_up_log(VALUE *v, const LOGDATA *data)
{
	PDH_STATUS status = PDH_CSTATUS_NO_OBJECT;

	for (DWORD c = 0; c < data->columns; c++) {
		PARTS p;

		if (!split(data->paths[c], &p) || !match(v->parts.object, p.object))
			continue;
		status = PDH_CSTATUS_NO_COUNTER;
		if (match(v->parts.counter, p.counter)) {
			v->type = data->types[c];
			return ERROR_SUCCESS;
		}
	}
	return status;
}

static PDH_STATUS check(LPCWSTR path, const LOGDATA *data, BOOL english, VALUE *v)
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
	return data ? look_up_log(v, data) : look_up(v, english);
}

static PDH_STATUS add(PDH_HQUERY query, LPCWSTR path, DWORD_PTR user, BOOL english, PDH_HCOUNTER *counter)
{
	QUERY *q = find(query, QUERY_NODE);
	VALUE v = {0}, *added;

	if (!q)
		return PDH_INVALID_HANDLE;
	if (user || !counter)
		return PDH_INVALID_ARGUMENT;
	TRY(check(path, q->data, english, &v));
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
	if (v->object) { /* in the system's language */
		wcscpy(p.object, v->object->local);
		wcscpy(p.counter, v->counter->local);
	}
	join(&p, path, PATH_UNITS);
	memset(info, 0, sizeof(*info));
	info->dwLength = need;
	info->dwType = v->type;
	info->lScale = v->scale;
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

PDH_FUNCTION PdhSetCounterScaleFactor(PDH_HCOUNTER counter, LONG factor)
{
	VALUE *v = find(counter, VALUE_NODE);

	MAY_FAIL();
	if (!v)
		return PDH_INVALID_HANDLE;
	if (factor < PDH_MIN_SCALE || factor > PDH_MAX_SCALE)
		return PDH_INVALID_ARGUMENT;
	v->scale = factor;
	return ERROR_SUCCESS;
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
static PDH_STATUS compute(DWORD type, DWORD as, LONGLONG base, const PDH_RAW_COUNTER *newer, const PDH_RAW_COUNTER *older,
	PPDH_FMT_COUNTERVALUE value)
{
	double v;

	memset(value, 0, sizeof(*value));
	if (!newer || (type == RATE && !older))
		return PDH_INVALID_ARGUMENT;
	if (newer->CStatus > PDH_CSTATUS_NEW_DATA || (older && older->CStatus > PDH_CSTATUS_NEW_DATA))
		return no_value(value, PDH_CSTATUS_INVALID_DATA, PDH_INVALID_DATA);
	if (type == RATE) {
		if (base < 0)
			return no_value(value, PDH_CALC_NEGATIVE_TIMEBASE, PDH_CALC_NEGATIVE_TIMEBASE);
		if (newer->SecondValue <= older->SecondValue)
			return no_value(value, PDH_CALC_NEGATIVE_DENOMINATOR, PDH_CALC_NEGATIVE_DENOMINATOR);
		if (newer->FirstValue < older->FirstValue)
			return no_value(value, PDH_CALC_NEGATIVE_VALUE, PDH_CALC_NEGATIVE_VALUE);
		v = (double)(newer->FirstValue - older->FirstValue) * base / (newer->SecondValue - older->SecondValue);
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
	TRY(compute(v->type, as, FREQUENCY, &newer[n], &older[n], value));
	for (LONG i = v->scale; i > 0 && (as & PDH_FMT_DOUBLE) && !(as & PDH_FMT_NOSCALE); i--)
		value->doubleValue *= 10;
	return ERROR_SUCCESS;
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

PDH_FUNCTION PdhCalculateCounterFromRawValue(PDH_HCOUNTER counter, DWORD as, PPDH_RAW_COUNTER newer, PPDH_RAW_COUNTER older,
	PPDH_FMT_COUNTERVALUE value)
{
	VALUE *v = find(counter, VALUE_NODE);

	MAY_FAIL();
	return v ? compute(v->type, as, FREQUENCY, newer, older, value) : (PDH_STATUS)PDH_INVALID_HANDLE;
}

PDH_FUNCTION PdhFormatFromRawValue(DWORD type, DWORD as, LONGLONG *base, PPDH_RAW_COUNTER newer, PPDH_RAW_COUNTER older,
	PPDH_FMT_COUNTERVALUE value)
{
	MAY_FAIL();
	return base ? compute(type, as, *base, newer, older, value) : (PDH_STATUS)PDH_INVALID_ARGUMENT;
}

PDH_FUNCTION PdhComputeCounterStatistics(PDH_HCOUNTER counter, DWORD as, DWORD first, DWORD count, PPDH_RAW_COUNTER ring, PPDH_STATISTICS data)
{
	VALUE *v = find(counter, VALUE_NODE);

	MAY_FAIL();
	if (!v)
		return PDH_INVALID_HANDLE;
	if (first >= count || !ring || as != PDH_FMT_LARGE)
		return PDH_INVALID_ARGUMENT;
	memset(data, 0, sizeof(*data));
	data->dwFormat = as;
	for (DWORD i = v->type == RATE; i < count; i++) {
		PPDH_RAW_COUNTER newer = &ring[(first + i) % count], older = &ring[(first + i - (v->type == RATE)) % count];
		PDH_FMT_COUNTERVALUE f;

		if (compute(v->type, as, FREQUENCY, newer, older, &f))
			continue;
		if (data->count++ == 0)
			data->min = data->max = f;
		data->min.largeValue = min(data->min.largeValue, f.largeValue);
		data->max.largeValue = max(data->max.largeValue, f.largeValue);
		data->mean.largeValue += f.largeValue;
	}
	if (data->count == 0)
		return PDH_INVALID_DATA;
	data->mean.largeValue /= data->count;
	return ERROR_SUCCESS;
}

/* paths_of lists all counters of a source with machine and instance. */
static void paths_of(const LOGDATA *data, LIST *list)
{
	WCHAR path[PATH_UNITS];

	list->n = 0;
	for (DWORD c = 0; data && c < data->columns; c++)
		add_once(list, data->paths[c]);
	for (int i = 0; !data && i < 2; i++)
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

/* EACH_PATH goes through the paths of a source, taken apart into p. */
#define EACH_PATH(data, p) \
	LIST all; \
	paths_of(data, &all); \
	for (const WCHAR *path = all.text; path < all.text + all.n && split(path, &(p)); path += wcslen(path) + 1)

static PDH_STATUS enum_machines(const LOGDATA *data, LPWSTR to, LPDWORD size)
{
	LIST list = {0};
	PARTS p;

	EACH_PATH(data, p) {
		WCHAR machine[40] = L"\\\\";

		add_once(&list, wcscat(machine, p.machine));
	}
	return give_list(&list, to, size);
}

static PDH_STATUS enum_objects(const LOGDATA *data, LPCWSTR machine, LPWSTR to, LPDWORD size, DWORD detail)
{
	LIST list = {0};
	PARTS p;

	if ((detail & 0xFFFF) != PERF_DETAIL_WIZARD)
		return PDH_INVALID_ARGUMENT;
	if (!known(machine))
		return PDH_CSTATUS_NO_MACHINE;
	EACH_PATH(data, p)
		add_once(&list, p.object);
	return give_list(&list, to, size);
}

static PDH_STATUS enum_items(const LOGDATA *data, LPCWSTR machine, LPCWSTR object, LPWSTR counters, LPDWORD counters_size,
	LPWSTR to, LPDWORD size, DWORD detail, DWORD flags)
{
	LIST c = {0}, i = {0};
	PDH_STATUS a, b;
	BOOL multiple = FALSE;
	PARTS p;

	if (!object || flags || detail != PERF_DETAIL_WIZARD)
		return PDH_INVALID_ARGUMENT;
	if (!known(machine))
		return PDH_CSTATUS_NO_MACHINE;
	EACH_PATH(data, p) {
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

static PDH_STATUS expand(const LOGDATA *data, LPCWSTR path, LPWSTR to, LPDWORD size, DWORD flags)
{
	LIST list = {0};
	PDH_STATUS none = PDH_CSTATUS_NO_OBJECT;
	PARTS pattern, p;

	if (!path || flags & ~(DWORD)(PDH_NOEXPANDCOUNTERS | PDH_NOEXPANDINSTANCES | PDH_REFRESHCOUNTERS))
		return PDH_INVALID_ARGUMENT;
	if (!split(path, &pattern))
		return PDH_INVALID_PATH;
	if (!known(pattern.machine))
		return PDH_CSTATUS_NO_MACHINE;
	EACH_PATH(data, p) {
		WCHAR expanded[PATH_UNITS];

		if (!match(pattern.object, p.object))
			continue;
		none = PDH_INVALID_PATH; /* an instance where the object has none, or the reverse */
		if (!p.instance[0] != !pattern.instance[0] || !match(pattern.instance, p.instance) || !match(pattern.counter, p.counter))
			continue;
		if (flags & PDH_NOEXPANDINSTANCES)
			wcscpy(p.instance, pattern.instance);
		if (flags & PDH_NOEXPANDCOUNTERS)
			wcscpy(p.counter, pattern.counter);
		join(&p, expanded, PATH_UNITS);
		add_once(&list, expanded);
	}
	return list.n ? give_list(&list, to, size) : none;
}

/* first answers with the name of the first object, or of its first counter. */
static PDH_STATUS first(const LOGDATA *data, LPCWSTR machine, LPCWSTR object, LPWSTR name, LPDWORD size)
{
	PARTS p;

	if (!known(machine))
		return PDH_CSTATUS_NO_MACHINE;
	EACH_PATH(data, p) {
		if (!object)
			return give(p.object, wcslen(p.object) + 1, name, size);
		if (!_wcsicmp(p.object, object))
			return give(p.counter, wcslen(p.counter) + 1, name, size);
	}
	return PDH_CSTATUS_NO_OBJECT;
}

/* Each of these has a form for a file's name and one for a handle. */
#define OF_SOURCE(find_source) \
	const LOGDATA *data; \
	MAY_FAIL(); \
	TRY(find_source(source, &data))

PDH_FUNCTION PdhEnumMachinesW(LPCWSTR source, LPWSTR list, LPDWORD size)
{
	OF_SOURCE(by_name);
	return enum_machines(data, list, size);
}

PDH_FUNCTION PdhEnumMachinesHW(PDH_HLOG source, LPWSTR list, LPDWORD size)
{
	OF_SOURCE(by_handle);
	return enum_machines(data, list, size);
}

PDH_FUNCTION PdhEnumObjectsW(LPCWSTR source, LPCWSTR machine, LPWSTR list, LPDWORD size, DWORD detail, WINBOOL refresh)
{
	OF_SOURCE(by_name);
	(void)refresh;
	return enum_objects(data, machine, list, size, detail);
}

PDH_FUNCTION PdhEnumObjectsHW(PDH_HLOG source, LPCWSTR machine, LPWSTR list, LPDWORD size, DWORD detail, WINBOOL refresh)
{
	OF_SOURCE(by_handle);
	(void)refresh;
	return enum_objects(data, machine, list, size, detail);
}

PDH_FUNCTION PdhEnumObjectItemsW(LPCWSTR source, LPCWSTR machine, LPCWSTR object, LPWSTR counters, LPDWORD counters_size,
	LPWSTR list, LPDWORD size, DWORD detail, DWORD flags)
{
	OF_SOURCE(by_name);
	return enum_items(data, machine, object, counters, counters_size, list, size, detail, flags);
}

PDH_FUNCTION PdhEnumObjectItemsHW(PDH_HLOG source, LPCWSTR machine, LPCWSTR object, LPWSTR counters, LPDWORD counters_size,
	LPWSTR list, LPDWORD size, DWORD detail, DWORD flags)
{
	OF_SOURCE(by_handle);
	return enum_items(data, machine, object, counters, counters_size, list, size, detail, flags);
}

PDH_FUNCTION PdhExpandWildCardPathW(LPCWSTR source, LPCWSTR path, LPWSTR list, LPDWORD size, DWORD flags)
{
	OF_SOURCE(by_name);
	return expand(data, path, list, size, flags);
}

PDH_FUNCTION PdhExpandWildCardPathHW(PDH_HLOG source, LPCWSTR path, LPWSTR list, LPDWORD size, DWORD flags)
{
	OF_SOURCE(by_handle);
	return expand(data, path, list, size, flags);
}

PDH_FUNCTION PdhExpandCounterPathW(LPCWSTR path, LPWSTR list, LPDWORD size)
{
	MAY_FAIL();
	return expand(NULL, path, list, size, 0);
}

PDH_FUNCTION PdhGetDefaultPerfObjectW(LPCWSTR source, LPCWSTR machine, LPWSTR name, LPDWORD size)
{
	OF_SOURCE(by_name);
	return first(data, machine, NULL, name, size);
}

PDH_FUNCTION PdhGetDefaultPerfObjectHW(PDH_HLOG source, LPCWSTR machine, LPWSTR name, LPDWORD size)
{
	OF_SOURCE(by_handle);
	return first(data, machine, NULL, name, size);
}

PDH_FUNCTION PdhGetDefaultPerfCounterW(LPCWSTR source, LPCWSTR machine, LPCWSTR object, LPWSTR name, LPDWORD size)
{
	OF_SOURCE(by_name);
	return object ? first(data, machine, object, name, size) : (PDH_STATUS)PDH_INVALID_ARGUMENT;
}

PDH_FUNCTION PdhGetDefaultPerfCounterHW(PDH_HLOG source, LPCWSTR machine, LPCWSTR object, LPWSTR name, LPDWORD size)
{
	OF_SOURCE(by_handle);
	return object ? first(data, machine, object, name, size) : (PDH_STATUS)PDH_INVALID_ARGUMENT;
}

PDH_FUNCTION PdhConnectMachineW(LPCWSTR machine)
{
	MAY_FAIL();
	return known(machine) ? ERROR_SUCCESS : PDH_CSTATUS_NO_MACHINE;
}

/* validate checks a path as adding it does, and that its instance is there. */
static PDH_STATUS validate(const LOGDATA *data, LPCWSTR path)
{
	VALUE v = {0};
	PARTS p;

	TRY(check(path, data, FALSE, &v));
	EACH_PATH(data, p)
		if (match(v.parts.object, p.object) && match(v.parts.counter, p.counter) && match(v.parts.instance, p.instance))
			return ERROR_SUCCESS;
	return PDH_CSTATUS_NO_INSTANCE;
}

PDH_FUNCTION PdhValidatePathW(LPCWSTR path)
{
	MAY_FAIL();
	return validate(NULL, path);
}

PDH_FUNCTION PdhValidatePathExW(PDH_HLOG source, LPCWSTR path)
{
	OF_SOURCE(by_handle);
	return validate(data, path);
}

PDH_FUNCTION PdhLookupPerfNameByIndexW(LPCWSTR machine, DWORD index, LPWSTR name, LPDWORD size)
{
	MAY_FAIL();
	if (!known(machine))
		return PDH_CSTATUS_NO_MACHINE;
	return index == 230 ? give(L"Prozess", 8, name, size) : (PDH_STATUS)PDH_STRING_NOT_FOUND;
}

PDH_FUNCTION PdhLookupPerfIndexByNameW(LPCWSTR machine, LPCWSTR name, LPDWORD index)
{
	MAY_FAIL();
	if (!name)
		return PDH_INVALID_ARGUMENT;
	if (!known(machine))
		return PDH_CSTATUS_NO_MACHINE;
	*index = 230;
	return _wcsicmp(name, L"Prozess") ? PDH_STRING_NOT_FOUND : ERROR_SUCCESS;
}

PDH_FUNCTION PdhMakeCounterPathW(PPDH_COUNTER_PATH_ELEMENTS_W e, LPWSTR path, LPDWORD size, DWORD flags)
{
	WCHAR text[512];
	int n;

	MAY_FAIL();
	if (flags || !e->szObjectName || !e->szCounterName || wcslen(e->szObjectName) > 64 || wcslen(e->szCounterName) > 64)
		return PDH_INVALID_ARGUMENT;
	n = swprintf(text, 512, L"%ls\\%ls", e->szMachineName ? e->szMachineName : L"", e->szObjectName);
	if (e->szInstanceName) /* else there is no parent and no index either */
		n += swprintf(text + n, 512 - n, L"(%ls%ls%ls#%u)", e->szParentInstance ? e->szParentInstance : L"",
			e->szParentInstance ? L"/" : L"", e->szInstanceName, (unsigned)e->dwInstanceIndex);
	n += swprintf(text + n, 512 - n, L"\\%ls", e->szCounterName);
	return give(text, n + 1, path, size);
}

/* split_instance takes parent/name#index apart. */
static PDH_STATUS split_instance(LPCWSTR text, WCHAR *name, WCHAR *parent, DWORD *index)
{
	const WCHAR *slash = wcschr(text, L'/');
	WCHAR *hash;

	if (!*text || wcslen(text) >= 64)
		return PDH_INVALID_INSTANCE;
	*parent = 0;
	if (slash) {
		wcsncpy(parent, text, slash - text);
		parent[slash - text] = 0;
	}
	wcscpy(name, slash ? slash + 1 : text);
	*index = 0;
	hash = wcschr(name, L'#');
	if (hash) {
		*index = wcstoul(hash + 1, NULL, 10);
		*hash = 0;
	}
	return *name ? ERROR_SUCCESS : PDH_INVALID_INSTANCE;
}

PDH_FUNCTION PdhParseCounterPathW(LPCWSTR path, PPDH_COUNTER_PATH_ELEMENTS_W e, LPDWORD size, DWORD flags)
{
	LPWSTR to = (LPWSTR)(e + 1);
	WCHAR name[64], parent[64], machine[40] = L"\\\\";
	PARTS p;

	MAY_FAIL();
	if (flags || !path)
		return PDH_INVALID_ARGUMENT;
	if (!split(path, &p) || (p.instance[0] && split_instance(p.instance, name, parent, &(DWORD){0})))
		return PDH_INVALID_PATH;
	TRY(ready(sizeof(*e) + 512, e, size));
	memset(e, 0, sizeof(*e));
	if (p.machine[0])
		e->szMachineName = put(&to, wcscat(machine, p.machine));
	e->szObjectName = put(&to, p.object);
	if (p.instance[0]) {
		split_instance(p.instance, name, parent, &e->dwInstanceIndex);
		e->szInstanceName = put(&to, name);
		if (*parent)
			e->szParentInstance = put(&to, parent);
	}
	e->szCounterName = put(&to, p.counter);
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhParseInstanceNameW(LPCWSTR text, LPWSTR name, LPDWORD size, LPWSTR parent, LPDWORD parent_size, LPDWORD index)
{
	WCHAR n[64], p[64];
	PDH_STATUS a, b;

	MAY_FAIL();
	if (!text)
		return PDH_INVALID_ARGUMENT;
	TRY(split_instance(text, n, p, index));
	a = give(n, wcslen(n) + 1, name, size);
	b = give(p, wcslen(p) + 1, parent, parent_size);
	return a ? a : b;
}

PDH_FUNCTION PdhSetDefaultRealTimeDataSource(DWORD source)
{
	MAY_FAIL();
	if (source != DATA_SOURCE_REGISTRY && source != DATA_SOURCE_WBEM)
		return PDH_INVALID_ARGUMENT;
	for (NODE *n = nodes; n; n = n->next)
		if (n->kind == QUERY_NODE)
			return PDH_CANNOT_SET_DEFAULT_REALTIME_DATASOURCE;
	return ERROR_SUCCESS;
}

#include "fakepdhlog.h"
