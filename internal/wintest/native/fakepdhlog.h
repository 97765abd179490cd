/*
 * The log functions of fakepdh.c. A log is a file: LOGDATA up to its last record,
 * whatever its type, which only says what the functions then allow. The rows of
 * CSV and TSV are made when they are read. SQL databases there are none, but for
 * the names of two log sets in SQL:Fake.
 *
 * The documentation leaves open which status says that: files that cannot be bound
 * together are PDH_INVALID_ARGUMENT here, a log that was opened to be read is
 * PDH_ACCESS_DENIED to who writes, and a log that is full PDH_LOG_FILE_TOO_SMALL.
 */

_Static_assert(sizeof(PDH_RAW_LOG_RECORD) == 16 && offsetof(PDH_RAW_LOG_RECORD, RawBytes) == 12, "pdh.h");
_Static_assert(sizeof(PDH_TIME_INFO) == 24 && offsetof(PDH_TIME_INFO, SampleCount) == 16, "pdh.h");
_Static_assert(sizeof(PDH_BROWSE_DLG_CONFIG_W) == sizeof(PDH_BROWSE_DLG_CONFIG_HW), "one function serves both");

typedef struct {
	NODE node;
	WCHAR file[MAX_PATH];
	BOOL writing, circular;
	DWORD max;              /* bytes, 0 is no limit */
	QUERY *query;
	LOGDATA data;
} LOG;

typedef struct { NODE node; BOOL live; LOGDATA data; } SOURCE;

static const char magic[8] = "FAKEPDH";

static DWORD bytes_of(const LOGDATA *data)
{
	return offsetof(LOGDATA, records) + data->n * sizeof(RECORD);
}

/* opened is the status of a file that could not be opened. */
static PDH_STATUS opened(PDH_STATUS otherwise)
{
	switch (GetLastError()) {
	case ERROR_FILE_NOT_FOUND:
	case ERROR_PATH_NOT_FOUND: return PDH_FILE_NOT_FOUND;
	case ERROR_ACCESS_DENIED:  return PDH_ACCESS_DENIED;
	default:                   return otherwise;
	}
}

static PDH_STATUS load(LPCWSTR file, LOGDATA *data)
{
	HANDLE f = CreateFileW(file, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, 0, NULL);
	DWORD n = 0;

	if (f == INVALID_HANDLE_VALUE)
		return opened(PDH_LOG_FILE_OPEN_ERROR);
	ReadFile(f, data, sizeof(*data), &n, NULL);
	CloseHandle(f);
	if (n < offsetof(LOGDATA, records))
		return PDH_UNABLE_READ_LOG_HEADER;
	if (memcmp(data->magic, magic, sizeof(magic)))
		return PDH_UNKNOWN_LOG_FORMAT;
	return n == bytes_of(data) ? ERROR_SUCCESS : PDH_BINARY_LOG_CORRUPT;
}

static PDH_STATUS save(const LOG *log)
{
	HANDLE f = CreateFileW(log->file, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, CREATE_ALWAYS, 0, NULL);
	DWORD n = 0;

	if (f == INVALID_HANDLE_VALUE) {
		PDH_STATUS status = opened(PDH_LOG_FILE_CREATE_ERROR);

		return status == (PDH_STATUS)PDH_FILE_NOT_FOUND ? (PDH_STATUS)PDH_LOG_FILE_CREATE_ERROR : status;
	}
	WriteFile(f, &log->data, bytes_of(&log->data), &n, NULL);
	CloseHandle(f);
	return n == bytes_of(&log->data) ? ERROR_SUCCESS : PDH_LOG_FILE_CREATE_ERROR;
}

static PDH_STATUS by_name(LPCWSTR source, const LOGDATA **data)
{
	static LOGDATA read;

	*data = source ? &read : NULL;
	return source ? load(source, &read) : ERROR_SUCCESS;
}

