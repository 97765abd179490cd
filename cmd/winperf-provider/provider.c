/*
 * A version 1 provider of performance counters (Microsoft Learn, "Creating a
 * Performance Extension DLL"). It delivers the counters that programs publish in
 * %ProgramData%\winperf\published. Linkage\Export names the drivers to serve.
 *
 * Every Collect reads the files into its own memory. It maps no file, so a publisher
 * cannot cause a fault here. Files are opened so that no publisher can block the
 * host process, impersonate it or redirect it to another file.
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
#define MAX_ENTRIES (4 * WP_MaxFiles) /* of the directory, including other files */
#define LIMIT L"Answer Limit" /* value of the Performance key: the limit of an answer in bytes */
#define DEFAULT_LIMIT (4u << 20)
#define PUBLISHERS L"Publishers" /* value of the Performance key: further trusted accounts */
#define MAX_PUBLISHERS 64
#define MAX_REPORTS 64 /* of accounts that are not trusted */
#define REPORT 512 /* characters of such a report */
#define START 4096 /* bytes at the beginning of a file that contain the header and the driver's name */
/* The limit of the bytes read from all files. */
#define READ_LIMIT (4ull * max(limit, 1u << 20))

_Static_assert(sizeof(WCHAR) == sizeof(uint16_t), "names are UTF-16");

static SRWLOCK lock = SRWLOCK_INIT; /* guards all variables except reported */
static DWORD opens;
static struct wp_driver drivers[MAX_DRIVERS];
static WCHAR names[MAX_DRIVERS][MAX_DRIVER];
static DWORD driver_count;
static struct publishers {
	DWORD count;
	BYTE sids[MAX_PUBLISHERS][SECURITY_MAX_SID_SIZE];
} *publishers[MAX_DRIVERS];
static uint32_t limit; /* bytes of an answer: the largest limit of the drivers */
static struct wp_owners owners;
static BYTE (*accounts)[SECURITY_MAX_SID_SIZE]; /* of the files of the last answer */
static WCHAR reports[MAX_REPORTS][REPORT]; /* accounts that are not trusted, each once */
static DWORD report_count;
static volatile LONG reported; /* troubles, a bit for each */

