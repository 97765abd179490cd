/*
 * A version 1 provider of performance counters for tests (Microsoft Learn,
 * "Creating a Performance Extension DLL"), and a second one in the same
 * library that misbehaves.
 *
 *   7100 Winperf Test    no instances: a constant, 1000 ticks a second, a half
 *   7110 Winperf Group   alpha, beta, Müller
 *   7120 Winperf Member  has parents in 7110, one of which is not there;
 *                        asking for it brings 7110 along
 *   7130 Winperf Costly  only when asked for
 *   7200 Winperf Bad     of the second provider; the environment variable
 *                        WINPERF_BAD says what it does, see bad_modes
 *
 * Wine unloads providers after every query, so nothing here keeps state: what
 * moves is read from the clock.
 */
#include <windows.h>
#include <winperf.h>
#include <wchar.h>

enum { TEST = 7100, GROUP = 7110, MEMBER = 7120, COSTLY = 7130, BAD = 7200 };

/* out is the buffer that objects are written to. What does not fit is counted
 * and not written. */
struct out {
	BYTE *start;
	DWORD room, used, objects;
	PERF_OBJECT_TYPE *object; /* the one being written, NULL when it did not fit */
	DWORD counters, offset;   /* of the object: definitions, and bytes of a counter block */
};

static void *take(struct out *o, DWORD n)
{
	BYTE *p = o->start + o->used;

	o->used += n;
	if (o->used > o->room)
		return NULL;
	memset(p, 0, n);
	return p;
}

static void begin(struct out *o, DWORD title, LONG instances)
{
	PERF_OBJECT_TYPE *t = take(o, sizeof *t);

	o->object = t;
	o->objects++;
	o->counters = 0;
	o->offset = 8;
	if (t == NULL)
		return;
	t->HeaderLength = sizeof *t;
	t->ObjectNameTitleIndex = title;
	t->ObjectHelpTitleIndex = title + 1;
	t->DetailLevel = PERF_DETAIL_NOVICE;
	t->DefaultCounter = -1;
	t->NumInstances = instances;
}

/* counter adds a definition; all values take 8 bytes of the counter block. */
static void counter(struct out *o, DWORD title, DWORD type, DWORD size)
{
	PERF_COUNTER_DEFINITION *c = take(o, sizeof *c);

	if (c != NULL) {
		c->ByteLength = sizeof *c;
		c->CounterNameTitleIndex = title;
		c->CounterHelpTitleIndex = title ? title + 1 : 0;
		c->DetailLevel = PERF_DETAIL_NOVICE;
		c->CounterType = type;
		c->CounterSize = size;
		c->CounterOffset = o->offset;
	}
	o->counters++;
	o->offset += 8;
}

static void defined(struct out *o)
{
	if (o->object == NULL || o->used > o->room)
		return;
	o->object->NumCounters = o->counters;
	o->object->DefinitionLength = sizeof *o->object + o->counters * sizeof(PERF_COUNTER_DEFINITION);
}

/* instance adds an instance, which values follow. */
static PERF_INSTANCE_DEFINITION *instance(struct out *o, const WCHAR *name, DWORD parent_object, DWORD parent)
{
	DWORD text = (DWORD)(wcslen(name) + 1) * sizeof(WCHAR);
	DWORD length = (DWORD)(sizeof(PERF_INSTANCE_DEFINITION) + text + 7) / 8 * 8;
	PERF_INSTANCE_DEFINITION *in = take(o, length);

	if (in == NULL)
		return NULL;
	in->ByteLength = length;
	in->ParentObjectTitleIndex = parent_object;
	in->ParentObjectInstance = parent;
	in->UniqueID = PERF_NO_UNIQUE_ID;
	in->NameOffset = sizeof *in;
	in->NameLength = text;
	memcpy(in + 1, name, text);
	return in;
}

static void values(struct out *o, const ULONGLONG *v)
{
	BYTE *block = take(o, o->offset);

	if (block == NULL)
		return;
	((PERF_COUNTER_BLOCK *)block)->ByteLength = o->offset;
	memcpy(block + 8, v, o->counters * sizeof *v);
}

