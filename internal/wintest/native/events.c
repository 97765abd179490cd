/*
 * A fake of the calls of wevtapi.dll that read events. The channel "Application"
 * has two events of the provider Microsoft-Windows-Perflib; only the newer one
 * has a message. The environment variable WINPERF_FAKE says:
 *
 *   absent   there is no channel
 *   endless  there is no last event
 *   lost     the log is cleared after the first event
 */
#include <windows.h>
#include <stdlib.h>
#include <wchar.h>

#define FAKE __declspec(dllexport)

#define RESULT ((HANDLE)0x2000)
#define METADATA ((HANDLE)0x2004)
#define EVENT 0x2100 /* + the number of the event */

static LONG handles, next;

/* FakeHandles returns how many handles are open. */
FAKE LONG WINAPI FakeHandles(void) { return handles; }

static BOOL mode(const WCHAR *name)
{
	WCHAR value[32];
	DWORD n = GetEnvironmentVariableW(L"WINPERF_FAKE", value, 32);

	return n > 0 && n < 32 && wcscmp(value, name) == 0;
}

static BOOL fail(DWORD error)
{
	SetLastError(error);
	return FALSE;
}

static HANDLE opened(HANDLE h)
{
	InterlockedIncrement(&handles);
	return h;
}

FAKE HANDLE WINAPI EvtQuery(HANDLE session, LPCWSTR path, LPCWSTR query, DWORD flags)
{
	if (session != NULL || flags != 0x201 || wcsstr(query, L"Microsoft-Windows-Perflib") == NULL) {
		fail(ERROR_INVALID_PARAMETER);
		return NULL;
	}
	if (mode(L"absent") || wcscmp(path, L"Application") != 0) {
		fail(15007); /* ERROR_EVT_CHANNEL_NOT_FOUND */
		return NULL;
	}
	next = 0;
	return opened(RESULT);
}

FAKE HANDLE WINAPI EvtOpenPublisherMetadata(HANDLE session, LPCWSTR name, LPCWSTR file, LCID locale, DWORD flags)
{
	if (session != NULL || file != NULL || locale != 0 || flags != 0 || wcscmp(name, L"Microsoft-Windows-Perflib") != 0) {
		fail(ERROR_FILE_NOT_FOUND);
		return NULL;
	}
	return opened(METADATA);
}

FAKE BOOL WINAPI EvtNext(HANDLE result, DWORD size, HANDLE *events, DWORD timeout, DWORD flags, DWORD *returned)
{
	if (result != RESULT || size != 1 || timeout == 0 || flags != 0)
		return fail(ERROR_INVALID_PARAMETER);
	if (mode(L"lost") && next == 1)
		return fail(ERROR_INVALID_HANDLE);
	if (!mode(L"endless") && next == 2)
		return fail(ERROR_NO_MORE_ITEMS);
	events[0] = opened((HANDLE)(ULONG_PTR)(EVENT + next++));
	*returned = 1;
	return TRUE;
}

/* give writes a text, with its size in units. */
static BOOL give(const WCHAR *text, DWORD room, WCHAR *buffer, DWORD *used)
{
	*used = (DWORD)wcslen(text) + 1;
	if (room < *used)
		return fail(ERROR_INSUFFICIENT_BUFFER);
	wcscpy(buffer, text);
	return TRUE;
}

static const WCHAR head[] =
	L"<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>"
	L"<Provider Name='Microsoft-Windows-Perflib'/><EventID>1008</EventID>"
	L"<TimeCreated SystemTime='2026-11-27T10:20:30.4567890Z'/></System>"
	L"<UserData><EventXML xmlns='Perflib'><param1>WinperfBad</param1><param2>";
static const WCHAR tail[] = L"</param2></EventXML></UserData></Event>";

FAKE BOOL WINAPI EvtRender(HANDLE context, HANDLE event, DWORD flags, DWORD size, WCHAR *buffer, DWORD *used, DWORD *properties)
{
	static WCHAR text[5000];

	if (context != NULL || flags != 1 || properties == NULL || (ULONG_PTR)event < EVENT)
		return fail(ERROR_INVALID_PARAMETER);
	wcscpy(text, head);
	while (wcslen(text) < 4000) /* more than a first buffer */
		wcscat(text, L"fakebad.dll ");
	wcscat(text, tail);
	if (!give(text, size / 2, buffer, used)) {
		*used *= 2;
		return FALSE;
	}
	*used *= 2;
	return TRUE;
}

FAKE BOOL WINAPI EvtFormatMessage(HANDLE metadata, HANDLE event, DWORD id, DWORD count, void *values, DWORD flags, DWORD size, WCHAR *buffer, DWORD *used)
{
	if (metadata != METADATA || id != 0 || count != 0 || values != NULL || flags != 1)
		return fail(ERROR_INVALID_PARAMETER);
	if ((ULONG_PTR)event != EVENT)
		return fail(15027); /* ERROR_EVT_MESSAGE_NOT_FOUND */
	return give(L"The Open procedure failed.\r\n\r\nSee the data.", size, buffer, used);
}

FAKE BOOL WINAPI EvtClose(HANDLE object)
{
	if (object == NULL)
		return fail(ERROR_INVALID_HANDLE);
	InterlockedDecrement(&handles);
	return TRUE;
}
