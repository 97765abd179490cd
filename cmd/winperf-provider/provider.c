/*
 * A version 1 provider of performance counters (Microsoft Learn, "Creating a
 * Performance Extension DLL") that delivers what programs publish below
 * %ProgramData%\winperf\published. Linkage\Export names the drivers to serve.
 *
 * Every Collect reads the files anew, into memory of its own: nothing is mapped, so
 * nothing that a publisher does can cause a fault here. Files are opened so that no
 * publisher can make the host wait, act in its name or lead it elsewhere.
 */
#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0602 /* Windows 8 */
#include <windows.h>
#include <aclapi.h>
#include <sddl.h>
#include <winternl.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core.h"
#include "layout.h"

#define DIRECTORY L"%ProgramData%\\winperf"
#define SUBDIRECTORY L"published"
#define SUFFIX L".winperf"
#define SERVICES L"SYSTEM\\CurrentControlSet\\Services\\"
#define MAX_DRIVERS 32
#define MAX_DRIVER 128 /* characters of a driver's name */
#define MAX_ENTRIES (4 * WP_MaxFiles) /* of the directory, those that are no publisher's included */
#define LIMIT L"Answer Limit" /* value of the Performance key: the most bytes of an answer */
#define DEFAULT_LIMIT (4u << 20)
#define PUBLISHERS L"Publishers" /* value of the Performance key: further accounts whose files count */
#define MAX_PUBLISHERS 64
#define MAX_REPORTS 64 /* of accounts whose files are left out */
#define REPORT 512 /* characters of such a report */
#define START 4096 /* bytes of a file that hold the driver's name, behind the header */
/* Bytes that are read of all files together. */
#define READ_LIMIT (4ull * max(limit, 1u << 20))

_Static_assert(sizeof(WCHAR) == sizeof(uint16_t), "names are UTF-16");

static SRWLOCK lock = SRWLOCK_INIT; /* guards all but told */
static DWORD opens;
static struct wp_driver drivers[MAX_DRIVERS];
static WCHAR names[MAX_DRIVERS][MAX_DRIVER];
static DWORD driver_count;
static struct publishers {
	DWORD count;
	BYTE sids[MAX_PUBLISHERS][SECURITY_MAX_SID_SIZE];
} *publishers[MAX_DRIVERS];
static uint32_t limit; /* bytes of an answer: the most that one of the drivers allows */
static struct wp_owners owners;
static BYTE (*accounts)[SECURITY_MAX_SID_SIZE]; /* of the files of the last answer */
static WCHAR reports[MAX_REPORTS][REPORT]; /* accounts whose files are left out, each once */
static DWORD report_count;
static volatile LONG told; /* troubles, a bit for each */

/* What the event log says, for people: there is no message file. */
static const WCHAR *const texts[WP_TROUBLES] = {
	[WP_BAD_HEADER] = L"A published file is damaged or of another version, and is left out.",
	[WP_BAD_OBJECT] = L"A published object contradicts itself or what lodctr has installed, and is left out.",
	[WP_BAD_SLOT] = L"A published instance contradicts itself, and is left out.",
	[WP_OTHER_COUNTERS] = L"Two processes publish an object with different counters. "
		L"That of the older file is shown.",
	[WP_SECOND_SINGLE] = L"Two processes publish an object without instances. "
		L"That of the older file is shown.",
	[WP_NO_MEMORY] = L"There is not enough memory to deliver the published counters.",
	[WP_TOO_LARGE] = L"More is published than an answer may hold, and whole objects are left out. The value "
		L"\"Answer Limit\" of the driver's Performance key, a number of bytes, allows more than 4 MiB.",
	[WP_NO_CONTEXT] = L"The service's Linkage key has no value Export with names of drivers: "
		L"nothing can be delivered.",
	[WP_NOT_INSTALLED] = L"A driver has no title indices in its Performance key: "
		L"lodctr has not been run for it.",
	[WP_NO_READING] = L"A published file cannot be read, and is left out.",
	[WP_TOO_MUCH] = L"There is more published than can be read. Some files are left out. "
		L"\"Answer Limit\" allows more.",
	[WP_BAD_DIRECTORY] = L"%ProgramData%\\winperf or its directory published belongs to neither "
		L"SYSTEM nor the administrators, or leads elsewhere: nothing in it is shown. "
		L"Remove it and publish, or install a provider, as an administrator.",
	[WP_NO_OWNER] = L"Others than its owner may write to a published file, so it may be anybody's: "
		L"it is left out.",
	[WP_NO_ACCOUNT] = L"The value \"Publishers\" of a driver's Performance key names an account that is "
		L"not known, or cannot be read. It is a REG_MULTI_SZ with at most 64 names or SIDs.",
};