static void end(struct out *o)
{
	if (o->object != NULL && o->used <= o->room)
		o->object->TotalByteLength = (DWORD)(o->start + o->used - (BYTE *)o->object);
}

/* ticks rises by 1000 a second, by the clock of PerfTime. */
static ULONGLONG ticks(void)
{
	LARGE_INTEGER now, per_second;

	QueryPerformanceCounter(&now);
	QueryPerformanceFrequency(&per_second);
	return (ULONGLONG)now.QuadPart / ((ULONGLONG)per_second.QuadPart / 1000);
}

static void write_test(struct out *o)
{
	ULONGLONG v[] = { 42, 0, 30, 60 };

	v[1] = ticks();
	begin(o, TEST, PERF_NO_INSTANCES);
	counter(o, TEST + 2, PERF_COUNTER_RAWCOUNT, 4);
	counter(o, TEST + 4, PERF_COUNTER_BULK_COUNT, 8);
	counter(o, TEST + 6, PERF_RAW_FRACTION, 4);
	counter(o, 0, PERF_RAW_BASE, 4);
	defined(o);
	values(o, v);
	end(o);
}

static const WCHAR *const groups[] = { L"alpha", L"beta", L"M\u00fcller" };

static void write_group(struct out *o)
{
	begin(o, GROUP, ARRAYSIZE(groups));
	counter(o, GROUP + 2, PERF_COUNTER_LARGE_RAWCOUNT, 8);
	defined(o);
	for (DWORD i = 0; i < ARRAYSIZE(groups); i++) {
		ULONGLONG v = 0x1122334455667700 + i;

		instance(o, groups[i], 0, 0);
		values(o, &v);
	}
	end(o);
}

static void write_member(struct out *o)
{
	static const struct { const WCHAR *name; DWORD parent; } members[] = {
		{ L"one", 0 }, { L"two", 0 }, { L"one", 1 }, { L"one", 1 }, { L"lost", 99 },
	};

	begin(o, MEMBER, ARRAYSIZE(members));
	counter(o, MEMBER + 2, PERF_COUNTER_RAWCOUNT, 4);
	counter(o, MEMBER + 4, PERF_COUNTER_COUNTER, 4);
	defined(o);
	for (DWORD i = 0; i < ARRAYSIZE(members); i++) {
		ULONGLONG v[2] = { i };

		v[1] = (DWORD)ticks();
		instance(o, members[i].name, GROUP, members[i].parent);
		values(o, v);
	}
	end(o);
}

static void write_costly(struct out *o)
{
	ULONGLONG v = 7;

	begin(o, COSTLY, PERF_NO_INSTANCES);
	counter(o, COSTLY + 2, PERF_COUNTER_RAWCOUNT, 4);
	defined(o);
	values(o, &v);
	end(o);
}

/* listed tells whether a title index is one of the words of a query. */
static BOOL listed(const WCHAR *query, DWORD title)
{
	WCHAR word[16];

	wsprintfW(word, L"%u", title);
	for (const WCHAR *w = query; *w != 0;) {
		size_t n = wcscspn(w, L" ");

		if (n == wcslen(word) && wcsncmp(w, word, n) == 0)
			return TRUE;
		w += n;
		w += wcsspn(w, L" ");
	}
	return FALSE;
}

static BOOL wanted(const WCHAR *query, DWORD title, const WCHAR *class)
{
	return lstrcmpiW(query, class) == 0 || listed(query, title);
}

/* deliver ends a call of Collect. */
static DWORD deliver(struct out *o, LPVOID *data, LPDWORD bytes, LPDWORD objects)
{
	*bytes = *objects = 0;
	if (o->used > o->room)
		return ERROR_MORE_DATA;
	*data = o->start + o->used;
	*bytes = o->used;
	*objects = o->objects;
	return ERROR_SUCCESS;
}

__declspec(dllexport) DWORD WINAPI TestOpen(LPWSTR context)
{
	(void)context;
	return ERROR_SUCCESS;
}

