/*
 * libwinperf: performance counters in the Windows model, for programs in other languages.
 *
 * Objects of the library are named by handles: numbers above 0, which are not used again for a
 * long time. A handle that is unknown, closed or of an object of another kind is refused by every function.
 *
 * Functions return 0 or more when they succeed, and one of the negative codes below when they do not.
 * winperf_error_text says what went wrong.
 *
 * Each function on a snapshot exists twice. The plain one never waits: while another thread does
 * something on the same snapshot that cannot go together with it, it returns WINPERF_STATE. The one
 * that ends in _safe waits for its turn. Browsing the structure and reading values go together;
 * prepare, sample, decode and destroy are alone.
 *
 * Texts are UTF-8 and end with a NUL; a list of texts is ended by one more NUL. Arrays are the caller's. A
 * function ..._length returns how many bytes texts take with all their NULs, a function ..._count how many
 * elements there are. What fills arrays is given their lengths in *length and *count and leaves there what
 * is needed. Where an array is too small it returns WINPERF_SIZE and writes nothing else. An
 * array may be NULL where its length is 0.
 *
 * Signals: a handler that runs while its thread is in the library needs SA_ONSTACK, or it corrupts memory: the
 * stacks of Go are small. winperf_source_open and winperf_listen set SA_ONSTACK on the handlers that they find.
 * Set it yourself on handlers that you install later. Python sets it from version 3.10 on.
 *
 * A process that was forked off can do nothing with the library, whose threads are not there, but start
 * another program.
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

/* Codes. Their numbers do not change; new ones come last. */
enum {
	WINPERF_OK = 0,
	WINPERF_FAILED = -1,        /* the source or the system failed */
	WINPERF_HANDLE = -2,        /* no such handle, or it was closed */
	WINPERF_KIND = -3,          /* the handle is of an object of another kind */
	WINPERF_STATE = -4,         /* not allowed now, or something else is under way */
	WINPERF_ARGUMENT = -5,      /* a pointer, number or text that cannot be meant */
	WINPERF_ANOMALY = -6,       /* the measurement is usable, but something was unusual */
	WINPERF_SIZE = -7,          /* an array is too small */
	WINPERF_NOT_FOUND = -8,     /* no such object, counter, instance, machine or file */
	WINPERF_NOT_SUPPORTED = -9, /* the source or the system cannot do this */
	WINPERF_TIMEOUT = -10,      /* the time for the operation has passed */
	WINPERF_END = -11,          /* the recorded data are at their end */
	WINPERF_DAMAGED = -12,      /* what was read is damaged */
	WINPERF_TOO_MANY = -13      /* more handles or data than there may be */
};

/* Version of this interface, and the version of the library as a text. */
int32_t winperf_interface(void); /* 1 */
int32_t winperf_version_length(void);
int32_t winperf_version_text(char *text, int32_t *length);

/* What a code means, in a few words. */
int32_t winperf_code_text(int32_t code, char *text, int32_t *length);

/*
 * The text of the last failure of an object. Handle 0 is for functions that had no object: a source
 * could not be opened, a handle was wrong, the object is closed now. It has also what pointers, lengths and
 * texts were wrong, as the object has; it is that of any thread. It is empty where there was none.
 */
int32_t winperf_error_length(winperf_handle object);
int32_t winperf_error_text(winperf_handle object, char *text, int32_t *length);

/* Settings of a source or snapshot. A snapshot begins with those of its source. */
enum {
	WINPERF_TIMEOUT_MS = 1, /* how long an operation may last: 1 to 86,400,000, at first 30,000 */
	WINPERF_RETRIES = 2,    /* how often decode samples again as instances came or left: 0 to 100, at first 3 */
	WINPERF_REST = 3        /* 1: prepare waits until a sample gives rates, up to 10 ms; 0: it does not */
};
int32_t winperf_set(winperf_handle object, int32_t setting, int32_t value);

/*
 * Sources. The URL is as winperf's --source takes it: "" or "local:" is this machine, "registry:",
 * "perflib:" and "pdh:" interfaces of Windows, the name of a file a log or capture. The snapshots of
 * a live source share samples of an object that are no older than freshness_ms; 0 is 500, and less
 * than 0 shares nothing. A source stays open as long as it has snapshots, also when its handle was closed.
 */
winperf_handle winperf_source_open(const char *url, int32_t freshness_ms);
int32_t winperf_source_close(winperf_handle source);

/* Names and definitions are read once. winperf_source_refresh has them read anew. */
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
 * The index of a name, in either case. A counter's name needs its object: counters of several
 * objects have one name under different indices.
 */
int32_t winperf_object_find(winperf_handle source, const char *name, uint32_t *object);
int32_t winperf_counter_find(winperf_handle source, uint32_t object, const char *name, uint32_t *counter);