/* write_event writes a line to the event log. */
static void write_event(DWORD id, const WCHAR *text)
{
	HANDLE log = RegisterEventSourceW(NULL, L"winperf-provider");

	if (log == NULL)
		return;
	ReportEventW(log, EVENTLOG_WARNING_TYPE, 0, id, NULL, 1, 0, &text, NULL);
	DeregisterEventSource(log);
}

/* tell writes troubles to the event log, each once as long as the DLL is loaded. */
static void tell(unsigned troubles)
{
	LONG new = (LONG)troubles & ~InterlockedOr(&told, (LONG)troubles);
	int i;

	for (i = 0; i < WP_TROUBLES; i++)
		if (new & (1l << i) && texts[i] != NULL)
			write_event((DWORD)i, texts[i]);
}

/* report_account names, once, an account whose files are left out, and the line that shows them. */
static void report_account(const WCHAR *driver, PSID account)
{
	WCHAR *text = reports[report_count < MAX_REPORTS ? report_count : 0], line[REPORT];
	LPWSTR sid;
	DWORD i;

	if (report_count == MAX_REPORTS || !ConvertSidToStringSidW(account, &sid))
		return;
	_snwprintf(line, REPORT, L"The objects of %ls that the account %ls publishes are not shown. The line %ls in "
		L"the value \"Publishers\" of the driver's Performance key shows them.", driver, sid, sid);
	line[REPORT - 1] = 0;
	LocalFree(sid);
	for (i = 0; i < report_count; i++)
		if (wcscmp(reports[i], line) == 0)
			return;
	wcscpy(text, line);
	report_count++;
	write_event(WP_TROUBLES, text);
}

/* append_line appends a line to a text of n units, if there is room, and returns the units of both. */
static DWORD append_line(LPWSTR text, DWORD room, DWORD n, const WCHAR *line)
{
	for (; *line != 0; line++, n++)
		if (n < room)
			text[n] = *line;
	if (n < room)
		text[n] = L'\n';
	return n + 1;
}

/* WinperfTroubles writes the troubles since the DLL was loaded, a line for each kind and for each
 * account whose files are left out, as far as there is room, and returns how many units it takes. */
DWORD WINAPI WinperfTroubles(LPWSTR text, DWORD room)
{
	LONG troubles = InterlockedOr(&told, 0);
	DWORD units = 0, i;

	for (i = 0; i < WP_TROUBLES; i++)
		if (troubles & (1l << i) && texts[i] != NULL)
			units = append_line(text, room, units, texts[i]);
	AcquireSRWLockShared(&lock);
	for (i = 0; i < report_count; i++)
		units = append_line(text, room, units, reports[i]);
	ReleaseSRWLockShared(&lock);
	return units;
}

static BOOL read_number(const WCHAR *key, const WCHAR *value, uint32_t *n)
{
	DWORD size = sizeof *n;

	return RegGetValueW(HKEY_LOCAL_MACHINE, key, value, RRF_RT_REG_DWORD, NULL, n, &size) == ERROR_SUCCESS;
}

