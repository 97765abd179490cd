/*
 * The functions of winperf.Native: they call the functions of libwinperf that wait, with Java arrays.
 * A buffer must be a direct buffer; its capacity is the length of the array.
 */
#include <jni.h>
#include <stdlib.h>

#include "libwinperf.h"

#define FUNCTION(name) JNIEXPORT jint JNICALL Java_winperf_Native_##name

/* array returns the memory of a direct buffer and its length in elements of a size. */
static void *array(JNIEnv *env, jobject buffer, size_t size, int32_t *length)
{
	void *at = buffer ? (*env)->GetDirectBufferAddress(env, buffer) : NULL;
	jlong capacity = at ? (*env)->GetDirectBufferCapacity(env, buffer) : 0;
	*length = (int32_t)((capacity > INT32_MAX ? INT32_MAX : capacity) / (jlong)size);
	return at;
}

/* told returns the number of written elements, or the code of a failure. */
static jint told(int32_t code, const int32_t *length)
{
	return code == WINPERF_OK ? *length : code;
}

/* bytes copies a byte array and adds two NULs, so that every text and list in it ends within the copy. */
static char *bytes(JNIEnv *env, jbyteArray from)
{
	jsize length = from ? (*env)->GetArrayLength(env, from) : 0;
	char *copy = calloc((size_t)length + 2, 1);
	if (copy && length)
		(*env)->GetByteArrayRegion(env, from, 0, length, (jbyte *)copy);
	return copy;
}

FUNCTION(open)(JNIEnv *env, jclass class, jbyteArray url, jint freshness)
{
	(void)class;
	char *text = bytes(env, url);
	jint source = winperf_source_open(text, freshness);
	free(text);
	return source;
}

/* each text of the list begins after the NUL of the previous one; the list has at most length bytes. */
static const char **split(char *texts, jsize length, jint count)
{
	const char **list = calloc((size_t)count + 1, sizeof *list);
	char *at = texts, *end = texts + length;
	for (jint i = 0; list && i < count; i++) {
		list[i] = at;
		while (at < end && *at)
			at++;
		if (at < end)
			at++;
	}
	return list;
}

FUNCTION(createSensors)(JNIEnv *env, jclass class, jint source, jbyteArray names, jint count, jint flags)
{
	(void)class;
	jsize length = names ? (*env)->GetArrayLength(env, names) : 0;
	if (count < 0 || count > length)
		return WINPERF_ARGUMENT;
	char *texts = bytes(env, names);
	const char **list = texts ? split(texts, length, count) : NULL;
	jint snapshot = WINPERF_FAILED;
	if (list)
		snapshot = winperf_snapshot_create_sensors(source, list, count, (uint32_t)flags);
	free(list);
	free(texts);
	return snapshot;
}

FUNCTION(create)(JNIEnv *env, jclass class, jint source, jint kind, jobject requests, jint flags)
{
	(void)class;
	int32_t count;
	winperf_request *in = array(env, requests, sizeof *in, &count);
	return winperf_snapshot_create(source, kind, in, count, (uint32_t)flags);
}

FUNCTION(set)(JNIEnv *env, jclass class, jint object, jint setting, jint value)
{
	(void)env, (void)class;
	return winperf_set(object, setting, value);
}

FUNCTION(sensors)(JNIEnv *env, jclass class, jint source, jobject names, jobject sensors)
{
	(void)class;
	int32_t length, count;
	char *texts = array(env, names, 1, &length);
	winperf_sensor *out = array(env, sensors, sizeof *out, &count);
	return told(winperf_sensors_get(source, texts, &length, out, &count), &count);
}

FUNCTION(sensorFind)(JNIEnv *env, jclass class, jint source, jbyteArray name, jobject sensor)
{
	(void)class;
	int32_t count;
	winperf_sensor *out = array(env, sensor, sizeof *out, &count);
	char *text = bytes(env, name);
	jint code = winperf_sensor_find(source, text, count ? out : NULL);
	free(text);
	return code;
}

FUNCTION(names)(JNIEnv *env, jclass class, jint source, jobject names, jobject indices)
{
	(void)class;
	int32_t length, count;
	char *texts = array(env, names, 1, &length);
	uint32_t *out = array(env, indices, sizeof *out, &count);
	return told(winperf_names_get(source, texts, &length, out, &count), &count);
}

FUNCTION(nameLength)(JNIEnv *env, jclass class, jint source, jint index)
{
	(void)env, (void)class;
	return winperf_name_length(source, (uint32_t)index);
}

FUNCTION(name)(JNIEnv *env, jclass class, jint source, jint index, jobject name)
{
	(void)class;
	int32_t length;
	char *out = array(env, name, 1, &length);
	return told(winperf_name_get(source, (uint32_t)index, out, &length), &length);
}

