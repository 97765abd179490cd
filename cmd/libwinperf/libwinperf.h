/*
 * libwinperf: performance counters in the Windows model, for programs in C, Python and Java.
 *
 * Handles. Sources, snapshots, listeners and regions have handles: numbers above 0, which are not reused for a long
 * time. Every function refuses a handle that is unknown, closed or of another kind.
 *
 * Results. A function returns 0 or more if it succeeds, otherwise one of the negative codes below.
 * winperf_error_text returns the message.
 *
 * Threads. Any thread may call any function. Each function on a snapshot has two forms. The plain form never waits: it
 * returns WINPERF_STATE if another thread does something incompatible on the same snapshot. The form with _safe waits.
 * Several threads may browse the structure and read values; prepare, sample, decode and destroy run alone.
 *
 * Texts and arrays. Texts are UTF-8 and end with a NUL; a list of texts ends with one more NUL. The caller owns all
 * arrays. A function ..._length returns the number of bytes of a text or list with all NULs, a function ..._count the
 * number of elements. A function ..._get takes the sizes of its arrays in *length and *count, and replaces them by
 * the required sizes. If an array is too small, it returns WINPERF_SIZE and writes nothing else. An array of size 0
 * may be NULL.
 *
 * Signals. A signal handler that runs on a thread inside the library needs SA_ONSTACK. Without it the handler
 * overflows a small Go stack and corrupts memory. winperf_source_open and winperf_listen set SA_ONSTACK on existing
 * handlers. Set it on handlers that you install later. Python sets it from version 3.10 on.
 *
 * Forks. A forked process has no threads of the library, and can only start another program.
 *
 * docs/libwinperf.md has examples in C, Python and Java.
 */
#ifndef LIBWINPERF_H
#define LIBWINPERF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t winperf_handle;

/* Result codes. Their numbers do not change; new codes are added at the end. */
enum {
	WINPERF_OK = 0,
	WINPERF_FAILED = -1,        /* the source or the system failed */
	WINPERF_HANDLE = -2,        /* the handle is unknown or closed */
	WINPERF_KIND = -3,          /* the handle is of another kind */
	WINPERF_STATE = -4,         /* not allowed in this state, or another operation is running */
	WINPERF_ARGUMENT = -5,      /* a pointer, number or text is invalid */
	WINPERF_ANOMALY = -6,       /* the values are usable; see winperf_snapshot_anomalies_get */
	WINPERF_SIZE = -7,          /* an array is too small */
	WINPERF_NOT_FOUND = -8,     /* no such object, counter, instance, machine or file */
	WINPERF_NOT_SUPPORTED = -9, /* the source or the system cannot do this */
	WINPERF_TIMEOUT = -10,      /* the operation took longer than its timeout */
	WINPERF_END = -11,          /* the end of the log is reached */
	WINPERF_DAMAGED = -12,      /* the data are damaged */
	WINPERF_TOO_MANY = -13      /* more handles or data than allowed */
};

/* The version of this interface as a number, and the version of the library as a text. */
int32_t winperf_interface(void); /* 1 */
int32_t winperf_version_length(void);
int32_t winperf_version_text(char *text, int32_t *length);

/* A short description of a code. */
int32_t winperf_code_text(int32_t code, char *text, int32_t *length);

/*
 * The message of the last failure of an object, empty if it had none. Handle 0 is for failures without an object: a
 * source could not be opened, a handle was invalid, or the object is closed now. Handle 0 also has the message about
 * an invalid pointer, length or text, of any thread.
 */
int32_t winperf_error_length(winperf_handle object);
int32_t winperf_error_text(winperf_handle object, char *text, int32_t *length);

/* Settings of a source or snapshot. A new snapshot has the settings of its source. */
enum {
	WINPERF_TIMEOUT_MS = 1, /* timeout of an operation: 1 to 86,400,000, by default 30,000 */
	WINPERF_RETRIES = 2,    /* samples that decode takes again if instances change: 0 to 100, by default 3 */
	WINPERF_REST = 3        /* 1 (default): prepare waits up to 10 ms, so that the sample has rates; 0: it does not wait */
};
int32_t winperf_set(winperf_handle object, int32_t setting, int32_t value);

/*
 * Sources. url is a URL or file name as in winperf's --source: "" or "local:" is this machine; "registry:",
 * "perflib:" and "pdh:" are interfaces of Windows; a file name is a log or capture. The snapshots of a live source
 * share samples of an object that are at most freshness_ms old. 0 means 500; below 0 nothing is shared. After
 * winperf_source_close a source stays open until its last snapshot is destroyed.
 */