/* find_account finds the SID of an account by its name or its SID as a text; * is everyone. */
static BOOL find_account(const WCHAR *name, BYTE *sid)
{
	DWORD size = SECURITY_MAX_SID_SIZE, units = 256;
	WCHAR domain[256];
	SID_NAME_USE use;
	PSID own;
	BOOL good;

	if (wcscmp(name, L"*") == 0)
		return CreateWellKnownSid(WinWorldSid, NULL, sid, &size);
	if (wcsncmp(name, L"S-", 2) != 0 || !ConvertStringSidToSidW(name, &own))
		return LookupAccountNameW(NULL, name, sid, &size, domain, &units, &use);
	good = CopySid(size, sid, own);
	LocalFree(own);
	return good;
}

/* read_publishers reads the further accounts whose files count for a driver. */
static struct publishers *read_publishers(const WCHAR *key)
{
	struct publishers *p = calloc(1, sizeof *p);
	DWORD size = 1u << 16;
	WCHAR *list = calloc(1, size), *at;
	LSTATUS status = ERROR_OUTOFMEMORY;

	if (p != NULL && list != NULL)
		status = RegGetValueW(HKEY_LOCAL_MACHINE, key, PUBLISHERS, RRF_RT_REG_MULTI_SZ, NULL, list, &size);
	if (status == ERROR_SUCCESS)
		for (at = list; *at != 0; at += wcslen(at) + 1)
			if (p->count < MAX_PUBLISHERS && find_account(at, p->sids[p->count]))
				p->count++;
			else
				tell(1u << WP_NO_ACCOUNT);
	else if (status != ERROR_FILE_NOT_FOUND)
		tell(1u << WP_NO_ACCOUNT);
	free(list);
	return p;
}

/* add_driver reads what lodctr noted about a driver. */
static void add_driver(const WCHAR *name, size_t length)
{
	WCHAR key[ARRAYSIZE(SERVICES) + MAX_DRIVER + ARRAYSIZE(L"\\Performance")];
	struct wp_driver *d = &drivers[driver_count];
	uint32_t most;
	DWORD i;

	for (i = 0; i < driver_count; i++)
		if (_wcsicmp(names[i], name) == 0)
			return;
	if (driver_count == MAX_DRIVERS || length >= MAX_DRIVER) {
		tell(1u << WP_NO_CONTEXT);
		return;
	}
	memcpy(names[driver_count], name, (length + 1) * sizeof *name);
	wcscpy(key, SERVICES);
	wcscat(key, name);
	wcscat(key, L"\\Performance");
	d->name = names[driver_count];
	if (read_number(key, L"First Counter", &d->first_counter) &&
	    read_number(key, L"Last Counter", &d->last_counter) &&
	    read_number(key, L"First Help", &d->first_help) && read_number(key, L"Last Help", &d->last_help) &&
	    d->first_counter <= d->last_counter && d->first_help <= d->last_help) {
		publishers[driver_count++] = read_publishers(key);
		if (!read_number(key, LIMIT, &most))
			most = DEFAULT_LIMIT;
		limit = max(limit, min(most, WP_MaxFile));
	} else {
		tell(1u << WP_NOT_INSTALLED);
	}
}

DWORD WINAPI WinperfOpen(LPWSTR context)
{
	AcquireSRWLockExclusive(&lock);
	opens++;
	if (context == NULL || *context == 0)
		tell(1u << WP_NO_CONTEXT);
	else
		while (*context != 0) {
			size_t length = wcslen(context);

			add_driver(context, length);
			context += length + 1;
		}
	ReleaseSRWLockExclusive(&lock);
	return ERROR_SUCCESS; /* anything else would keep this DLL from being asked again */
}

DWORD WINAPI WinperfClose(void)
{
	AcquireSRWLockExclusive(&lock);
	if (opens > 0 && --opens == 0) {
		while (driver_count > 0)
			free(publishers[--driver_count]);
		free(owners.list);
		owners = (struct wp_owners){ .list = NULL };
		free(accounts);
		accounts = NULL;
		limit = 0;
	}
	ReleaseSRWLockExclusive(&lock);
	return ERROR_SUCCESS;
}

/* reading is what a Collect has read. */
struct reading {
	struct found {
		struct wp_file file;
		DWORD rank; /* of the account */
		BYTE account[SECURITY_MAX_SID_SIZE];
		ULONGLONG made, id; /* the id is the file's, in its volume */
	} found[WP_MaxFiles];
	struct wp_file files[WP_MaxFiles]; /* those found, in order */
	DWORD count, entries;
	ULONGLONG bytes;
	unsigned troubles;
};