static PDH_STATUS by_handle(PDH_HLOG handle, const LOGDATA **data)
{
	SOURCE *source = find(handle, SOURCE_NODE);

	if (handle == H_WBEM_DATASOURCE)
		return PDH_CANNOT_CONNECT_WMI_SERVER;
	if (handle != H_REALTIME_DATASOURCE && !source)
		return PDH_INVALID_HANDLE;
	*data = source && !source->live ? &source->data : NULL;
	return ERROR_SUCCESS;
}

/* begin_writing checks how a log is to be created and finds what it holds already. */
static PDH_STATUS begin_writing(LOG *log, DWORD access, DWORD type)
{
	PDH_STATUS status;

	if (type == PDH_LOG_TYPE_SQL)
		return PDH_SQL_CONNECT_FAILED;
	if (type != PDH_LOG_TYPE_CSV && type != PDH_LOG_TYPE_TSV && type != PDH_LOG_TYPE_BINARY)
		return PDH_LOG_TYPE_NOT_FOUND;
	if (access & PDH_LOG_OPT_CIRCULAR && (type != PDH_LOG_TYPE_BINARY || !log->max))
		return PDH_INVALID_ARGUMENT;
	if (!find(log->query, QUERY_NODE))
		return PDH_INVALID_HANDLE;
	status = load(log->file, &log->data);
	switch (access & PDH_LOG_CREATE_MASK) {
	case PDH_LOG_CREATE_NEW:
		if (status != (PDH_STATUS)PDH_FILE_NOT_FOUND)
			return PDH_FILE_ALREADY_EXISTS;
		break;
	case PDH_LOG_OPEN_EXISTING:
		TRY(status);
		break;
	case PDH_LOG_CREATE_ALWAYS:
	case PDH_LOG_OPEN_ALWAYS:
		break;
	default:
		return PDH_INVALID_ARGUMENT;
	}
	if (status || !(access & PDH_LOG_OPT_APPEND)) {
		memset(&log->data, 0, sizeof(log->data));
		memcpy(log->data.magic, magic, sizeof(magic));
		log->data.type = type;
	} else if (log->data.type != type)
		return PDH_LOG_TYPE_NOT_FOUND;
	log->writing = TRUE;
	log->circular = (access & PDH_LOG_OPT_CIRCULAR) != 0;
	return ERROR_SUCCESS;
}

static PDH_STATUS open_log(LOG *log, DWORD access, LPDWORD type, LPCWSTR caption)
{
	switch (access & PDH_LOG_ACCESS_MASK) {
	case PDH_LOG_READ_ACCESS:
		if ((access & PDH_LOG_CREATE_MASK) != PDH_LOG_OPEN_EXISTING)
			return PDH_INVALID_ARGUMENT;
		TRY(load(log->file, &log->data));
		if (*type != PDH_LOG_TYPE_UNDEFINED && *type != log->data.type)
			return PDH_LOG_TYPE_NOT_FOUND;
		*type = log->data.type;
		return ERROR_SUCCESS;
	case PDH_LOG_UPDATE_ACCESS:
		return *type == PDH_LOG_TYPE_SQL ? PDH_SQL_CONNECT_FAILED : PDH_INVALID_ARGUMENT;
	case PDH_LOG_WRITE_ACCESS:
		TRY(begin_writing(log, access, *type));
		if (caption && access & PDH_LOG_OPT_USER_STRING)
			wcsncpy(log->data.caption, caption, STRING_UNITS - 1);
		return save(log);
	}
	return PDH_INVALID_ARGUMENT;
}

PDH_FUNCTION PdhOpenLogW(LPCWSTR file, DWORD access, LPDWORD type, PDH_HQUERY query, DWORD max, LPCWSTR caption, PDH_HLOG *handle)
{
	LOG *log;
	PDH_STATUS status;

	MAY_FAIL();
	if (!file || wcslen(file) >= MAX_PATH || !type || !handle)
		return PDH_INVALID_ARGUMENT;
	log = create(LOG_NODE, sizeof(*log));
	wcscpy(log->file, file);
	log->query = query;
	log->max = access & PDH_LOG_OPT_MAX_IS_BYTES ? max : max << 20;
	status = open_log(log, access, type, caption);
	if (status)
		drop(log);
	else
		*handle = log;
	return status;
}