/* What a value is. */
enum {
	WINPERF_NONE = 0,    /* there are no values: a heading, a type that is not known */
	WINPERF_INT32 = 1,   /* an unsigned integer of 32 bits */
	WINPERF_INT64 = 2,   /* an unsigned integer of 64 bits */
	WINPERF_DECIMAL = 3, /* a double */
	WINPERF_TEXT = 4     /* a text: winperf_snapshot_text */
};

/* What values do. */
enum {
	WINPERF_GAUGE = 0,  /* they rise and fall */
	WINPERF_COUNTER = 1 /* they never fall, but for a restart or a wrap */
};

/* A counter as something to be measured. */
typedef struct winperf_sensor {
	uint32_t object;  /* title index */
	uint32_t counter; /* title index */
	uint32_t type;    /* as winperf.h of Windows has it: PERF_COUNTER_COUNTER */
	int32_t kind;     /* WINPERF_GAUGE or WINPERF_COUNTER */
	int32_t value;    /* WINPERF_INT32 and so on */
	int32_t instances; /* 1 for an object with instances, else 0 */
	int32_t costly;   /* 1 for a costly object, else 0 */
} winperf_sensor;

/*
 * Sensors by name: source/group/sensor and source/group/sensor#instance, where the group is the
 * object's name and / # % within names are written %2F %23 %25; %20 is read as a space:
 *
 *     windows.winperf/Processor/%25 Processor Time#_Total
 *
 * The source is windows.winperf, or linux.winperf for a Linux host. Functions that take the name of a sensor
 * take the path of a counter, too: \Processor(_Total)\% Processor Time.
 */
int32_t winperf_sensors_count(winperf_handle source);
int32_t winperf_sensors_length(winperf_handle source);
int32_t winperf_sensors_get(winperf_handle source, char *names, int32_t *length, winperf_sensor *sensors,
			    int32_t *count);
int32_t winperf_sensor_find(winperf_handle source, const char *name, winperf_sensor *sensor);

/* What a snapshot is to hold. */
enum {
	WINPERF_GLOBAL = 1, /* all objects that are not costly */
	WINPERF_COSTLY = 2, /* all costly objects */
	WINPERF_CUSTOM = 3  /* what requests want */
};

typedef struct winperf_request {
	uint32_t object;  /* title index */
	uint32_t counter; /* title index; 0 is the whole object */
} winperf_request;

/*
 * Flags of a snapshot. At most one says how instances are named; without one the source's names are kept.
 * WINPERF_PDH_EXACT gives no rate to a process or thread that started after the last complete cycle, as PDH does.
 */
enum {
	WINPERF_BY_PID = 1,          /* processes and threads by their ids: 1234, 1234/5678 */
	WINPERF_BY_NAME_AND_PID = 2, /* by name and ids: editor:1234 */
	WINPERF_PDH_EXACT = 4        /* new processes and threads have the status no_previous */
};

/*
 * Snapshots. Both ways to make one take a sample, so that the first cycle gives the values of
 * counters that need two. A value that several requests want belongs to the first that names its
 * counter, else to the first of the object; to the first sensor of several. No request or sensor may
 * be there twice.
 */
winperf_handle winperf_snapshot_create(winperf_handle source, int32_t kind, const winperf_request *requests,
				       int32_t count, uint32_t flags);
winperf_handle winperf_snapshot_create_sensors(winperf_handle source, const char *const *names, int32_t count,
					       uint32_t flags);

/* winperf_snapshot_destroy_safe stops what is under way, and waits for its end. */
int32_t winperf_snapshot_destroy(winperf_handle snapshot);
int32_t winperf_snapshot_destroy_safe(winperf_handle snapshot);

/* What a snapshot is doing or waiting for. It never waits. */
enum {
	WINPERF_INITIALIZING = 1,
	WINPERF_INITIALIZED = 2, /* can be browsed, and read after a cycle; prepare may follow */
	WINPERF_PREPARING = 3,
	WINPERF_PREPARED = 4, /* sample may follow */
	WINPERF_SAMPLING = 5,
	WINPERF_SAMPLED = 6, /* decode may follow */
	WINPERF_DECODING = 7
};
int32_t winperf_snapshot_state(winperf_handle snapshot);

/*
 * The cycle: prepare, sample, decode. A step that fails leaves the snapshot initialized. Sample returns
 * WINPERF_ANOMALY where memory had to grow while it took the data. Decode samples again, up to
 * WINPERF_RETRIES times, while instances came or left since the sample before, and returns WINPERF_ANOMALY
 * if they still did in its last sample. Decode does not take further samples of a recorded source.
 *
 * Rates and averages cover the time since the last cycle that was complete, however many samples decode takes.
 * A process or thread that started after that counts from zero, without WINPERF_PDH_EXACT. Any other instance that
 * was not there then has the status no_previous.
 */