__declspec(dllexport) DWORD WINAPI TestCollect(LPWSTR query, LPVOID *data, LPDWORD bytes, LPDWORD objects)
{
	struct out o = { .start = *data, .room = *bytes };

	if (wanted(query, TEST, L"Global"))
		write_test(&o);
	if (wanted(query, GROUP, L"Global") || listed(query, MEMBER))
		write_group(&o);
	if (wanted(query, MEMBER, L"Global"))
		write_member(&o);
	if (wanted(query, COSTLY, L"Costly"))
		write_costly(&o);
	return deliver(&o, data, bytes, objects);
}

__declspec(dllexport) DWORD WINAPI TestClose(void)
{
	return ERROR_SUCCESS;
}

/* What the misbehaving provider does with the object that it has written. */
static void bad_length(struct out *o) { o->object->TotalByteLength = 0; }
static void bad_long(struct out *o) { o->object->TotalByteLength += 1 << 20; }
static void bad_counters(struct out *o) { o->object->NumCounters = 0xffffffff; }
static void bad_instances(struct out *o) { o->object->NumInstances = 0x7fffffff; }
static void bad_definition(struct out *o) { ((PERF_COUNTER_DEFINITION *)(o->object + 1))->ByteLength = 0; }
static void bad_bytes(struct out *o) { o->used += 4096; }
static void bad_objects(struct out *o) { o->objects += 1000; }

static void bad_name(struct out *o) /* no terminator, and half a character */
{
	PERF_INSTANCE_DEFINITION *in = (void *)((BYTE *)o->object + o->object->DefinitionLength);

	memset(in + 1, 0xd8, in->ByteLength - sizeof *in);
	in->NameLength = in->ByteLength - sizeof *in;
}

static void bad_name_length(struct out *o)
{
	((PERF_INSTANCE_DEFINITION *)((BYTE *)o->object + o->object->DefinitionLength))->NameLength = 0x7ffffffe;
}

static void bad_overrun(struct out *o) { memset(o->start + o->room, 0xee, 512); }

static const struct {
	const WCHAR *mode;
	void (*spoil)(struct out *);
} bad_modes[] = {
	{ L"length", bad_length },           /* the object has no length */
	{ L"long", bad_long },               /* the object is longer than the block */
	{ L"counters", bad_counters },       /* it has endless definitions */
	{ L"instances", bad_instances },     /* it has endless instances */
	{ L"definition", bad_definition },   /* a definition has no length */
	{ L"bytes", bad_bytes },             /* it tells more bytes than it wrote */
	{ L"objects", bad_objects },         /* it tells more objects than it wrote */
	{ L"name", bad_name },               /* a name without terminator */
	{ L"namelength", bad_name_length },  /* a name longer than everything */
	{ L"overrun", bad_overrun },         /* it writes behind the buffer */
};

/* bad_mode reads WINPERF_BAD. Further modes are "" (nothing is delivered),
 * "good", "open" (Open fails), "fail" (Collect fails), "crash" (it ends the
 * process), "more" (no buffer is large enough), "many" (300,000 bytes) and
 * "hang" (Collect takes 2 seconds). */
static void bad_mode(WCHAR mode[32])
{
	if (GetEnvironmentVariableW(L"WINPERF_BAD", mode, 32) >= 32)
		mode[0] = 0;
	if (GetLastError() == ERROR_ENVVAR_NOT_FOUND)
		mode[0] = 0;
}

__declspec(dllexport) DWORD WINAPI BadOpen(LPWSTR context)
{
	WCHAR mode[32];

	(void)context;
	SetLastError(ERROR_SUCCESS);
	bad_mode(mode);
	return wcscmp(mode, L"open") == 0 ? ERROR_FILE_NOT_FOUND : ERROR_SUCCESS;
}