/* take_record makes a record of what a query collected, and the columns for it. */
static void take_record(QUERY *q, LPCWSTR comment, LOGDATA *columns, RECORD *record)
{
	memset(columns->paths, 0, sizeof(columns->paths));
	memset(record, 0, sizeof(*record));
	for (NODE *node = nodes; node; node = node->next) {
		VALUE *v = (VALUE *)node;
		WCHAR names[COLUMNS][64];
		PDH_RAW_COUNTER raw[COLUMNS];
		DWORD n;

		if (node->kind != VALUE_NODE || v->query != q)
			continue;
		n = values(v, q->now, names, raw);
		for (DWORD i = 0; i < n && columns->columns < COLUMNS; i++) {
			DWORD c = columns->columns++;
			PARTS p = v->parts;

			wcscpy(p.instance, names[i]);
			if (v->object) {
				wcscpy(p.object, v->object->local);
				wcscpy(p.counter, v->counter->local);
			}
			join(&p, columns->paths[c], PATH_UNITS);
			columns->types[c] = v->type;
			record->values[c] = raw[i];
		}
	}
	record->time = q->data ? q->data->records[q->now - 1].time : EPOCH + q->now * SECOND;
	if (comment)
		wcsncpy(record->comment, comment, STRING_UNITS - 1);
}

PDH_FUNCTION PdhUpdateLogW(PDH_HLOG handle, LPCWSTR comment)
{
	static LOGDATA columns;
	LOG *log = find(handle, LOG_NODE);
	LOGDATA *data;
	RECORD record;

	MAY_FAIL();
	if (!log || (log->writing && !find(log->query, QUERY_NODE)))
		return PDH_INVALID_HANDLE;
	if (!log->writing)
		return PDH_ACCESS_DENIED;
	TRY(collect(log->query));
	memset(&columns, 0, sizeof(columns));
	take_record(log->query, comment, &columns, &record);
	data = &log->data;
	if (data->n == 0) {
		data->columns = columns.columns;
		memcpy(data->paths, columns.paths, sizeof(data->paths));
		memcpy(data->types, columns.types, sizeof(data->types));
	} else if (data->columns != columns.columns || memcmp(data->paths, columns.paths, sizeof(data->paths)))
		return PDH_UNMATCHED_APPEND_COUNTER;
	else if (record.time <= data->records[data->n - 1].time)
		return PDH_INCORRECT_APPEND_TIME;
	if (data->n == RECORDS || (log->max && bytes_of(data) + sizeof(record) > log->max)) {
		if (!log->circular || data->n == 0)
			return PDH_LOG_FILE_TOO_SMALL;
		memmove(data->records, data->records + 1, --data->n * sizeof(record));
	}
	data->records[data->n++] = record;
	return save(log);
}

PDH_FUNCTION PdhUpdateLogFileCatalog(PDH_HLOG handle)
{
	LOG *log = find(handle, LOG_NODE);

	MAY_FAIL();
	if (!log)
		return PDH_INVALID_HANDLE;
	if (log->data.type == PDH_LOG_TYPE_CSV || log->data.type == PDH_LOG_TYPE_TSV)
		return PDH_NOT_IMPLEMENTED;
	if (!log->writing)
		return PDH_ACCESS_DENIED;
	log->data.catalogs++;
	return save(log);
}

