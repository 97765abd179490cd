/*
 * A fake of advapi32's PerfLib provider functions, whose values nobody can read
 * under Wine: it keeps where the values of each instance are, and FakeValue reads
 * them. The environment variable WINPERF_FAKE names a function that fails with
 * ERROR_ACCESS_DENIED.
 */
#define _ADVAPI32_ /* these are its functions: not to be imported */
#include <windows.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define MAX_COUNTERS 16

/* The structures of perflib.h, which mingw-w64 lacks. */
typedef ULONG (WINAPI *REQUEST)(ULONG code, PVOID buffer, ULONG size);
typedef struct { DWORD size, reserved; REQUEST control; PVOID alloc, free, context; } CONTEXT_EX;
typedef struct { GUID set, provider; ULONG counters, type; } SET_INFO;
typedef struct { ULONG id, type; ULONGLONG attributes; ULONG size, detail; LONG scale; ULONG offset; } COUNTER_INFO;

typedef struct instance {
	struct instance *next;
	GUID set;
	WCHAR name[64];
	ULONG id;
	const void *values[MAX_COUNTERS];
} INSTANCE;

static INSTANCE *instances;
static REQUEST control;
static LONG providers, sets;

static BOOL fails(const WCHAR *name)
{
	WCHAR value[64];
	DWORD n = GetEnvironmentVariableW(L"WINPERF_FAKE", value, 64);

	return n > 0 && n < 64 && wcscmp(value, name) == 0;
}

__declspec(dllexport) ULONG WINAPI PerfStartProviderEx(GUID *id, CONTEXT_EX *context, HANDLE *provider)
{
	if (fails(L"PerfStartProviderEx"))
		return ERROR_ACCESS_DENIED;
	if (id == NULL || context->size != sizeof *context || context->reserved != 0)
		return ERROR_INVALID_PARAMETER;
	control = context->control;
	providers++;
	*provider = (HANDLE)(ULONG_PTR)0x77;
	return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI PerfSetCounterSetInfo(HANDLE provider, SET_INFO *info, ULONG size)
{
	const COUNTER_INFO *c = (const COUNTER_INFO *)(info + 1);

	if (fails(L"PerfSetCounterSetInfo"))
		return ERROR_ACCESS_DENIED;
	if (provider != (HANDLE)(ULONG_PTR)0x77 || size != sizeof *info + info->counters * sizeof *c)
		return ERROR_INVALID_PARAMETER;
	for (ULONG i = 0; i < info->counters; i++)
		if (!(c[i].attributes & 1) || c[i].id >= MAX_COUNTERS || c[i].size != sizeof(void *))
			return ERROR_INVALID_PARAMETER;
	sets++;
	return ERROR_SUCCESS;
}

__declspec(dllexport) INSTANCE *WINAPI PerfCreateInstance(HANDLE provider, const GUID *set, LPCWSTR name, ULONG id)
{
	INSTANCE *in;

	(void)provider;
	SetLastError(ERROR_ACCESS_DENIED);
	if (fails(L"PerfCreateInstance"))
		return NULL;
	SetLastError(ERROR_ALREADY_EXISTS);
	for (in = instances; in != NULL; in = in->next)
		if (IsEqualGUID(&in->set, set) && _wcsicmp(in->name, name) == 0 && in->id == id)
			return NULL;
	in = calloc(1, sizeof *in);
	in->set = *set;
	wcsncpy(in->name, name, 63);
	in->id = id;
	in->next = instances;
	instances = in;
	return in;
}

__declspec(dllexport) ULONG WINAPI PerfSetCounterRefValue(HANDLE provider, INSTANCE *in, ULONG id, PVOID address)
{
	(void)provider;
	if (fails(L"PerfSetCounterRefValue"))
		return ERROR_ACCESS_DENIED;
	if (id >= MAX_COUNTERS)
		return ERROR_INVALID_PARAMETER;
	in->values[id] = address;
	return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI PerfDeleteInstance(HANDLE provider, INSTANCE *gone)
{
	(void)provider;
	for (INSTANCE **in = &instances; *in != NULL; in = &(*in)->next)
		if (*in == gone) {
			*in = gone->next;
			free(gone);
			return ERROR_SUCCESS;
		}
	return ERROR_INVALID_PARAMETER;
}

__declspec(dllexport) ULONG WINAPI PerfStopProvider(HANDLE provider)
{
	(void)provider;
	providers--;
	sets = 0;
	return ERROR_SUCCESS;
}

/* FakeProviders, FakeSets and FakeInstances return how many there are. */
__declspec(dllexport) LONG WINAPI FakeProviders(void) { return providers; }
__declspec(dllexport) LONG WINAPI FakeSets(void) { return sets; }

__declspec(dllexport) LONG WINAPI FakeInstances(void)
{
	LONG n = 0;

	for (INSTANCE *in = instances; in != NULL; in = in->next)
		n++;
	return n;
}

/* FakeValue reads a counter as the system would: it tells the provider first. */
__declspec(dllexport) LONG WINAPI FakeValue(LPCWSTR name, ULONG id, ULONG counter, ULONG size, ULONGLONG *value)
{
	*value = 0;
	if (control != NULL)
		control(5, NULL, 0);
	for (INSTANCE *in = instances; in != NULL; in = in->next)
		if (wcscmp(in->name, name) == 0 && in->id == id && counter < MAX_COUNTERS && in->values[counter] != NULL) {
			memcpy(value, in->values[counter], size);
			return TRUE;
		}
	return FALSE;
}