winperf_handle winperf_source_open(const char *url, int32_t freshness_ms);
int32_t winperf_source_close(winperf_handle source);

/* Reads names and definitions again, which are otherwise read once. */
int32_t winperf_source_refresh(winperf_handle source);

/* All names of objects and counters with their title indices, in the same order. */
int32_t winperf_names_count(winperf_handle source);
int32_t winperf_names_length(winperf_handle source);
int32_t winperf_names_get(winperf_handle source, char *names, int32_t *length, uint32_t *indices,
			  int32_t *count);

/* The name or help text of one index. */
int32_t winperf_name_length(winperf_handle source, uint32_t index);
int32_t winperf_name_get(winperf_handle source, uint32_t index, char *name, int32_t *length);

/*
 * The title index of a name, in upper or lower case. A counter is found in its object, because counters of several
 * objects can have the same name and different indices.
 */
int32_t winperf_object_find(winperf_handle source, const char *name, uint32_t *object);
int32_t winperf_counter_find(winperf_handle source, uint32_t object, const char *name, uint32_t *counter);

/* Types of values. */
enum {
	WINPERF_NONE = 0,    /* no values: a heading or an unknown counter type */
	WINPERF_INT32 = 1,   /* an unsigned integer of 32 bits */
	WINPERF_INT64 = 2,   /* an unsigned integer of 64 bits */
	WINPERF_DECIMAL = 3, /* a double */
	WINPERF_TEXT = 4     /* a text: see winperf_snapshot_text_get */
};

/* Kinds of values. */
enum {
	WINPERF_GAUGE = 0,  /* they rise and fall */
	WINPERF_COUNTER = 1 /* they only rise, except after a restart or an overflow */
};

/* A sensor: a counter that can be measured. */
typedef struct winperf_sensor {
	uint32_t object;  /* title index */
	uint32_t counter; /* title index */
	uint32_t type;    /* as in winperf.h of Windows, such as PERF_COUNTER_COUNTER */
	int32_t kind;     /* WINPERF_GAUGE or WINPERF_COUNTER */
	int32_t value;    /* WINPERF_INT32 and so on */
	int32_t instances; /* 1 for an object with instances, else 0 */
	int32_t costly;   /* 1 for a costly object, else 0 */
} winperf_sensor;

/*
 * Sensors by name: source/group/sensor, or source/group/sensor#instance for one instance. The group is the name of the
 * object. / # % in a name are written %2F %23 %25; %20 is read as a space:
 *
 *     windows.winperf/Processor/%25 Processor Time#_Total
 *
 * The source is windows.winperf, or linux.winperf for a Linux host. Functions that take the name of a sensor also
 * accept the path of a counter: \Processor(_Total)\% Processor Time.
 */
int32_t winperf_sensors_count(winperf_handle source);
int32_t winperf_sensors_length(winperf_handle source);
int32_t winperf_sensors_get(winperf_handle source, char *names, int32_t *length, winperf_sensor *sensors,
			    int32_t *count);
int32_t winperf_sensor_find(winperf_handle source, const char *name, winperf_sensor *sensor);

/* Kinds of snapshots. */
enum {
	WINPERF_GLOBAL = 1, /* all objects that are not costly */
	WINPERF_COSTLY = 2, /* all costly objects */
	WINPERF_CUSTOM = 3  /* the requested objects and counters */
};

typedef struct winperf_request {
	uint32_t object;  /* title index */
	uint32_t counter; /* title index; 0 is the whole object */
} winperf_request;

/*
 * Flags of a snapshot. At most one of the first two may be set; without them, instances have the names of the source.
 * With WINPERF_PDH_EXACT a process or thread that started after the last complete cycle has no rate, as in PDH.
 */
enum {
	WINPERF_BY_PID = 1,          /* processes and threads by their ids: 1234, 1234/5678 */
	WINPERF_BY_NAME_AND_PID = 2, /* by name and ids: editor:1234 */
	WINPERF_PDH_EXACT = 4        /* new processes and threads have the status no_previous */
};

/*
 * Snapshots. Both functions take a sample, so that the first cycle has values for counters that need two samples. A
 * value that several requests match belongs to the first request for its counter, else to the first request for its
 * object; for sensors, to the first matching sensor. Duplicate requests or sensors are refused.
 */