/* Texts for the event log. The DLL has no message file. */
static const WCHAR *const texts[WP_TROUBLES] = {
	[WP_BAD_HEADER] = L"A published file was omitted: it is damaged or has another version.",
	[WP_BAD_OBJECT] = L"A published object was omitted: its definition is invalid, or has a title index that "
		L"lodctr did not assign to the driver.",
	[WP_BAD_SLOT] = L"Published instances were omitted: their data is invalid.",
	[WP_OTHER_COUNTERS] = L"Two processes publish an object with different counters. "
		L"Only the object of the first file is shown: files are in the order of their accounts, "
		L"older files first.",
	[WP_SECOND_SINGLE] = L"Two processes publish an object without instances. "
		L"Only the object of the first file is shown: files are in the order of their accounts, "
		L"older files first.",
	[WP_NO_MEMORY] = L"Published counters were omitted: not enough memory.",
	[WP_TOO_LARGE] = L"Published objects were omitted: the answer would exceed its limit, 4 MiB by default. To raise "
		L"it, set the DWORD value \"Answer Limit\" (in bytes) of the driver's Performance key.",
	[WP_NO_CONTEXT] = L"The value Export of the service's Linkage key is missing or empty, names more than 32 "
		L"drivers, or contains a name of more than 127 characters. Drivers beyond these limits are ignored.",
	[WP_NOT_INSTALLED] = L"A driver has no title indices in its Performance key: run lodctr for it.",
	[WP_UNREADABLE] = L"A published file was omitted: it cannot be read.",
	[WP_TOO_MUCH] = L"Published files were omitted: their number or size exceeds a limit. "
		L"The value \"Answer Limit\" of the driver's Performance key raises the limit of the size.",
	[WP_BAD_DIRECTORY] = L"%ProgramData%\\winperf or its directory published is a link, or does not belong to SYSTEM, "
		L"the administrators or the reading account: no published objects are shown. Remove the "
		L"directory. Then publish, or install a provider, as an administrator.",
	[WP_NO_OWNER] = L"A published file was omitted: accounts other than its owner and the administrators may "
		L"write to it, or its owner is unknown.",
	[WP_NO_ACCOUNT] = L"The value \"Publishers\" of a driver's Performance key names an unknown account, "
		L"names more than 64 accounts, or cannot be read. It is a REG_MULTI_SZ of names or SIDs.",
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

/* report writes each trouble to the event log once while the DLL is loaded. */
static void report(unsigned troubles)
{
	LONG new = (LONG)troubles & ~InterlockedOr(&reported, (LONG)troubles);
	int i;

	for (i = 0; i < WP_TROUBLES; i++)
		if (new & (1l << i) && texts[i] != NULL)
			write_event((DWORD)i, texts[i]);
}

/* report_account reports once that an account is not trusted, with the line to add. */
static void report_account(const WCHAR *driver, PSID account)
{
	WCHAR *text = reports[report_count < MAX_REPORTS ? report_count : 0], line[REPORT];
	LPWSTR sid;
	DWORD i;

	if (report_count == MAX_REPORTS || !ConvertSidToStringSidW(account, &sid))
		return;
	_snwprintf(line, REPORT, L"The account %ls publishes objects of %ls that are not shown. To show them, add the line "
		L"%ls to the value \"Publishers\" of the driver's Performance key.", sid, driver, sid);
	line[REPORT - 1] = 0;
	LocalFree(sid);
	for (i = 0; i < report_count; i++)
		if (wcscmp(reports[i], line) == 0)
			return;
	wcscpy(text, line);
	report_count++;
	write_event(WP_TROUBLES, text);
}

/* append_line appends a line to a text of n UTF-16 units, up to the capacity, and returns the length of
 * the complete text. */
static DWORD append_line(LPWSTR text, DWORD capacity, DWORD n, const WCHAR *line)
{
	for (; *line != 0; line++, n++)
		if (n < capacity)
			text[n] = *line;
	if (n < capacity)
		text[n] = L'\n';
	return n + 1;
}

/* WinperfTroubles writes the troubles since the DLL was loaded, up to the capacity of text: a line for each
 * kind, and for each account that is not trusted. It returns the length of the complete text. */
DWORD WINAPI WinperfTroubles(LPWSTR text, DWORD capacity)
{
	LONG troubles = InterlockedOr(&reported, 0);
	DWORD units = 0, i;

	for (i = 0; i < WP_TROUBLES; i++)
		if (troubles & (1l << i) && texts[i] != NULL)
			units = append_line(text, capacity, units, texts[i]);
	AcquireSRWLockShared(&lock);
	for (i = 0; i < report_count; i++)
		units = append_line(text, capacity, units, reports[i]);
	ReleaseSRWLockShared(&lock);
	return units;
}

static BOOL read_number(const WCHAR *key, const WCHAR *value, uint32_t *n)
{
	DWORD size = sizeof *n;

	return RegGetValueW(HKEY_LOCAL_MACHINE, key, value, RRF_RT_REG_DWORD, NULL, n, &size) == ERROR_SUCCESS;
}

/* find_account finds the SID of an account by its name or by the text of its SID; * means all accounts. */
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

/* read_publishers reads the further trusted accounts of a driver. */
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
				report(1u << WP_NO_ACCOUNT);
	else if (status != ERROR_FILE_NOT_FOUND)
		report(1u << WP_NO_ACCOUNT);
	free(list);
	return p;
}

/* add_driver reads the title indices, the limit and the trusted accounts of a driver. */
static void add_driver(const WCHAR *name, size_t length)
{
	WCHAR key[ARRAYSIZE(SERVICES) + MAX_DRIVER + ARRAYSIZE(L"\\Performance")];
	struct wp_driver *d = &drivers[driver_count];
	uint32_t n;
	DWORD i;

	for (i = 0; i < driver_count; i++)
		if (_wcsicmp(names[i], name) == 0)
			return;
	if (driver_count == MAX_DRIVERS || length >= MAX_DRIVER) {
		report(1u << WP_NO_CONTEXT);
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
		if (!read_number(key, LIMIT, &n))
			n = DEFAULT_LIMIT;
		limit = max(limit, min(n, WP_MaxFile));
	} else {
		report(1u << WP_NOT_INSTALLED);
	}
}