int32_t winperf_snapshot_prepare(winperf_handle snapshot);
int32_t winperf_snapshot_prepare_safe(winperf_handle snapshot);
int32_t winperf_snapshot_sample(winperf_handle snapshot);
int32_t winperf_snapshot_sample_safe(winperf_handle snapshot);
int32_t winperf_snapshot_decode(winperf_handle snapshot);
int32_t winperf_snapshot_decode_safe(winperf_handle snapshot);

/* The structure of the last sample, in its order: title indices of the objects, */
int32_t winperf_snapshot_objects_count(winperf_handle snapshot);
int32_t winperf_snapshot_objects_count_safe(winperf_handle snapshot);
int32_t winperf_snapshot_objects_get(winperf_handle snapshot, uint32_t *objects, int32_t *count);
int32_t winperf_snapshot_objects_get_safe(winperf_handle snapshot, uint32_t *objects, int32_t *count);

/* the counters of an object, those left out that others are divided by, */
typedef struct winperf_counter {
	uint32_t name;  /* title index */
	uint32_t help;  /* index of the help text */
	uint32_t type;  /* as winperf.h of Windows has it */
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

/* the instances of an object: their names, parent/name where there is a parent, and the rest. */
typedef struct winperf_instance {
	uint32_t parent_object;  /* title index of the object of its parent; 0 without one */
	int32_t parent_position; /* of the parent in its object; -1 without one */
	int32_t occurrence;      /* which it is of those with the same name, from 0 */
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
	int32_t instance; /* position among the object's instances; -1 where there is no such instance */
	int32_t request;  /* position of its request or sensor; -1 for global and costly */
	int32_t type;     /* WINPERF_INT32 and so on: which member of value */
	int32_t status;   /* 0: there is a value; else why not, see winperf_status_text */
	union {
		uint32_t int32; /* on machines that keep the lower bytes first, as all supported ones do */
		uint64_t int64;
		double decimal;
	} value; /* all bits are 0 where there is no number */
} winperf_item;
int32_t winperf_snapshot_items_count(winperf_handle snapshot);
int32_t winperf_snapshot_items_count_safe(winperf_handle snapshot);
int32_t winperf_snapshot_items_get(winperf_handle snapshot, winperf_item *items, int32_t *count);
int32_t winperf_snapshot_items_get_safe(winperf_handle snapshot, winperf_item *items, int32_t *count);

/* The word of a status, such as no_previous. */
int32_t winperf_status_text(int32_t status, char *text, int32_t *length);

/* The text of the item at a position, where that is of type WINPERF_TEXT. */
int32_t winperf_snapshot_text_length(winperf_handle snapshot, int32_t item);
int32_t winperf_snapshot_text_length_safe(winperf_handle snapshot, int32_t item);
int32_t winperf_snapshot_text_get(winperf_handle snapshot, int32_t item, char *text, int32_t *length);
int32_t winperf_snapshot_text_get_safe(winperf_handle snapshot, int32_t item, char *text, int32_t *length);

/* When the last sample was taken, in nanoseconds since 1970 in UTC. */
int32_t winperf_snapshot_time(winperf_handle snapshot, int64_t *ns);
int32_t winperf_snapshot_time_safe(winperf_handle snapshot, int64_t *ns);

/*
 * What was unusual in the last cycle, and in the samples that it took again, a line each:
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
 * Experiments. A program that listens can be asked from outside what events it emits, and experiments
 * can be attached to them: winperf experiment list, winperf experiment attach. Only programs of the same
 * user can do that. As long as none is attached an event costs next to nothing.
 */
winperf_handle winperf_listen(const char *name);
int32_t winperf_listen_end(winperf_handle listener);

/*
 * Declares the name of an event or a region, of at most 1,024 bytes. winperf experiment list shows the names that
 * were declared, and those of events that happened while an experiment was attached.
 */
int32_t winperf_event_declare(const char *name);

typedef struct winperf_attribute {
	const char *key;
	int32_t type; /* WINPERF_INT64, WINPERF_DECIMAL or WINPERF_TEXT: which member of value */
	union {
		int64_t int64;
		double decimal;
		const char *text;
	} value;
} winperf_attribute;

/*
 * An event returns when the samples that are bound to it are begun, a region's begin when they are
 * complete, so that it does not measure itself; after half a minute at most. The first argument is
 * the open region that it happens in, 0 for none. A region may end in another thread. There can be 128 attributes.
 */
int32_t winperf_event(winperf_handle region, const char *name, const winperf_attribute *attributes, int32_t count);
winperf_handle winperf_region_begin(winperf_handle region, const char *name, const winperf_attribute *attributes,
				    int32_t count);
int32_t winperf_region_end(winperf_handle region, const winperf_attribute *attributes, int32_t count);

#ifdef __cplusplus
}
#endif

#endif