/* is_published tells whether the file's publisher is there: it has the lock. */
static BOOL is_published(HANDLE file)
{
	OVERLAPPED at = { .Offset = (DWORD)WP_LockOffset, .OffsetHigh = (DWORD)(WP_LockOffset >> 32) };

	if (!LockFileEx(file, LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at))
		return GetLastError() == ERROR_LOCK_VIOLATION || GetLastError() == ERROR_IO_PENDING;
	UnlockFileEx(file, 0, 1, 0, &at);
	return FALSE;
}

/* read_start reads the first bytes of a file and returns how many. */
static DWORD read_start(HANDLE file, void *p, DWORD n)
{
	DWORD got;

	if (!SetFilePointerEx(file, (LARGE_INTEGER){ .QuadPart = 0 }, NULL, FILE_BEGIN) ||
	    !ReadFile(file, p, n, &got, NULL))
		return 0;
	return got;
}

/* settle leaves out the instances that changed while data was read. */
static BOOL settle(HANDLE file, BYTE *data, DWORD used)
{
	BYTE header[WP_HeaderSize], *later;
	BOOL good;

	if (read_start(file, header, sizeof header) != sizeof header)
		return FALSE;
	if (wp_settled(data, header))
		return TRUE;
	later = malloc(used);
	good = later != NULL && read_start(file, later, used) == used;
	if (good)
		wp_settle(data, later, used);
	free(later);
	return good;
}

/* is_only_writer tells whether nobody but its owner and administrators can have written
 * a file. Another one's file that everybody may write to could be moved here and
 * filled. */
static BOOL is_only_writer(ACL *rights, PSID owner)
{
	const DWORD writes = FILE_WRITE_DATA | FILE_APPEND_DATA | WRITE_DAC | WRITE_OWNER |
		GENERIC_WRITE | GENERIC_ALL;
	DWORD i;

	for (i = 0; i < rights->AceCount; i++) {
		ACCESS_ALLOWED_ACE *ace;
		PSID who;

		if (!GetAce(rights, i, (void **)&ace))
			return FALSE;
		if (ace->Header.AceType == ACCESS_DENIED_ACE_TYPE || ace->Header.AceFlags & INHERIT_ONLY_ACE)
			continue;
		if (ace->Header.AceType != ACCESS_ALLOWED_ACE_TYPE)
			return FALSE;
		who = &ace->SidStart;
		if (ace->Mask & writes && !EqualSid(who, owner) && !IsWellKnownSid(who, WinLocalSystemSid) &&
		    !IsWellKnownSid(who, WinBuiltinAdministratorsSid) &&
		    !IsWellKnownSid(who, WinCreatorOwnerRightsSid))
			return FALSE;
	}
	return TRUE;
}

/* read_owner finds out whose a file is: the file system says so, not the file. */
static BOOL read_owner(struct reading *r, HANDLE file, BYTE *sid)
{
	PSECURITY_DESCRIPTOR descriptor;
	PSID owner;
	ACL *rights;
	BOOL good;

	if (GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
			&owner, NULL, &rights, NULL, &descriptor) != ERROR_SUCCESS) {
		r->troubles |= 1u << WP_NO_READING;
		return FALSE;
	}
	good = owner != NULL && rights != NULL && is_only_writer(rights, owner) &&
		CopySid(SECURITY_MAX_SID_SIZE, sid, owner);
	if (!good)
		r->troubles |= 1u << WP_NO_OWNER;
	LocalFree(descriptor);
	return good;
}

/* is_own tells whether an account is the one that this process runs as. */
static BOOL is_own(PSID account)
{
	union { TOKEN_USER user; BYTE room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE]; } own;
	HANDLE token;
	DWORD n;
	BOOL same;

	if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
		return FALSE;
	same = GetTokenInformation(token, TokenUser, &own, sizeof own, &n) &&
	       EqualSid(own.user.User.Sid, account);
	CloseHandle(token);
	return same;
}