__declspec(dllexport) DWORD WINAPI BadCollect(LPWSTR query, LPVOID *data, LPDWORD bytes, LPDWORD objects)
{
	struct out o = { .start = *data, .room = *bytes };
	WCHAR mode[32];
	DWORD instances = 2;
	ULONGLONG v = 1;

	SetLastError(ERROR_SUCCESS);
	bad_mode(mode);
	if (mode[0] == 0 || !wanted(query, BAD, L"Global"))
		return deliver(&o, data, bytes, objects);
	if (wcscmp(mode, L"hang") == 0)
		Sleep(2000);
	if (wcscmp(mode, L"fail") == 0)
		return ERROR_INVALID_PARAMETER;
	if (wcscmp(mode, L"crash") == 0)
		RaiseException(EXCEPTION_ACCESS_VIOLATION, EXCEPTION_NONCONTINUABLE, 0, NULL);
	if (wcscmp(mode, L"many") == 0)
		instances = 300000 / 48;
	begin(&o, BAD, (LONG)instances);
	counter(&o, BAD + 2, PERF_COUNTER_LARGE_RAWCOUNT, 8);
	defined(&o);
	for (DWORD i = 0; i < instances; i++) {
		instance(&o, L"bad", 0, 0);
		values(&o, &v);
	}
	end(&o);
	if (wcscmp(mode, L"more") == 0)
		o.used = 0xffffffff;
	if (o.used <= o.room)
		for (DWORD i = 0; i < ARRAYSIZE(bad_modes); i++)
			if (wcscmp(mode, bad_modes[i].mode) == 0)
				bad_modes[i].spoil(&o);
	return deliver(&o, data, bytes, objects);
}

__declspec(dllexport) DWORD WINAPI BadClose(void)
{
	return ERROR_SUCCESS;
}

#define SERVICES L"SYSTEM\\CurrentControlSet\\Services\\"
#define LANGUAGE L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\007"

static LSTATUS set(const WCHAR *key, const WCHAR *value, DWORD type, const WCHAR *text, DWORD size)
{
	return RegSetKeyValueW(HKEY_LOCAL_MACHINE, key, value, type, text, size);
}

static LSTATUS set_text(const WCHAR *key, const WCHAR *value, const WCHAR *text)
{
	return set(key, value, REG_SZ, text, (DWORD)(wcslen(text) + 1) * sizeof *text);
}

static const WCHAR names[] =
	L"7100\0Winperf Test\0" L"7102\0Constant\0" L"7104\0Ticks/sec\0" L"7106\0Half\0"
	L"7110\0Winperf Group\0" L"7112\0Large\0"
	L"7120\0Winperf Member\0" L"7122\0Position\0" L"7124\0Member Ticks/sec\0"
	L"7130\0Winperf Costly\0" L"7132\0Seven\0"
	L"7200\0Winperf Bad\0" L"7202\0One\0";

static const WCHAR help[] =
	L"7101\0A provider for tests.\0" L"7103\0Always 42.\0" L"7105\0Rises by 1000 a second.\0"
	L"7107\0Always 50 percent.\0" L"7111\0Things that have members.\0"
	L"7121\0Members of groups.\0" L"7131\0An object that is costly.\0";

extern IMAGE_DOS_HEADER __ImageBase;

/*
 * regsvr32 calls this: it writes what Windows wants of an installation, and
 * names in the German table, because Wine makes up the English one and keeps
 * none. On Windows lodctr is what installs names, so use it under Wine only.
 */
__declspec(dllexport) HRESULT WINAPI DllRegisterServer(void)
{
	WCHAR self[MAX_PATH];
	DWORD n = GetModuleFileNameW((HMODULE)&__ImageBase, self, MAX_PATH);
	LSTATUS failed = n == 0 || n == MAX_PATH;

	failed |= set_text(SERVICES L"WinperfTest\\Performance", L"Library", self);
	failed |= set_text(SERVICES L"WinperfTest\\Performance", L"Open", L"TestOpen");
	failed |= set_text(SERVICES L"WinperfTest\\Performance", L"Collect", L"TestCollect");
	failed |= set_text(SERVICES L"WinperfTest\\Performance", L"Close", L"TestClose");
	failed |= set_text(SERVICES L"WinperfBad\\Performance", L"Library", self);
	failed |= set_text(SERVICES L"WinperfBad\\Performance", L"Open", L"BadOpen");
	failed |= set_text(SERVICES L"WinperfBad\\Performance", L"Collect", L"BadCollect");
	failed |= set_text(SERVICES L"WinperfBad\\Performance", L"Close", L"BadClose");
	failed |= set(LANGUAGE, L"Counter", REG_MULTI_SZ, names, sizeof names);
	failed |= set(LANGUAGE, L"Help", REG_MULTI_SZ, help, sizeof help);
	return failed ? E_FAIL : S_OK;
}