FUNCTION(objectFind)(JNIEnv *env, jclass class, jint source, jbyteArray name, jobject object)
{
	(void)class;
	int32_t count;
	uint32_t *out = array(env, object, sizeof *out, &count);
	char *text = bytes(env, name);
	jint code = winperf_object_find(source, text, count ? out : NULL);
	free(text);
	return code;
}

FUNCTION(counterFind)(JNIEnv *env, jclass class, jint source, jint object, jbyteArray name, jobject counter)
{
	(void)class;
	int32_t count;
	uint32_t *out = array(env, counter, sizeof *out, &count);
	char *text = bytes(env, name);
	jint code = winperf_counter_find(source, (uint32_t)object, text, count ? out : NULL);
	free(text);
	return code;
}

FUNCTION(items)(JNIEnv *env, jclass class, jint snapshot, jobject items)
{
	(void)class;
	int32_t count;
	winperf_item *out = array(env, items, sizeof *out, &count);
	return told(winperf_snapshot_items_get_safe(snapshot, out, &count), &count);
}

FUNCTION(textLength)(JNIEnv *env, jclass class, jint snapshot, jint item)
{
	(void)env, (void)class;
	return winperf_snapshot_text_length_safe(snapshot, item);
}

FUNCTION(text)(JNIEnv *env, jclass class, jint snapshot, jint item, jobject text)
{
	(void)class;
	int32_t length;
	char *out = array(env, text, 1, &length);
	return told(winperf_snapshot_text_get_safe(snapshot, item, out, &length), &length);
}

FUNCTION(time)(JNIEnv *env, jclass class, jint snapshot, jobject ns)
{
	(void)class;
	int32_t count;
	int64_t *out = array(env, ns, sizeof *out, &count);
	return winperf_snapshot_time_safe(snapshot, count ? out : NULL);
}

FUNCTION(objects)(JNIEnv *env, jclass class, jint snapshot, jobject objects)
{
	(void)class;
	int32_t count;
	uint32_t *out = array(env, objects, sizeof *out, &count);
	return told(winperf_snapshot_objects_get_safe(snapshot, out, &count), &count);
}

FUNCTION(countersCount)(JNIEnv *env, jclass class, jint snapshot, jint object)
{
	(void)env, (void)class;
	return winperf_snapshot_counters_count_safe(snapshot, (uint32_t)object);
}

FUNCTION(counters)(JNIEnv *env, jclass class, jint snapshot, jint object, jobject counters)
{
	(void)class;
	int32_t count;
	winperf_counter *out = array(env, counters, sizeof *out, &count);
	return told(winperf_snapshot_counters_get_safe(snapshot, (uint32_t)object, out, &count), &count);
}

FUNCTION(instancesCount)(JNIEnv *env, jclass class, jint snapshot, jint object)
{
	(void)env, (void)class;
	return winperf_snapshot_instances_count_safe(snapshot, (uint32_t)object);
}

FUNCTION(instancesLength)(JNIEnv *env, jclass class, jint snapshot, jint object)
{
	(void)env, (void)class;
	return winperf_snapshot_instances_length_safe(snapshot, (uint32_t)object);
}

FUNCTION(instances)(JNIEnv *env, jclass class, jint snapshot, jint object, jobject names, jobject instances)
{
	(void)class;
	int32_t length, count;
	char *texts = array(env, names, 1, &length);
	winperf_instance *out = array(env, instances, sizeof *out, &count);
	int32_t code = winperf_snapshot_instances_get_safe(snapshot, (uint32_t)object, texts, &length, out, &count);
	return told(code, &count);
}

FUNCTION(anomalies)(JNIEnv *env, jclass class, jint snapshot, jobject lines)
{
	(void)class;
	int32_t length;
	char *out = array(env, lines, 1, &length);
	return told(winperf_snapshot_anomalies_get_safe(snapshot, out, &length), &length);
}

FUNCTION(error)(JNIEnv *env, jclass class, jint object, jobject text)
{
	(void)class;
	int32_t length;
	char *out = array(env, text, 1, &length);
	return told(winperf_error_text(object, out, &length), &length);
}

FUNCTION(codeText)(JNIEnv *env, jclass class, jint code, jobject text)
{
	(void)class;
	int32_t length;
	char *out = array(env, text, 1, &length);
	return told(winperf_code_text(code, out, &length), &length);
}

FUNCTION(statusText)(JNIEnv *env, jclass class, jint status, jobject text)
{
	(void)class;
	int32_t length;
	char *out = array(env, text, 1, &length);
	return told(winperf_status_text(status, out, &length), &length);
}

FUNCTION(version)(JNIEnv *env, jclass class, jobject text)
{
	(void)class;
	int32_t length;
	char *out = array(env, text, 1, &length);
	return told(winperf_version_text(out, &length), &length);
}

/* event is the optional name of an event, and its attributes. */
struct event {
	char *name, *texts;
	const char **list;
	winperf_attribute *attributes;
	jint count;
};