/* rank_of finds the place of an account among those whose files count: SYSTEM, the administrators,
 * the account that reads, then the lines of Publishers. */
static BOOL rank_of(const struct publishers *p, PSID account, DWORD *rank)
{
	DWORD i;

	*rank = 0;
	if (IsWellKnownSid(account, WinLocalSystemSid))
		return TRUE;
	++*rank;
	if (IsWellKnownSid(account, WinBuiltinAdministratorsSid))
		return TRUE;
	++*rank;
	if (is_own(account))
		return TRUE;
	for (i = 0; p != NULL && i < p->count; i++) {
		++*rank;
		if (EqualSid((PSID)p->sids[i], account) || IsWellKnownSid((PSID)p->sids[i], WinWorldSid))
			return TRUE;
	}
	return FALSE;
}

/* admit finds the driver of a file and the rank of its account. FALSE where it is no
 * driver's, or its account is not trusted. */
static BOOL admit(const BYTE *start, DWORD size, struct found *f)
{
	DWORD i;

	for (i = 0; i < driver_count && !wp_serves(start, size, &drivers[i]);)
		i++;
	if (i == driver_count)
		return FALSE;
	f->file.driver = &drivers[i];
	if (rank_of(publishers[i], f->account, &f->rank))
		return TRUE;
	report_account(names[i], f->account);
	return FALSE;
}

/* What no publisher's file is: reading one of these may take long. */
#define UNFIT (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_OFFLINE | \
	0x00040000 | 0x00400000) /* FILE_ATTRIBUTE_RECALL_ON_OPEN, ..._RECALL_ON_DATA_ACCESS (winnt.h) */

static void read_file(struct reading *r, HANDLE file)
{
	BYTE start[START], *data;
	BY_HANDLE_FILE_INFORMATION info;
	struct found f = { .rank = 0 };
	uint32_t used;
	DWORD got;

	if (GetFileType(file) != FILE_TYPE_DISK || !GetFileInformationByHandle(file, &info) ||
	    info.dwFileAttributes & UNFIT)
		return;
	if (!is_published(file))
		return;
	got = read_start(file, start, sizeof start);
	used = wp_used(start, got, (ULONGLONG)info.nFileSizeHigh << 32 | info.nFileSizeLow, &r->troubles);
	if (used == 0 || !read_owner(r, file, f.account) || !admit(start, got, &f))
		return;
	if (r->count == WP_MaxFiles || r->bytes + used > READ_LIMIT) {
		r->troubles |= 1u << WP_TOO_MUCH;
		return;
	}
	data = malloc(used);
	if (data == NULL) {
		r->troubles |= 1u << WP_NO_MEMORY;
		return;
	}
	if (read_start(file, data, used) != used || !settle(file, data, used)) {
		r->troubles |= 1u << WP_NO_READING;
		free(data);
		return;
	}
	r->bytes += used;
	f.file.data = data;
	f.file.used = used;
	f.made = (ULONGLONG)info.ftCreationTime.dwHighDateTime << 32 | info.ftCreationTime.dwLowDateTime;
	f.id = (ULONGLONG)info.nFileIndexHigh << 32 | info.nFileIndexLow;
	r->found[r->count++] = f;
}

/* by_order is the order of files: that of their accounts, then of their times. */
static int by_order(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->made != y->made)
		return x->made < y->made ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

#define OPLOCK_BREAK_IN_PROGRESS ((NTSTATUS)0x00000108) /* ntstatus.h */

/* open_in opens what has a name in a directory. It follows no link, lets whoever is
 * at the other end know who asks but not act in that name, and does not wait for one
 * who holds an oplock: such a file is left out, and NULL. */
