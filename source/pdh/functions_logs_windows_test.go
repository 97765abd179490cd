package pdh

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
)

func logCases() []functionCase {
	// opens opens a log that may be there already.
	opens := func(about, there string, access, typ uint32, maxSize uint32, want error) functionCase {
		return functionCase{"PdhOpenLogW", about, "", want, func(r *rig) func(api) error {
			if there != "" {
				r.log(there, winapi.PDH_LOG_TYPE_BINARY, 1)
			}
			query, _ := r.query(logged...)
			return func(a api) error {
				log, is, err := a.OpenLog(r.file("a.blg"), access, typ, query, maxSize, "caption")
				if err == nil {
					err = r.CloseLog(log, 0)
				}
				if typ == winapi.PDH_LOG_TYPE_UNDEFINED {
					return same(is, err, winapi.PDH_LOG_TYPE_BINARY)
				}
				return same(is, err, typ)
			}
		}}
	}
	const (
		write, read, update = winapi.PDH_LOG_WRITE_ACCESS, winapi.PDH_LOG_READ_ACCESS, winapi.PDH_LOG_UPDATE_ACCESS
		createNew, always   = winapi.PDH_LOG_CREATE_NEW, winapi.PDH_LOG_CREATE_ALWAYS
		openOr, existing    = winapi.PDH_LOG_OPEN_ALWAYS, winapi.PDH_LOG_OPEN_EXISTING
		circular, inBytes   = winapi.PDH_LOG_OPT_CIRCULAR, winapi.PDH_LOG_OPT_MAX_IS_BYTES
		appending, comments = winapi.PDH_LOG_OPT_APPEND, winapi.PDH_LOG_OPT_USER_STRING
		blg, csv, tsv, sql  = winapi.PDH_LOG_TYPE_BINARY, winapi.PDH_LOG_TYPE_CSV, winapi.PDH_LOG_TYPE_TSV, winapi.PDH_LOG_TYPE_SQL
	)
	openAs := func(about, name string, want error) functionCase {
		return functionCase{"PdhOpenLogW", about, "", want, func(r *rig) func(api) error {
			query, _ := r.query(logged...)
			return func(a api) error { _, _, err := a.OpenLog(r.file(name), writeNew, blg, query, 0, ""); return err }
		}}
	}
	// written is a case of a log that is being written, with n records.
	written := func(function, about string, typ uint32, n int, want error, f func(r *rig, a api, log uintptr) error) functionCase {
		return functionCase{function, about, "", want, func(r *rig) func(api) error {
			query, _ := r.query(logged...)
			log := r.open("a.log", writeNew, typ, query)
			for range n {
				if err := r.UpdateLog(log, ""); err != nil {
					r.t.Fatal(err)
				}
			}
			return func(a api) error { return f(r, a, log) }
		}}
	}
	// reading is a case of a log that is read, whose first of three records has a time.
	reading := func(function, about, fake string, typ uint32, want error, f func(a api, log uintptr, begin int64) error) functionCase {
		return functionCase{function, about, fake, want, func(r *rig) func(api) error {
			_, begin := r.log("a.log", typ, 3)
			log := r.open("a.log", readIt, winapi.PDH_LOG_TYPE_UNDEFINED, 0)
			return func(a api) error { return f(a, log, begin) }
		}}
	}
	updateIt := func(_ *rig, a api, log uintptr) error { return a.UpdateLog(log, "comment") }
	catalog := func(_ *rig, a api, log uintptr) error { return a.UpdateLogFileCatalog(log) }
	readRecord := func(a api, log uintptr, begin int64) error { _, err := record(a, log, begin); return err }
	row := func(about string, typ uint32, separator string) functionCase {
		return reading("PdhReadRawLogRecord", about, "", typ, nil, func(a api, log uintptr, begin int64) error {
			got, err := record(a, log, begin+second)
			fields := strings.Split(string(got.Data), separator)
			if err == nil && (got.Type != typ || len(fields) != 5 || fields[0] != fmt.Sprintf("%q", fmt.Sprint(begin+second)) || fields[4] != `"no. 1"`) {
				return fmt.Errorf("type %d, fields %q", got.Type, fields)
			}
			return err
		})
	}
	return []functionCase{
		opens("new", "", write|createNew, blg, 0, nil),
		opens("new instead", "a.blg", write|always, csv, 0, nil),
		opens("new or there", "", write|openOr, tsv, 0, nil),
		opens("there", "a.blg", write|existing|appending|comments, blg, 0, nil),
		opens("circular", "", write|always|circular|inBytes, blg, 5000, nil),
		opens("read", "a.blg", read|existing, winapi.PDH_LOG_TYPE_UNDEFINED, 0, nil),
		opens("exists already", "a.blg", write|createNew, blg, 0, fs.ErrExist),
		opens("not there", "", write|existing, blg, 0, winapi.PDH_FILE_NOT_FOUND),
		opens("not there to be read", "", read|existing, blg, 0, fs.ErrNotExist),
		opens("to be read but created", "a.blg", read|always, blg, 0, winapi.PDH_INVALID_ARGUMENT),
		opens("no access", "", always, blg, 0, winapi.PDH_INVALID_ARGUMENT),
		opens("two kinds of access", "", read|write|always, blg, 0, winapi.PDH_INVALID_ARGUMENT),
		opens("no way to open", "", write, blg, 0, winapi.PDH_INVALID_ARGUMENT),
		opens("no type", "", write|always, winapi.PDH_LOG_TYPE_UNDEFINED, 0, winapi.PDH_LOG_TYPE_NOT_FOUND),
		opens("type that is only read", "", write|always, winapi.PDH_LOG_TYPE_PERFMON, 0, winapi.PDH_LOG_TYPE_NOT_FOUND),
		opens("read as another type", "a.blg", read|existing, csv, 0, winapi.PDH_LOG_TYPE_NOT_FOUND),
		opens("appended as another type", "a.blg", write|existing|appending, tsv, 0, winapi.PDH_LOG_TYPE_NOT_FOUND),
		opens("circular text", "", write|always|circular, csv, 1, winapi.PDH_INVALID_ARGUMENT),
		opens("circular without a size", "", write|always|circular, blg, 0, winapi.PDH_INVALID_ARGUMENT),
		opens("updated, but no database", "a.blg", update|existing, blg, 0, winapi.PDH_INVALID_ARGUMENT),
		opens("database to be updated", "", update|existing, sql, 0, winapi.PDH_SQL_CONNECT_FAILED),
		opens("database", "", write|always, sql, 0, winapi.PDH_SQL_CONNECT_FAILED),
		openAs("directory", "", winapi.PDH_ACCESS_DENIED),
		openAs("directory that is not there", `none\a.blg`, winapi.PDH_LOG_FILE_CREATE_ERROR),
		openAs("NUL in the name", "\x00", winapi.PDH_INVALID_ARGUMENT),
		direct("PdhOpenLogW", "no name", "", winapi.PDH_INVALID_ARGUMENT, func(a api) error { _, _, err := a.OpenLog("", writeNew, blg, 1, 0, ""); return err }),
		{"PdhOpenLogW", "unknown query", "", winapi.PDH_INVALID_HANDLE, func(r *rig) func(api) error {
			return func(a api) error { _, _, err := a.OpenLog(r.file("a.blg"), writeNew, blg, 1, 0, ""); return err }
		}},
		{"PdhOpenLogW", "caption", "", nil, func(r *rig) func(api) error {
			query, _ := r.query(logged...)
			return func(a api) error {
				var got []bool
				for _, options := range []uint32{comments, 0} {
					log, _, err := a.OpenLog(r.file("a.tsv"), write|always|options, tsv, query, 0, "caption")
					if err != nil {
						return err
					}
					content, err := os.ReadFile(r.file("a.tsv"))
					if err := errors.Join(err, r.CloseLog(log, 0)); err != nil {
						return err
					}
					got = append(got, bytes.Contains(content, []byte("c\x00a\x00p\x00t\x00i\x00o\x00n\x00")))
				}
				return same(got, nil, []bool{true, false})
			}
		}},
		{"PdhOpenLogW", "file of another kind", "", winapi.PDH_UNKNOWN_LOG_FORMAT, func(r *rig) func(api) error {
			if err := os.WriteFile(r.file("a.blg"), make([]byte, 10_000), 0o666); err != nil {
				r.t.Fatal(err)
			}
			return func(a api) error { _, _, err := a.OpenLog(r.file("a.blg"), readIt, blg, 0, 0, ""); return err }
		}},
		{"PdhOpenLogW", "file without a head", "", winapi.PDH_UNABLE_READ_LOG_HEADER, func(r *rig) func(api) error {
			if err := os.WriteFile(r.file("a.blg"), nil, 0o666); err != nil {
				r.t.Fatal(err)
			}
			return func(a api) error { _, _, err := a.OpenLog(r.file("a.blg"), readIt, blg, 0, 0, ""); return err }
		}},

		written("PdhUpdateLogW", "values of the query", blg, 1, nil, func(r *rig, a api, log uintptr) error {
			if err := a.UpdateLog(log, "comment"); err != nil {
				return err
			}
			query, counters := r.of(r.file("a.log"), columns...)
			var got []int64
			for range 2 {
				if err := r.Collect(query); err != nil {
					return err
				}
				var v winapi.PDH_RAW_COUNTER
				for _, c := range counters {
					if err := r.RawValue(c, &v); err != nil {
						return err
					}
					got = append(got, v.FirstValue)
				}
			}
			n := got[0] // the number of the sample, of which all values follow
			return same(got, nil, []int64{n, 20 * n, 30 * n, n + 1, 20 * (n + 1), 30 * (n + 1)})
		}),
		{"PdhUpdateLogW", "of another log", "", nil, func(r *rig) func(api) error {
			file, begin := r.log("a.blg", blg, 2)
			query, _ := r.of(file, columns...)
			log := r.open("b.csv", writeNew, csv, query)
			return func(a api) error {
				err := errors.Join(a.UpdateLog(log, ""), a.UpdateLog(log, ""))
				return same(ranges(r.t, r.api, r.file("b.csv")), err, winapi.PDH_TIME_INFO{StartTime: begin, EndTime: begin + second, SampleCount: 2})
			}
		}},
		{"PdhUpdateLogW", "circular keeps the newest", "", nil, func(r *rig) func(api) error {
			query, _ := r.query(logged...)
			full, _ := r.log("full.blg", blg, 3)
			info, err := os.Stat(full)
			if err != nil {
				r.t.Fatal(err)
			}
			log, _, err := r.OpenLog(r.file("a.blg"), write|always|circular|inBytes, blg, query, uint32(info.Size()), "")
			if err != nil {
				r.t.Fatal(err)
			}
			r.later(func() error { return r.CloseLog(log, 0) })
			return func(a api) error {
				for range 5 {
					if err := a.UpdateLog(log, ""); err != nil {
						return err
					}
				}
				got, err := r.LogFileSize(log)
				if err := same(got, err, info.Size()); err != nil {
					return err
				}
				is := ranges(r.t, r.api, r.file("a.blg"))
				return same([]int64{is.EndTime - is.StartTime, int64(is.SampleCount)}, nil, []int64{2 * second, 3})
			}
		}},
		{"PdhUpdateLogW", "full", "", winapi.PDH_LOG_FILE_TOO_SMALL, func(r *rig) func(api) error {
			query, _ := r.query(logged...)
			log, _, err := r.OpenLog(r.file("a.blg"), write|always|inBytes, blg, query, 1, "")
			if err != nil {
				r.t.Fatal(err)
			}
			r.later(func() error { return r.CloseLog(log, 0) })
			return func(a api) error { return a.UpdateLog(log, "") }
		}},
		{"PdhUpdateLogW", "other counters than before", "", winapi.PDH_UNMATCHED_APPEND_COUNTER, func(r *rig) func(api) error {
			r.log("a.blg", blg, 1)
			query, _ := r.query(`\Prozess(*)\Handles`)
			log := r.open("a.blg", write|existing|appending, blg, query)
			return func(a api) error { return a.UpdateLog(log, "") }
		}},
		{"PdhUpdateLogW", "older than what is there", "", winapi.PDH_INCORRECT_APPEND_TIME, func(r *rig) func(api) error {
			old, _ := r.log("old.blg", blg, 1)
			r.log("a.blg", blg, 1)
			query, _ := r.of(old, columns...)
			log := r.open("a.blg", write|existing|appending, blg, query)
			return func(a api) error { return a.UpdateLog(log, "") }
		}},
		{"PdhUpdateLogW", "end of the other log", "", winapi.PDH_NO_MORE_DATA, func(r *rig) func(api) error {
			file, _ := r.log("a.blg", blg, 1)
			query, _ := r.of(file, columns...)
			log := r.open("b.blg", writeNew, blg, query)
			if err := r.UpdateLog(log, ""); err != nil {
				r.t.Fatal(err)
			}
			return func(a api) error { return a.UpdateLog(log, "") }
		}},
		{"PdhUpdateLogW", "no counters", "", winapi.PDH_NO_DATA, func(r *rig) func(api) error {
			query, _ := r.query()
			log := r.open("a.blg", writeNew, blg, query)
			return func(a api) error { return a.UpdateLog(log, "") }
		}},
		{"PdhUpdateLogW", "query is closed", "", winapi.PDH_INVALID_HANDLE, func(r *rig) func(api) error {
			query, _ := r.query(logged...)
			log := r.open("a.blg", writeNew, blg, query)
			if err := r.CloseQuery(query); err != nil {
				r.t.Fatal(err)
			}
			return func(a api) error { return a.UpdateLog(log, "") }
		}},
		reading("PdhUpdateLogW", "is read", "", blg, winapi.PDH_ACCESS_DENIED, func(a api, log uintptr, _ int64) error { return updateIt(nil, a, log) }),
		direct("PdhUpdateLogW", "unknown log", "", winapi.PDH_INVALID_HANDLE, func(a api) error { return a.UpdateLog(1, "") }),
		written("PdhUpdateLogW", "NUL in the comment", blg, 0, winapi.PDH_INVALID_ARGUMENT, func(_ *rig, a api, log uintptr) error { return a.UpdateLog(log, "\x00") }),

		written("PdhUpdateLogFileCatalog", "binary", blg, 1, nil, catalog),
		written("PdhUpdateLogFileCatalog", "CSV", csv, 1, winapi.PDH_NOT_IMPLEMENTED, catalog),
		written("PdhUpdateLogFileCatalog", "TSV", tsv, 1, winperf.ErrNotSupported, catalog),
		reading("PdhUpdateLogFileCatalog", "is read", "", blg, winapi.PDH_ACCESS_DENIED, func(a api, log uintptr, _ int64) error { return a.UpdateLogFileCatalog(log) }),
		direct("PdhUpdateLogFileCatalog", "unknown log", "", winapi.PDH_INVALID_HANDLE, func(a api) error { return a.UpdateLogFileCatalog(1) }),

		written("PdhGetLogFileSize", "of the file", blg, 3, nil, func(r *rig, a api, log uintptr) error {
			info, err := os.Stat(r.file("a.log"))
			if err != nil {
				return err
			}
			got, err := a.LogFileSize(log)
			return same(got, err, info.Size())
		}),
		written("PdhGetLogFileSize", "file was removed", blg, 1, winapi.PDH_FILE_NOT_FOUND, func(r *rig, a api, log uintptr) error {
			if err := os.Remove(r.file("a.log")); err != nil {
				r.t.Error(err)
			}
			_, err := a.LogFileSize(log)
			return err
		}),
		direct("PdhGetLogFileSize", "unknown log", "", winapi.PDH_INVALID_HANDLE, func(a api) error { _, err := a.LogFileSize(1); return err }),
		{"PdhGetLogFileSize", "of several logs", "", winapi.PDH_INVALID_HANDLE, func(r *rig) func(api) error {
			file, _ := r.log("a.blg", blg, 1)
			source := r.source(file)
			return func(a api) error { _, err := a.LogFileSize(source); return err }
		}},

		written("PdhCloseLog", "alone", blg, 0, nil, func(_ *rig, a api, log uintptr) error { return a.CloseLog(log, 0) }),
		{"PdhCloseLog", "with its query", "", nil, func(r *rig) func(api) error {
			query, _ := r.query(logged...)
			log := r.open("a.blg", writeNew, blg, query)
			return func(a api) error {
				if err := a.CloseLog(log, winapi.PDH_FLAGS_CLOSE_QUERY); err != nil {
					return err
				}
				return same(r.Collect(query), nil, error(winapi.PDH_INVALID_HANDLE))
			}
		}},
		written("PdhCloseLog", "unknown flag", blg, 0, winapi.PDH_INVALID_ARGUMENT, func(_ *rig, a api, log uintptr) error { return a.CloseLog(log, 2) }),
		written("PdhCloseLog", "twice", blg, 0, winapi.PDH_INVALID_HANDLE, func(r *rig, a api, log uintptr) error {
			if err := a.CloseLog(log, 0); err != nil {
				r.t.Error(err)
			}
			return a.CloseLog(log, 0)
		}),

		reading("PdhReadRawLogRecord", "binary", "", blg, nil, func(a api, log uintptr, begin int64) error {
			got, err := record(a, log, begin+2*second)
			if err != nil {
				return err
			}
			const size = 40 // PDH_RAW_COUNTER
			if got.Type != blg || len(got.Data) != len(columns)*size {
				return fmt.Errorf("type %d, %d bytes", got.Type, len(got.Data))
			}
			first := func(i int) uint64 { return binary.LittleEndian.Uint64(got.Data[i*size+16:]) }
			return same([]uint64{first(1), first(2)}, nil, []uint64{20 * first(0), 30 * first(0)})
		}),
		row("CSV", csv, ","),
		row("TSV", tsv, "\t"),
		reading("PdhReadRawLogRecord", "no such time", "", blg, winapi.PDH_ENTRY_NOT_IN_LOG_FILE, func(a api, log uintptr, begin int64) error { return readRecord(a, log, begin+1) }),
		reading("PdhReadRawLogRecord", "high half of the time", "", blg, winapi.PDH_ENTRY_NOT_IN_LOG_FILE, func(a api, log uintptr, begin int64) error {
			return readRecord(a, log, begin+1<<32)
		}),
		reading("PdhReadRawLogRecord", "without a buffer", "", blg, winapi.PDH_MORE_DATA, func(a api, log uintptr, begin int64) error {
			_, err := a.ReadRawLogRecord(log, begin, nil)
			return err
		}),
		reading("PdhReadRawLogRecord", "more data than the record", "count", blg, winperf.ErrBadData, readRecord),
		reading("PdhReadRawLogRecord", "wrong size", "size", blg, winperf.ErrBadData, readRecord),
		reading("PdhReadRawLogRecord", "never enough", "endless", csv, winperf.ErrBadData, readRecord),
		direct("PdhReadRawLogRecord", "unknown log", "", winapi.PDH_INVALID_HANDLE, func(a api) error { return readRecord(a, 1, 1) }),
	}
}