winperf_handle winperf_snapshot_create(winperf_handle source, int32_t kind, const winperf_request *requests,
				       int32_t count, uint32_t flags);
winperf_handle winperf_snapshot_create_sensors(winperf_handle source, const char *const *names, int32_t count,
					       uint32_t flags);

/* Ends a snapshot. winperf_snapshot_destroy_safe stops a running operation and waits for its end. */
int32_t winperf_snapshot_destroy(winperf_handle snapshot);
int32_t winperf_snapshot_destroy_safe(winperf_handle snapshot);

/* The state of a snapshot. winperf_snapshot_state never waits. */
enum {
	WINPERF_INITIALIZING = 1,
	WINPERF_INITIALIZED = 2, /* prepare may follow; the structure, and after a cycle the values, can be read */
	WINPERF_PREPARING = 3,
	WINPERF_PREPARED = 4, /* sample may follow */
	WINPERF_SAMPLING = 5,
	WINPERF_SAMPLED = 6, /* decode may follow */
	WINPERF_DECODING = 7
};
int32_t winperf_snapshot_state(winperf_handle snapshot);

/*
 * The cycle: prepare, sample, decode. After a step that fails the snapshot is initialized. Sample returns
 * WINPERF_ANOMALY if memory had to grow during the sample. Decode samples again, up to WINPERF_RETRIES times, if
 * instances appeared or disappeared since the previous sample, and returns WINPERF_ANOMALY if they changed in its last
 * sample too. For a log, decode takes no further samples.
 *
 * Rates and averages cover the time since the last complete cycle, also if decode samples again. A process or thread
 * that started after that cycle counts from zero, without WINPERF_PDH_EXACT. Any other instance without a value in that
 * cycle has the status no_previous.
 */
int32_t winperf_snapshot_prepare(winperf_handle snapshot);
int32_t winperf_snapshot_prepare_safe(winperf_handle snapshot);
int32_t winperf_snapshot_sample(winperf_handle snapshot);
int32_t winperf_snapshot_sample_safe(winperf_handle snapshot);
int32_t winperf_snapshot_decode(winperf_handle snapshot);
int32_t winperf_snapshot_decode_safe(winperf_handle snapshot);

/* The objects of the last sample, in its order: their title indices. */
int32_t winperf_snapshot_objects_count(winperf_handle snapshot);
int32_t winperf_snapshot_objects_count_safe(winperf_handle snapshot);
int32_t winperf_snapshot_objects_get(winperf_handle snapshot, uint32_t *objects, int32_t *count);
int32_t winperf_snapshot_objects_get_safe(winperf_handle snapshot, uint32_t *objects, int32_t *count);

/* The counters of an object in the last sample, without bases. */
typedef struct winperf_counter {
	uint32_t name;  /* title index */
	uint32_t help;  /* index of the help text */
	uint32_t type;  /* as in winperf.h of Windows */
	int32_t kind;   /* WINPERF_GAUGE or WINPERF_COUNTER */
	int32_t value;  /* WINPERF_INT32 and so on */
	int32_t scale;  /* power of ten for graphs; never part of the value */
} winperf_counter;
int32_t winperf_snapshot_counters_count(winperf_handle snapshot, uint32_t object);
int32_t winperf_snapshot_counters_count_safe(winperf_handle snapshot, uint32_t object);
int32_t winperf_snapshot_counters_get(winperf_handle snapshot, uint32_t object, winperf_counter *counters,
				      int32_t *count);
int32_t winperf_snapshot_counters_get_safe(winperf_handle snapshot, uint32_t object, winperf_counter *counters,
					   int32_t *count);

/* The instances of an object in the last sample. A name is parent/name if the instance has a parent. */
typedef struct winperf_instance {
	uint32_t parent_object;  /* title index of the parent's object; 0 without a parent */
	int32_t parent_position; /* position of the parent among its object's instances; -1 without a parent */
	int32_t occurrence;      /* position among instances of the same name, from 0 */
} winperf_instance;
int32_t winperf_snapshot_instances_count(winperf_handle snapshot, uint32_t object);
int32_t winperf_snapshot_instances_count_safe(winperf_handle snapshot, uint32_t object);
int32_t winperf_snapshot_instances_length(winperf_handle snapshot, uint32_t object);
int32_t winperf_snapshot_instances_length_safe(winperf_handle snapshot, uint32_t object);
int32_t winperf_snapshot_instances_get(winperf_handle snapshot, uint32_t object, char *names,
				       int32_t *length, winperf_instance *instances, int32_t *count);