static HANDLE open_in(HANDLE directory, const WCHAR *name, ACCESS_MASK access, ULONG options)
{
	USHORT length = (USHORT)(wcslen(name) * sizeof *name);
	UNICODE_STRING text = { .Length = length, .MaximumLength = length, .Buffer = (WCHAR *)name };
	SECURITY_QUALITY_OF_SERVICE service = {
		.Length = sizeof service, .ImpersonationLevel = SecurityIdentification,
		.ContextTrackingMode = SECURITY_STATIC_TRACKING, .EffectiveOnly = TRUE,
	};
	OBJECT_ATTRIBUTES object = {
		.Length = sizeof object, .RootDirectory = directory, .ObjectName = &text,
		.Attributes = OBJ_CASE_INSENSITIVE, .SecurityQualityOfService = &service,
	};
	IO_STATUS_BLOCK io;
	HANDLE file;
	NTSTATUS status = NtCreateFile(&file, access | SYNCHRONIZE, &object, &io, NULL, FILE_ATTRIBUTE_NORMAL,
		FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, FILE_OPEN,
		options | FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_REPARSE_POINT | FILE_COMPLETE_IF_OPLOCKED,
		NULL, 0);

	if (!NT_SUCCESS(status)) {
		SetLastError(RtlNtStatusToDosError(status));
		return NULL;
	}
	if (status == OPLOCK_BREAK_IN_PROGRESS) {
		CloseHandle(file);
		SetLastError(ERROR_BUSY);
		return NULL;
	}
	return file;
}

/* is_trusted tells whether a directory is none that somebody has put there to be
 * obeyed: it is no link, and SYSTEM's, the administrators' or the host's own. */