DWORD WINAPI WinperfOpen(LPWSTR context)
{
	AcquireSRWLockExclusive(&lock);
	opens++;
	if (context == NULL || *context == 0)
		report(1u << WP_NO_CONTEXT);
	else
		while (*context != 0) {
			size_t length = wcslen(context);

			add_driver(context, length);
			context += length + 1;
		}
	ReleaseSRWLockExclusive(&lock);
	return ERROR_SUCCESS; /* after an error Windows would not query this DLL again */
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

/* reading contains the files that a Collect has read. */
struct reading {
	struct found {
		struct wp_file file;
		DWORD rank; /* of the account */
		BYTE account[SECURITY_MAX_SID_SIZE];
		ULONGLONG made, id; /* creation time; number of the file in its volume */
	} found[WP_MaxFiles];
	struct wp_file files[WP_MaxFiles]; /* the found files, in order */
	DWORD count, entries;
	ULONGLONG bytes;
	unsigned troubles;
};

/* is_published reports whether the publisher of the file is alive: it holds the lock. */
static BOOL is_published(HANDLE file)
{
	OVERLAPPED at = { .Offset = (DWORD)WP_LockOffset, .OffsetHigh = (DWORD)(WP_LockOffset >> 32) };

	if (!LockFileEx(file, LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at))
		return GetLastError() == ERROR_LOCK_VIOLATION || GetLastError() == ERROR_IO_PENDING;
	UnlockFileEx(file, 0, 1, 0, &at);
	return FALSE;
}

/* read_start reads the first n bytes of a file and returns the number of bytes read. */
static DWORD read_start(HANDLE file, void *p, DWORD n)
{
	DWORD got;

	if (!SetFilePointerEx(file, (LARGE_INTEGER){ .QuadPart = 0 }, NULL, FILE_BEGIN) ||
	    !ReadFile(file, p, n, &got, NULL))
		return 0;
	return got;
}

/* settle removes from data the instances that were created or removed while data was read. */
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

/* is_only_writer reports whether only its owner, SYSTEM and administrators may write to a file. An
 * account could move a file that it may write to, but does not own, into the directory and fill it. */
static BOOL is_only_writer(ACL *rights, PSID owner)
{
	const DWORD writes = FILE_WRITE_DATA | FILE_APPEND_DATA | WRITE_DAC | WRITE_OWNER |
		GENERIC_WRITE | GENERIC_ALL;
	DWORD i;

	for (i = 0; i < rights->AceCount; i++) {
		ACCESS_ALLOWED_ACE *ace;
		PSID account;

		if (!GetAce(rights, i, (void **)&ace))
			return FALSE;
		if (ace->Header.AceType == ACCESS_DENIED_ACE_TYPE || ace->Header.AceFlags & INHERIT_ONLY_ACE)
			continue;
		if (ace->Header.AceType != ACCESS_ALLOWED_ACE_TYPE)
			return FALSE;
		account = &ace->SidStart;
		if (ace->Mask & writes && !EqualSid(account, owner) && !IsWellKnownSid(account, WinLocalSystemSid) &&
		    !IsWellKnownSid(account, WinBuiltinAdministratorsSid) &&
		    !IsWellKnownSid(account, WinCreatorOwnerRightsSid))
			return FALSE;
	}
	return TRUE;
}

/* read_owner gets the owner of a file from the file system. It ignores the contents of the file. */
static BOOL read_owner(struct reading *r, HANDLE file, BYTE *sid)
{
	PSECURITY_DESCRIPTOR descriptor;
	PSID owner;
	ACL *rights;
	BOOL good;

	if (GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
			&owner, NULL, &rights, NULL, &descriptor) != ERROR_SUCCESS) {
		r->troubles |= 1u << WP_UNREADABLE;
		return FALSE;
	}
	good = owner != NULL && rights != NULL && is_only_writer(rights, owner) &&
		CopySid(SECURITY_MAX_SID_SIZE, sid, owner);
	if (!good)
		r->troubles |= 1u << WP_NO_OWNER;
	LocalFree(descriptor);
	return good;
}