int32_t winperf_snapshot_instances_get_safe(winperf_handle snapshot, uint32_t object, char *names,
					    int32_t *length, winperf_instance *instances, int32_t *count);

/* The values of the last cycle. */
typedef struct winperf_item {
	uint32_t object;  /* title index */
	uint32_t counter; /* title index */
	int32_t instance; /* position among the object's instances; -1 if the instance is missing */
	int32_t request;  /* position of its request or sensor; -1 for global and costly snapshots */
	int32_t type;     /* WINPERF_INT32 and so on: the member of value */
	int32_t status;   /* 0: has a value; otherwise the reason, see winperf_status_text */
	union {
		uint32_t int32; /* little-endian machines only, as all supported ones are */
		uint64_t int64;
		double decimal;
	} value; /* all bits are 0 without a number */
} winperf_item;
int32_t winperf_snapshot_items_count(winperf_handle snapshot);
int32_t winperf_snapshot_items_count_safe(winperf_handle snapshot);
int32_t winperf_snapshot_items_get(winperf_handle snapshot, winperf_item *items, int32_t *count);
int32_t winperf_snapshot_items_get_safe(winperf_handle snapshot, winperf_item *items, int32_t *count);

/* The word of a status, such as no_previous. */
int32_t winperf_status_text(int32_t status, char *text, int32_t *length);

/* The text of the item at a position. The item must have the type WINPERF_TEXT. */
int32_t winperf_snapshot_text_length(winperf_handle snapshot, int32_t item);
int32_t winperf_snapshot_text_length_safe(winperf_handle snapshot, int32_t item);
int32_t winperf_snapshot_text_get(winperf_handle snapshot, int32_t item, char *text, int32_t *length);
int32_t winperf_snapshot_text_get_safe(winperf_handle snapshot, int32_t item, char *text, int32_t *length);

/* The time of the last sample, in nanoseconds since 1970 in UTC. */
int32_t winperf_snapshot_time(winperf_handle snapshot, int64_t *ns);
int32_t winperf_snapshot_time_safe(winperf_handle snapshot, int64_t *ns);

/*
 * The anomalies of the last cycle and of all its samples, one line each:
 *
 *     instances_came: Process: 2 instances: editor, shell
 */
int32_t winperf_snapshot_anomalies_count(winperf_handle snapshot);
int32_t winperf_snapshot_anomalies_count_safe(winperf_handle snapshot);
int32_t winperf_snapshot_anomalies_length(winperf_handle snapshot);
int32_t winperf_snapshot_anomalies_length_safe(winperf_handle snapshot);
int32_t winperf_snapshot_anomalies_get(winperf_handle snapshot, char *lines, int32_t *length);
int32_t winperf_snapshot_anomalies_get_safe(winperf_handle snapshot, char *lines, int32_t *length);

/*
 * Experiments. While a program listens, programs of the same user can list its events and attach experiments to them
 * (winperf experiment list, winperf experiment attach). Without an attached experiment an event costs almost nothing.
 */
winperf_handle winperf_listen(const char *name);
int32_t winperf_listen_end(winperf_handle listener);

/*
 * Declares the name of an event or region, of at most 1,024 bytes. winperf experiment list shows declared names, and the
 * names of events that occurred while an experiment was attached.
 */
int32_t winperf_event_declare(const char *name);

typedef struct winperf_attribute {
	const char *key;
	int32_t type; /* WINPERF_INT64, WINPERF_DECIMAL or WINPERF_TEXT: the member of value */
	union {
		int64_t int64;
		double decimal;
		const char *text;
	} value;
} winperf_attribute;

/*
 * winperf_event returns when the samples bound to the event have started. winperf_region_begin returns when its samples
 * are complete, so that the region does not include them. Both return after 30 s at most. The first argument is the
 * enclosing open region, or 0. A region may end on another thread. An event has at most 128 attributes.
 */
int32_t winperf_event(winperf_handle region, const char *name, const winperf_attribute *attributes, int32_t count);
winperf_handle winperf_region_begin(winperf_handle region, const char *name, const winperf_attribute *attributes,
				    int32_t count);
int32_t winperf_region_end(winperf_handle region, const winperf_attribute *attributes, int32_t count);

#ifdef __cplusplus
}
#endif

#endif