static BOOL is_trusted(HANDLE directory)
{
	BY_HANDLE_FILE_INFORMATION info;
	PSECURITY_DESCRIPTOR descriptor;
	PSID owner;
	BOOL trusted;

	if (!GetFileInformationByHandle(directory, &info) ||
	    !(info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) ||
	    info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
		return FALSE;
	if (GetSecurityInfo(directory, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, NULL, NULL, NULL,
			&descriptor) != ERROR_SUCCESS)
		return FALSE;
	trusted = owner != NULL && (IsWellKnownSid(owner, WinLocalSystemSid) ||
		IsWellKnownSid(owner, WinBuiltinAdministratorsSid) || is_own(owner));
	LocalFree(descriptor);
	return trusted;
}

/* open_published opens the directory of published files; NULL where there is none
 * that counts. It is opened below its parent's handle, so that what was checked
 * cannot be exchanged. */
static HANDLE open_published(unsigned *troubles)
{
	const DWORD access = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES | READ_CONTROL;
	const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
	WCHAR path[MAX_PATH];
	DWORD n = ExpandEnvironmentStringsW(DIRECTORY, path, MAX_PATH);
	HANDLE parent, directory = NULL;

	if (n == 0 || n > MAX_PATH)
		return NULL;
	parent = CreateFileW(path, access, share, NULL, OPEN_EXISTING,
		FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT | SECURITY_SQOS_PRESENT |
			SECURITY_IDENTIFICATION,
		NULL);
	if (parent == INVALID_HANDLE_VALUE)
		return NULL;
	if (is_trusted(parent))
		directory = open_in(parent, SUBDIRECTORY, access, FILE_DIRECTORY_FILE);
	else
		*troubles |= 1u << WP_BAD_DIRECTORY;
	CloseHandle(parent);
	if (directory != NULL && !is_trusted(directory)) {
		*troubles |= 1u << WP_BAD_DIRECTORY;
		CloseHandle(directory);
		return NULL;
	}
	return directory;
}

/* read_entry reads a file of the directory, if its name is that of a published one. */
static void read_entry(struct reading *r, HANDLE directory, const FILE_ID_BOTH_DIR_INFO *entry)
{
	WCHAR name[MAX_PATH];
	size_t n = entry->FileNameLength / sizeof *name, suffix = ARRAYSIZE(SUFFIX) - 1;
	HANDLE file;

	if (n <= suffix || n >= MAX_PATH || entry->FileAttributes & UNFIT)
		return;
	memcpy(name, entry->FileName, entry->FileNameLength);
	name[n] = 0;
	if (_wcsicmp(name + n - suffix, SUFFIX) != 0)
		return;
	file = open_in(directory, name, FILE_GENERIC_READ, FILE_NON_DIRECTORY_FILE);
	if (file != NULL) {
		read_file(r, file);
		CloseHandle(file);
	} else if (GetLastError() != ERROR_FILE_NOT_FOUND) {
		r->troubles |= 1u << WP_NO_READING;
	}
}

/* read_list reads the files that a piece of the directory names. */
static void read_list(struct reading *r, HANDLE directory, const BYTE *list)
{
	for (;;) {
		const FILE_ID_BOTH_DIR_INFO *entry = (const FILE_ID_BOTH_DIR_INFO *)list;

		if (r->entries++ >= MAX_ENTRIES) {
			r->troubles |= 1u << WP_TOO_MUCH;
			return;
		}
		read_entry(r, directory, entry);
		if (entry->NextEntryOffset == 0)
			return;
		list += entry->NextEntryOffset;
	}
}

static void read_files(struct reading *r)
{
	HANDLE directory = open_published(&r->troubles);
	const DWORD room = 1u << 16;
	BYTE *list = directory != NULL ? malloc(room) : NULL;
	DWORD i;

	while (list != NULL && r->entries <= MAX_ENTRIES &&
	       GetFileInformationByHandleEx(directory, FileIdBothDirectoryInfo, list, room))
		read_list(r, directory, list);
	free(list);
	if (directory != NULL)
		CloseHandle(directory);
	qsort(r->found, r->count, sizeof *r->found, by_order);
	for (i = 0; i < r->count; i++)
		r->files[i] = r->found[i].file;
}

/* keep_accounts keeps the accounts of the files, for WinperfOwner. */
static void keep_accounts(const struct reading *r)
{
	DWORD i;

	free(accounts);
	accounts = malloc((r->count + (size_t)1) * sizeof *accounts);
	for (i = 0; accounts != NULL && i < r->count; i++)
		memcpy(accounts[i], r->found[i].account, sizeof *accounts);
}

DWORD WINAPI WinperfCollect(LPWSTR query, LPVOID *data, LPDWORD bytes, LPDWORD objects)
{
	struct wp_request q = { .query = query, .out = *data, .room = *bytes };
	struct reading *r = calloc(1, sizeof *r);
	LARGE_INTEGER now, frequency;
	BOOL fits = TRUE;

	*bytes = *objects = 0;
	if (r == NULL) {
		tell(1u << WP_NO_MEMORY);
		return ERROR_SUCCESS;
	}
	QueryPerformanceCounter(&now);
	QueryPerformanceFrequency(&frequency);
	q.time = now.QuadPart;
	q.frequency = frequency.QuadPart;
	AcquireSRWLockExclusive(&lock);
	if (driver_count > 0) {
		read_files(r);
		q.most = limit;
		q.owners = &owners;
		fits = wp_collect(r->files, r->count, &q);
		keep_accounts(r);
	}
	ReleaseSRWLockExclusive(&lock);
	while (r->count > 0)
		free((void *)r->files[--r->count].data);
	tell(q.troubles | r->troubles);
	free(r);
	if (!fits)
		return ERROR_MORE_DATA;
	*data = (BYTE *)*data + q.bytes;
	*bytes = q.bytes;
	*objects = q.objects;
	return ERROR_SUCCESS;
}

/* WinperfOwner writes the account of an object by its title index, of the first if there are
 * several: the SID as a text. It returns how many units it takes, 0 for an object that is not there. */
DWORD WINAPI WinperfOwner(DWORD title, LPWSTR text, DWORD room)
{
	LPWSTR sid = NULL;
	DWORD units = 0;
	uint32_t i;

	AcquireSRWLockShared(&lock);
	for (i = 0; i < owners.count && owners.list[i].title != title;)
		i++;
	if (i < owners.count && accounts != NULL && ConvertSidToStringSidW(accounts[owners.list[i].file], &sid))
		for (; sid[units] != 0; units++)
			if (units < room)
				text[units] = sid[units];
	ReleaseSRWLockShared(&lock);
	LocalFree(sid);
	return units;
}