/* is_own reports whether this process runs as an account. */
static BOOL is_own(PSID account)
{
	union { TOKEN_USER user; BYTE buffer[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE]; } own;
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

/* rank_of returns the position of an account among the trusted accounts: SYSTEM, the administrators,
 * the reading account, then the lines of Publishers. It returns FALSE if the account is not trusted. */
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

/* admit finds the driver of a file and the rank of its account. It returns FALSE if the file belongs to
 * no driver, or if the account is not trusted. */
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

/* Attributes that no published file has. Reading such a file may take long. */
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
		r->troubles |= 1u << WP_UNREADABLE;
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

/* by_order compares files by the rank of the account, then by creation time. */
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

/* open_in opens a file or directory by its name in a directory. It follows no link and allows a server to
 * identify this process, but not to impersonate it. If another process would have to release an oplock
 * first, it does not wait and returns NULL. */
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

/* is_trusted reports whether a directory is no link and belongs to SYSTEM, the administrators or the
 * account of this process. Another account could have created it to redirect the DLL. */
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

/* open_published opens the directory of published files. It returns NULL if the directory does not exist
 * or is not trusted. It opens the directory relative to the handle of its parent, so that the checked
 * parent cannot be exchanged. */
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

/* read_entry reads a file of the directory if its name ends in .winperf. */
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
		r->troubles |= 1u << WP_UNREADABLE;
	}
}

/* read_list reads the files of a list of directory entries. */
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
	const DWORD capacity = 1u << 16;
	BYTE *list = directory != NULL ? malloc(capacity) : NULL;
	DWORD i;

	while (list != NULL && r->entries <= MAX_ENTRIES &&
	       GetFileInformationByHandleEx(directory, FileIdBothDirectoryInfo, list, capacity))
		read_list(r, directory, list);
	free(list);
	if (directory != NULL)
		CloseHandle(directory);
	qsort(r->found, r->count, sizeof *r->found, by_order);
	for (i = 0; i < r->count; i++)
		r->files[i] = r->found[i].file;
}

/* keep_accounts saves the accounts of the files for WinperfOwner. */
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
	struct wp_request q = { .query = query, .out = *data, .capacity = *bytes };
	struct reading *r = calloc(1, sizeof *r);
	LARGE_INTEGER now, frequency;
	BOOL fits = TRUE;

	*bytes = *objects = 0;
	if (r == NULL) {
		report(1u << WP_NO_MEMORY);
		return ERROR_SUCCESS;
	}
	QueryPerformanceCounter(&now);
	QueryPerformanceFrequency(&frequency);
	q.time = now.QuadPart;
	q.frequency = frequency.QuadPart;
	AcquireSRWLockExclusive(&lock);
	if (driver_count > 0) {
		read_files(r);
		q.max_bytes = limit;
		q.owners = &owners;
		fits = wp_collect(r->files, r->count, &q);
		keep_accounts(r);
	}
	ReleaseSRWLockExclusive(&lock);
	while (r->count > 0)
		free((void *)r->files[--r->count].data);
	report(q.troubles | r->troubles);
	free(r);
	if (!fits)
		return ERROR_MORE_DATA;
	*data = (BYTE *)*data + q.bytes;
	*bytes = q.bytes;
	*objects = q.objects;
	return ERROR_SUCCESS;
}

/* WinperfOwner writes the SID of the account that publishes an object, as a text, up to the capacity of
 * text. If several accounts publish it, it writes the first one. title is the object's title index. It
 * returns the length of the complete SID, or 0 if the object does not exist. */
DWORD WINAPI WinperfOwner(DWORD title, LPWSTR text, DWORD capacity)
{
	LPWSTR sid = NULL;
	DWORD units = 0;
	uint32_t i;

	AcquireSRWLockShared(&lock);
	for (i = 0; i < owners.count && owners.list[i].title != title;)
		i++;
	if (i < owners.count && accounts != NULL && ConvertSidToStringSidW(accounts[owners.list[i].file], &sid))
		for (; sid[units] != 0; units++)
			if (units < capacity)
				text[units] = sid[units];
	ReleaseSRWLockShared(&lock);
	LocalFree(sid);
	return units;
}