static void free_event(struct event *e)
{
	free(e->name);
	free(e->texts);
	free(e->list);
	free(e->attributes);
}

/*
 * read_event reads an event. Texts is a list with a key and a text for each attribute. The text is used only for
 * the type WINPERF_TEXT; bits has the values of the other types.
 */
static int read_event(JNIEnv *env, struct event *e, jbyteArray name, jbyteArray texts, jintArray types, jlongArray bits)
{
	e->count = types ? (*env)->GetArrayLength(env, types) : 0;
	if (e->count > 0 && (!bits || (*env)->GetArrayLength(env, bits) != e->count))
		return 0;
	e->name = name ? bytes(env, name) : NULL;
	e->texts = bytes(env, texts);
	e->list = e->texts ? split(e->texts, texts ? (*env)->GetArrayLength(env, texts) : 0, 2 * e->count) : NULL;
	e->attributes = calloc((size_t)e->count + 1, sizeof *e->attributes);
	if ((name && !e->name) || !e->list || !e->attributes)
		return 0;

	for (jint i = 0; i < e->count; i++) {
		winperf_attribute *a = &e->attributes[i];
		jint type;
		jlong value;
		(*env)->GetIntArrayRegion(env, types, i, 1, &type);
		(*env)->GetLongArrayRegion(env, bits, i, 1, &value);
		a->key = e->list[2 * i];
		a->type = type;
		if (type == WINPERF_TEXT)
			a->value.text = e->list[2 * i + 1];
		else
			a->value.int64 = value; /* also the bits of a double */
	}
	return 1;
}

FUNCTION(eventDeclare)(JNIEnv *env, jclass class, jbyteArray name)
{
	(void)class;
	char *text = bytes(env, name);
	jint code = winperf_event_declare(text);
	free(text);
	return code;
}

FUNCTION(listen)(JNIEnv *env, jclass class, jbyteArray name)
{
	(void)class;
	char *text = bytes(env, name);
	jint listener = winperf_listen(text);
	free(text);
	return listener;
}

FUNCTION(event)(JNIEnv *env, jclass class, jint region, jbyteArray name, jbyteArray texts, jintArray types,
		jlongArray bits)
{
	(void)class;
	struct event e = {0};
	jint result = WINPERF_ARGUMENT;
	if (read_event(env, &e, name, texts, types, bits))
		result = winperf_event(region, e.name, e.attributes, e.count);
	free_event(&e);
	return result;
}

FUNCTION(regionBegin)(JNIEnv *env, jclass class, jint region, jbyteArray name, jbyteArray texts, jintArray types,
		      jlongArray bits)
{
	(void)class;
	struct event e = {0};
	jint result = WINPERF_ARGUMENT;
	if (read_event(env, &e, name, texts, types, bits))
		result = winperf_region_begin(region, e.name, e.attributes, e.count);
	free_event(&e);
	return result;
}

FUNCTION(regionEnd)(JNIEnv *env, jclass class, jint region, jbyteArray texts, jintArray types, jlongArray bits)
{
	(void)class;
	struct event e = {0};
	jint result = WINPERF_ARGUMENT;
	if (read_event(env, &e, NULL, texts, types, bits))
		result = winperf_region_end(region, e.attributes, e.count);
	free_event(&e);
	return result;
}

FUNCTION(interfaceVersion)(JNIEnv *env, jclass class)
{
	(void)env, (void)class;
	return winperf_interface();
}

FUNCTION(versionLength)(JNIEnv *env, jclass class)
{
	(void)env, (void)class;
	return winperf_version_length();
}

/* Functions that take only a handle. */
#define OF_HANDLE(name, function) \
	FUNCTION(name)(JNIEnv *env, jclass class, jint handle) \
	{ \
		(void)env, (void)class; \
		return function(handle); \
	}
OF_HANDLE(closeSource, winperf_source_close)
OF_HANDLE(refresh, winperf_source_refresh)
OF_HANDLE(namesCount, winperf_names_count)
OF_HANDLE(namesLength, winperf_names_length)
OF_HANDLE(sensorsCount, winperf_sensors_count)
OF_HANDLE(sensorsLength, winperf_sensors_length)
OF_HANDLE(state, winperf_snapshot_state)
OF_HANDLE(objectsCount, winperf_snapshot_objects_count_safe)
OF_HANDLE(destroy, winperf_snapshot_destroy_safe)
OF_HANDLE(prepare, winperf_snapshot_prepare_safe)
OF_HANDLE(sample, winperf_snapshot_sample_safe)
OF_HANDLE(decode, winperf_snapshot_decode_safe)
OF_HANDLE(itemsCount, winperf_snapshot_items_count_safe)
OF_HANDLE(anomaliesLength, winperf_snapshot_anomalies_length_safe)
OF_HANDLE(errorLength, winperf_error_length)
OF_HANDLE(listenEnd, winperf_listen_end)