func sourceCases() []functionCase {
	const blg, csv, tsv = winapi.PDH_LOG_TYPE_BINARY, winapi.PDH_LOG_TYPE_CSV, winapi.PDH_LOG_TYPE_TSV
	// binds binds new logs of the types.
	binds := func(about string, want error, types ...uint32) functionCase {
		return functionCase{"PdhBindInputDataSourceW", about, "", want, func(r *rig) func(api) error {
			var files []string
			for i, typ := range types {
				file, _ := r.log(fmt.Sprint(i, ".log"), typ, 1)
				files = append(files, file)
			}
			return func(a api) error {
				source, err := a.BindInputDataSource(files...)
				if err == nil {
					err = r.CloseLog(source, 0)
				}
				return err
			}
		}}
	}
	bindNames := func(about string, want error, names ...string) functionCase {
		return functionCase{"PdhBindInputDataSourceW", about, "", want, func(r *rig) func(api) error {
			return func(a api) error { _, err := a.BindInputDataSource(names...); return err }
		}}
	}
	byHandle := func(a api, source uintptr) (winapi.PDH_TIME_INFO, error) {
		return timeInfo(func(buf winapi.Memory) (uint32, uint32, error) { return a.TimeRangeH(source, buf) })
	}
	// Both forms have the same errors.
	forms := map[string]func(r *rig, a api, file string, buf winapi.Memory) (uint32, uint32, error){
		"PdhGetDataSourceTimeRangeW": func(_ *rig, a api, file string, buf winapi.Memory) (uint32, uint32, error) {
			return a.TimeRange(file, buf)
		},
		"PdhGetDataSourceTimeRangeH": func(r *rig, a api, file string, buf winapi.Memory) (uint32, uint32, error) {
			if file == "" {
				return a.TimeRangeH(0, buf)
			}
			source := must[uintptr](r.t)(r.BindInputDataSource(file))
			defer func() {
				if err := r.CloseLog(source, 0); err != nil {
					r.t.Error(err)
				}
			}()
			return a.TimeRangeH(source, buf)
		},
	}
	var all []functionCase
	for function, f := range forms {
		on := func(about, fake string, typ uint32, samples int, want error) functionCase {
			return functionCase{function, about, fake, want, func(r *rig) func(api) error {
				file, begin := r.log("a.log", typ, samples)
				return func(a api) error {
					got, err := timeInfo(func(buf winapi.Memory) (uint32, uint32, error) { return f(r, a, file, buf) })
					info := winapi.PDH_TIME_INFO{StartTime: begin, EndTime: begin + int64(samples-1)*second, SampleCount: uint32(samples)}
					if samples == 0 {
						info = winapi.PDH_TIME_INFO{}
					}
					return same(got, err, info)
				}
			}}
		}
		all = append(all,
			on("binary", "", blg, 3, nil), on("CSV", "", csv, 2, nil), on("no records", "", blg, 0, nil),
			on("more than there is room for", "count", blg, 1, winperf.ErrBadData),
			on("wrong size", "size", blg, 1, winperf.ErrBadData),
			on("never enough", "endless", blg, 1, winperf.ErrBadData),
			functionCase{function, "live", "", winapi.PDH_DATA_SOURCE_IS_REAL_TIME, func(r *rig) func(api) error {
				return func(a api) error { _, _, err := f(r, a, "", make(winapi.Memory, 3)); return err }
			}},
			functionCase{function, "without a buffer", "", winapi.PDH_MORE_DATA, func(r *rig) func(api) error {
				file, _ := r.log("a.blg", blg, 1)
				return func(a api) error {
					size, _, err := f(r, a, file, nil)
					if size != 24 {
						r.t.Errorf("%d bytes are needed", size)
					}
					return err
				}
			}})
	}
	all = append(all, wrongSources("PdhGetDataSourceTimeRangeH", func(a api, source uintptr) error { _, err := byHandle(a, source); return err })...)
	sets := func(about, source, fake string, want error) functionCase {
		return direct("PdhEnumLogSetNamesW", about, fake, want, func(a api) error {
			got, err := texts(func(buf []uint16) (uint32, error) { return a.EnumLogSetNames(source, buf) })
			return same(got, err, []string{"first", "second"})
		})
	}
	for _, lie := range lies {
		all = append(all, sets("lie: "+lie, "SQL:Fake", lie, winperf.ErrBadData))
	}
	return append(all,
		binds("one binary", nil, blg),
		binds("32 binary", nil, slices.Repeat([]uint32{blg}, 32)...),
		binds("CSV", nil, csv),
		binds("live", nil),
		binds("33 binary", winapi.PDH_INVALID_ARGUMENT, slices.Repeat([]uint32{blg}, 33)...),
		binds("two CSV", winapi.PDH_INVALID_ARGUMENT, csv, csv),
		binds("two TSV", winapi.PDH_INVALID_ARGUMENT, tsv, tsv),
		binds("two types", winapi.PDH_INVALID_ARGUMENT, blg, csv),
		bindNames("no such file", fs.ErrNotExist, `C:\none.blg`),
		bindNames("no name", winapi.PDH_INVALID_ARGUMENT, ""),
		bindNames("no second name", winapi.PDH_INVALID_ARGUMENT, `C:\none.blg`, ""),
		bindNames("NUL in the name", winapi.PDH_INVALID_ARGUMENT, "a\x00b"),
		functionCase{"PdhBindInputDataSourceW", "in the order of time", "", nil, func(r *rig) func(api) error {
			one, begin := r.log("a.blg", blg, 2)
			two, _ := r.log("b.blg", blg, 3)
			return func(a api) error {
				source, err := a.BindInputDataSource(two, one)
				if err != nil {
					return err
				}
				r.later(func() error { return r.CloseLog(source, 0) })
				query, counters := r.with(must[uintptr](r.t)(r.OpenQueryH(source)), columns[0])
				var got []int64
				for range 5 {
					time, err := r.CollectWithTime(query)
					if err != nil {
						return err
					}
					var v winapi.PDH_RAW_COUNTER
					err = r.RawValue(counters[0], &v)
					if err := same(v.CStatus, err, winapi.PDH_CSTATUS_VALID_DATA); err != nil {
						return err
					}
					got = append(got, (time-begin)/second)
				}
				return same(got, nil, []int64{0, 1, 2, 3, 4})
			}
		}},
		onLogs("PdhGetDataSourceTimeRangeH", func(a api, source uintptr) error {
			got, err := byHandle(a, source)
			return same([]int64{got.EndTime - got.StartTime, int64(got.SampleCount)}, err, []int64{2 * second, 3})
		}),
		functionCase{"PdhGetDataSourceTimeRangeH", "bound live counters", "", winapi.PDH_DATA_SOURCE_IS_REAL_TIME, func(r *rig) func(api) error {
			source := r.source()
			return func(a api) error { _, err := byHandle(a, source); return err }
		}},
		direct("PdhGetDataSourceTimeRangeW", "no such file", "", winapi.PDH_FILE_NOT_FOUND, func(a api) error { _, _, err := a.TimeRange(`C:\none.blg`, nil); return err }),
		sets("database", "SQL:Fake", "", nil),
		sets("no such database", "SQL:none", "", winapi.PDH_SQL_CONNECT_FAILED),
		sets("file", `C:\a.blg`, "", winapi.PDH_INVALID_DATASOURCE),
		sets("no name", "", "", winapi.PDH_INVALID_ARGUMENT),
		direct("PdhEnumLogSetNamesW", "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error { _, err := a.EnumLogSetNames("SQL:Fake", nil); return err }),
	)
}

func dialogCases() (all []functionCase) {
	selects := func(about, fake string, flags uint32, want error, name string) functionCase {
		return direct("PdhSelectDataSourceW", about, fake, want, func(a api) error {
			got, err := word(func(buf []uint16) (uint32, error) { return a.SelectDataSource(0, flags, buf) })
			return same(got, err, name)
		})
	}
	stop := errors.New("enough")
	forms := map[string]func(a api) func(winapi.BrowseDialog) error{
		"PdhBrowseCountersW": func(a api) func(winapi.BrowseDialog) error {
			return func(d winapi.BrowseDialog) error { return a.BrowseCounters("", d) }
		},
		"PdhBrowseCountersHW": func(a api) func(winapi.BrowseDialog) error {
			return func(d winapi.BrowseDialog) error { return a.BrowseCountersH(0, d) }
		},
	}
	const wild = `\\HOST\Prozess(*)\Handles \\HOST\Prozess(*)\E/A pro s \\HOST\Speicher\Bytes \\HOST\Speicher\Text`
	for function, f := range forms {
		on := func(about, fake string, flags uint32, want error, chosen ...string) functionCase {
			return direct(function, about, fake, want, func(a api) error {
				got, err := browse(f(a), flags)
				return same(got, err, chosen)
			})
		}
		all = append(all,
			on("all instances", "", winapi.BrowseWildCardInstances, nil, wild),
			on("one at a time", "", winapi.BrowseWildCardInstances|winapi.BrowseSingleCounterPerAdd, nil, strings.Split(strings.ReplaceAll(wild, ` \\`, `|\\`), "|")...),
			on("one", "", winapi.BrowseSingleCounterPerDialog, nil, `\\HOST\Prozess(idle)\Handles`),
			on("larger buffer", "room", winapi.BrowseWildCardInstances, nil, wild),
			on("title", "title", winapi.BrowseWildCardInstances, nil, wild),
			on("cancelled", "cancel", 0, winapi.PDH_DIALOG_CANCELLED),
			on("no dialog data", function+"=C0000BC7", 0, winapi.PDH_NO_DIALOG_DATA),
			on("never enough", "endless", 0, winperf.ErrBadData),
			on("text without an end", "unending", 0, winperf.ErrBadData),
			on("wrong argument", "pointer", 0, winapi.PDH_INVALID_ARGUMENT),
			direct(function, "with and without the index", "", nil, func(a api) error {
				without, err1 := browse(f(a), 0)
				with, err2 := browse(f(a), winapi.BrowseIncludeInstanceIndex)
				return same([]bool{strings.Contains(fmt.Sprint(without), "#1"), strings.Contains(fmt.Sprint(with), "svchost#1")},
					errors.Join(err1, err2), []bool{false, true})
			}),
			direct(function, "ended by the caller", "", stop, func(a api) error {
				return f(a)(winapi.BrowseDialog{Detail: winapi.PERF_DETAIL_WIZARD, Chosen: func([]uint16) error { return stop }})
			}),
			direct(function, "no such window", "", winapi.PDH_INVALID_ARGUMENT, func(a api) error {
				return f(a)(winapi.BrowseDialog{Owner: 1, Detail: winapi.PERF_DETAIL_WIZARD})
			}),
			direct(function, "no detail", "", winapi.PDH_INVALID_ARGUMENT, func(a api) error { return f(a)(winapi.BrowseDialog{}) }),
			direct(function, "NUL in the caption", "", winapi.PDH_INVALID_ARGUMENT, func(a api) error { return f(a)(winapi.BrowseDialog{Caption: "\x00"}) }))
	}
	all = append(all, wrongSources("PdhBrowseCountersHW", func(a api, source uintptr) error {
		_, err := browse(func(d winapi.BrowseDialog) error { return a.BrowseCountersH(source, d) }, 0)
		return err
	})...)
	return append(all,
		functionCase{"PdhBrowseCountersW", "log", "", nil, func(r *rig) func(api) error {
			file, _ := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 1)
			return func(a api) error {
				got, err := browse(func(d winapi.BrowseDialog) error { return a.BrowseCounters(file, d) }, winapi.BrowseIncludeInstanceIndex)
				return same(got, err, []string{strings.Join(columns, " ")})
			}
		}},
		direct("PdhBrowseCountersW", "no such file", "", winapi.PDH_FILE_NOT_FOUND, func(a api) error {
			return a.BrowseCounters(`C:\none.blg`, winapi.BrowseDialog{})
		}),
		onLogs("PdhBrowseCountersHW", func(a api, source uintptr) error {
			got, err := browse(func(d winapi.BrowseDialog) error { return a.BrowseCountersH(source, d) }, winapi.BrowseIncludeInstanceIndex)
			return same(got, err, []string{strings.Join(columns, " ")})
		}),
		selects("file", "", winapi.PDH_FLAGS_FILE_BROWSER_ONLY, nil, `C:\fake.blg`),
		selects("live", "", 0, nil, ""),
		selects("cancelled", "cancel", 0, winapi.PDH_DIALOG_CANCELLED, ""),
		selects("unknown flag", "", 2, winapi.PDH_INVALID_ARGUMENT, ""),
		selects("wrong size", "size", 1, winperf.ErrBadData, ""),
		selects("never enough", "endless", 1, winperf.ErrBadData, ""),
		selects("text without an end", "unending", 1, winperf.ErrBadData, ""),
		direct("PdhSelectDataSourceW", "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error { _, err := a.SelectDataSource(0, 1, nil); return err }),
	)
}