PDH_FUNCTION PdhGetLogFileSize(PDH_HLOG handle, LONGLONG *size)
{
	LOG *log = find(handle, LOG_NODE);
	WIN32_FILE_ATTRIBUTE_DATA file;

	MAY_FAIL();
	if (!log)
		return PDH_INVALID_HANDLE;
	if (!GetFileAttributesExW(log->file, GetFileExInfoStandard, &file))
		return opened(PDH_LOG_FILE_OPEN_ERROR);
	*size = (LONGLONG)file.nFileSizeHigh << 32 | file.nFileSizeLow;
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhCloseLog(PDH_HLOG handle, DWORD flags)
{
	LOG *log = find(handle, LOG_NODE);

	MAY_FAIL();
	if (!log && !find(handle, SOURCE_NODE))
		return PDH_INVALID_HANDLE;
	if (flags & ~PDH_FLAGS_CLOSE_QUERY)
		return PDH_INVALID_ARGUMENT;
	if (log && flags && find(log->query, QUERY_NODE))
		close_query(log->query);
	drop(handle);
	return ERROR_SUCCESS;
}

/* raw_bytes are the values of a binary record, or the row of a text. */
static DWORD raw_bytes(const LOGDATA *data, const RECORD *record, BYTE *to, DWORD room)
{
	char separator = data->type == PDH_LOG_TYPE_TSV ? '\t' : ',';
	int n;

	if (data->type == PDH_LOG_TYPE_BINARY) {
		memcpy(to, record->values, data->columns * sizeof(PDH_RAW_COUNTER));
		return data->columns * sizeof(PDH_RAW_COUNTER);
	}
	n = snprintf((char *)to, room, "\"%lld\"", record->time);
	for (DWORD c = 0; c < data->columns; c++)
		n += snprintf((char *)to + n, room - n, "%c\"%lld\"", separator, record->values[c].FirstValue);
	if (record->comment[0])
		n += snprintf((char *)to + n, room - n, "%c\"%ls\"", separator, record->comment);
	return n;
}

PDH_FUNCTION PdhReadRawLogRecord(PDH_HLOG handle, FILETIME time, PPDH_RAW_LOG_RECORD to, LPDWORD size)
{
	LOG *log = find(handle, LOG_NODE);
	LONGLONG at = (LONGLONG)time.dwHighDateTime << 32 | time.dwLowDateTime;
	BYTE raw[512];

	MAY_FAIL();
	if (!log)
		return PDH_INVALID_HANDLE;
	if (!size)
		return PDH_INVALID_ARGUMENT;
	for (DWORD i = 0; i < log->data.n; i++) {
		DWORD n, need;

		if (log->data.records[i].time != at)
			continue;
		n = raw_bytes(&log->data, &log->data.records[i], raw, sizeof(raw));
		need = offsetof(PDH_RAW_LOG_RECORD, RawBytes) + n;
		TRY(ready(need, to, size));
		to->dwStructureSize = need;
		to->dwRecordType = log->data.type;
		to->dwItems = mode("count") ? 1000000 : n;
		memcpy(to->RawBytes, raw, n);
		return ERROR_SUCCESS;
	}
	return PDH_ENTRY_NOT_IN_LOG_FILE;
}

/* join_logs adds the columns and records of a log to those of another. */
static PDH_STATUS join_logs(LOGDATA *all, const LOGDATA *one)
{
	DWORD column[COLUMNS];

	for (DWORD c = 0; c < one->columns; c++) {
		DWORD k = 0;

		while (k < all->columns && _wcsicmp(all->paths[k], one->paths[c]))
			k++;
		if (k == COLUMNS)
			return PDH_MEMORY_ALLOCATION_FAILURE;
		if (k == all->columns) {
			wcscpy(all->paths[k], one->paths[c]);
			all->types[k] = one->types[c];
			all->columns++;
		}
		column[c] = k;
	}
	for (DWORD i = 0; i < one->n; i++) {
		DWORD at = all->n;

		if (all->n == RECORDS)
			return PDH_MEMORY_ALLOCATION_FAILURE;
		while (at > 0 && all->records[at - 1].time > one->records[i].time)
			at--;
		memmove(&all->records[at + 1], &all->records[at], (all->n++ - at) * sizeof(RECORD));
		all->records[at] = one->records[i];
		for (DWORD k = 0; k < COLUMNS; k++) { /* what the log does not have is missing */
			all->records[at].values[k] = (PDH_RAW_COUNTER){0};
			all->records[at].values[k].CStatus = PDH_CSTATUS_INVALID_DATA;
		}
		for (DWORD c = 0; c < one->columns; c++)
			all->records[at].values[column[c]] = one->records[i].values[c];
	}
	return ERROR_SUCCESS;
}

static PDH_STATUS bind_files(SOURCE *source, LPCWSTR files)
{
	static LOGDATA one;
	DWORD n = 0;

	source->live = !files;
	for (; files && *files; files += wcslen(files) + 1) {
		if (++n > 32)
			return PDH_INVALID_ARGUMENT;
		TRY(load(files, &one));
		if (n > 1 && (one.type != source->data.type || one.type != PDH_LOG_TYPE_BINARY))
			return PDH_INVALID_ARGUMENT;
		source->data.type = one.type;
		TRY(join_logs(&source->data, &one));
	}
	return files && n == 0 ? PDH_INVALID_ARGUMENT : ERROR_SUCCESS;
}

PDH_FUNCTION PdhBindInputDataSourceW(PDH_HLOG *handle, LPCWSTR files)
{
	SOURCE *source;
	PDH_STATUS status;

	MAY_FAIL();
	source = create(SOURCE_NODE, sizeof(*source));
	status = bind_files(source, files);
	if (status)
		drop(source);
	else
		*handle = source;
	return status;
}

static PDH_STATUS time_range(const LOGDATA *data, LPDWORD entries, PPDH_TIME_INFO info, LPDWORD size)
{
	if (!data)
		return PDH_DATA_SOURCE_IS_REAL_TIME;
	if (!entries || !size)
		return PDH_INVALID_ARGUMENT;
	TRY(ready(sizeof(*info), info, size));
	*entries = mode("count") ? 1000000 : 1;
	memset(info, 0, sizeof(*info));
	if (data->n > 0) {
		info->StartTime = data->records[0].time;
		info->EndTime = data->records[data->n - 1].time;
		info->SampleCount = data->n;
	}
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhGetDataSourceTimeRangeW(LPCWSTR source, LPDWORD entries, PPDH_TIME_INFO info, LPDWORD size)
{
	OF_SOURCE(by_name);
	return time_range(data, entries, info, size);
}

PDH_FUNCTION PdhGetDataSourceTimeRangeH(PDH_HLOG source, LPDWORD entries, PPDH_TIME_INFO info, LPDWORD size)
{
	OF_SOURCE(by_handle);
	return time_range(data, entries, info, size);
}

PDH_FUNCTION PdhSetQueryTimeRange(PDH_HQUERY query, PPDH_TIME_INFO info)
{
	QUERY *q = find(query, QUERY_NODE);

	MAY_FAIL();
	if (!q)
		return PDH_INVALID_HANDLE;
	if (!info || info->StartTime > info->EndTime)
		return PDH_INVALID_ARGUMENT;
	if (!q->data)
		return PDH_DATA_SOURCE_IS_REAL_TIME;
	q->from = info->StartTime;
	q->to = info->EndTime;
	q->next = q->now = q->before = 0;
	return ERROR_SUCCESS;
}

/* Whoever sees this dialog chooses live counters, or a file if there are only files. */
PDH_FUNCTION PdhSelectDataSourceW(HWND owner, DWORD flags, LPWSTR source, LPDWORD size)
{
	MAY_FAIL();
	(void)owner;
	if (flags & ~PDH_FLAGS_FILE_BROWSER_ONLY)
		return PDH_INVALID_ARGUMENT;
	if (mode("cancel"))
		return PDH_DIALOG_CANCELLED;
	return flags ? give(L"C:\\fake.blg", 12, source, size) : give(L"", 1, source, size);
}

PDH_FUNCTION PdhEnumLogSetNamesW(LPCWSTR source, LPWSTR names, LPDWORD size)
{
	MAY_FAIL();
	if (!source)
		return PDH_INVALID_ARGUMENT;
	if (_wcsnicmp(source, L"SQL:", 4))
		return PDH_INVALID_DATASOURCE;
	return _wcsicmp(source, L"SQL:Fake") ? (PDH_STATUS)PDH_SQL_CONNECT_FAILED : give(L"first\0second\0", 14, names, size);
}

/* hand_over gives paths to the caller's function, which may ask for another try
 * with a larger buffer. */
static PDH_STATUS hand_over(PPDH_BROWSE_DLG_CONFIG_W config, const WCHAR *paths, DWORD n)
{
	PDH_STATUS status;

	do {
		DWORD room = config->cchReturnPathLength;

		config->CallBackStatus = PDH_MORE_DATA;
		if (n <= room && !mode("endless") && !(mode("room") && room < 10000)) {
			memcpy(config->szReturnPathBuffer, paths, n * sizeof(WCHAR));
			if (mode("unending"))
				wmemset(config->szReturnPathBuffer, L'x', room);
			config->CallBackStatus = ERROR_SUCCESS;
		}
		status = config->pCallBack(config->dwCallBackArg + mode("pointer"));
	} while (status == (PDH_STATUS)PDH_RETRY && config->CallBackStatus == (PDH_STATUS)PDH_RETRY);
	return status;
}

/* Whoever sees this dialog chooses every counter of the source, and all instances
 * of it if the dialog offers that. */
static PDH_STATUS browse(const LOGDATA *data, PPDH_BROWSE_DLG_CONFIG_W config)
{
	LIST list = {0};
	PARTS p;

	if (!config->pCallBack || !config->szReturnPathBuffer || (config->hWndOwner && !IsWindow(config->hWndOwner)) ||
		config->dwDefaultDetailLevel > PERF_DETAIL_WIZARD || config->dwDefaultDetailLevel < PERF_DETAIL_NOVICE)
		return PDH_INVALID_ARGUMENT;
	if (mode("cancel") || (mode("title") && (!config->szDialogBoxCaption || wcscmp(config->szDialogBoxCaption, L"Counters"))))
		return PDH_DIALOG_CANCELLED;
	EACH_PATH(data, p) {
		WCHAR chosen[PATH_UNITS], *index = wcschr(p.instance, L'#');

		if (p.instance[0] && config->bWildCardInstances)
			wcscpy(p.instance, L"*");
		else if (index && !config->bIncludeInstanceIndex)
			*index = 0;
		join(&p, chosen, PATH_UNITS);
		if (list.n == 0 || !config->bSingleCounterPerDialog)
			add_once(&list, chosen);
	}
	if (!config->bSingleCounterPerAdd) {
		list.text[list.n] = 0;
		return hand_over(config, list.text, list.n + 1);
	}
	for (const WCHAR *s = list.text; s < list.text + list.n; s += wcslen(s) + 1) {
		WCHAR one[PATH_UNITS + 1] = {0};

		wcscpy(one, s);
		TRY(hand_over(config, one, wcslen(one) + 2));
	}
	return ERROR_SUCCESS;
}

PDH_FUNCTION PdhBrowseCountersW(PPDH_BROWSE_DLG_CONFIG_W config)
{
	const LOGDATA *data;

	MAY_FAIL();
	if (!config)
		return PDH_NO_DIALOG_DATA;
	TRY(by_name(config->szDataSource, &data));
	return browse(data, config);
}

PDH_FUNCTION PdhBrowseCountersHW(PPDH_BROWSE_DLG_CONFIG_HW config)
{
	const LOGDATA *data;

	MAY_FAIL();
	if (!config)
		return PDH_NO_DIALOG_DATA;
	TRY(by_handle(config->hDataSource, &data));
	return browse(data, (PPDH_BROWSE_DLG_CONFIG_W)config);
}
