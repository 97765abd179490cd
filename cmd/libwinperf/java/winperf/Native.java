package winperf;

import java.nio.ByteBuffer;

/**
 * The functions of libwinperf, as winperf_jni.c passes them on: in the form that waits for its turn. Results are
 * those of libwinperf.h. Texts are UTF-8 with a NUL at their end; buffers are direct ones, and a
 * function that fills some returns how many elements it wrote.
 */
final class Native {
	static {
		String file = System.getProperty("winperf.library");
		if (file != null) {
			System.load(file);
		} else {
			System.loadLibrary("winperfjni");
		}
	}

	private Native() {}

	static native int open(byte[] url, int freshness);

	static native int closeSource(int source);

	static native int set(int object, int setting, int value);

	static native int sensorsCount(int source);

	static native int sensorsLength(int source);

	static native int sensors(int source, ByteBuffer names, ByteBuffer sensors);

	static native int createSensors(int source, byte[] names, int count, int flags);

	static native int createWhole(int source, int object, int flags);

	static native int destroy(int snapshot);

	static native int prepare(int snapshot);

	static native int sample(int snapshot);

	static native int decode(int snapshot);

	static native int itemsCount(int snapshot);

	static native int items(int snapshot, ByteBuffer items);

	static native int time(int snapshot, ByteBuffer ns);

	static native int instancesCount(int snapshot, int object);

	static native int instancesLength(int snapshot, int object);

	static native int instances(int snapshot, int object, ByteBuffer names, ByteBuffer instances);

	static native int anomaliesLength(int snapshot);

	static native int anomalies(int snapshot, ByteBuffer lines);

	static native int errorLength(int object);

	static native int error(int object, ByteBuffer text);

	static native int codeText(int code, ByteBuffer text);

	static native int statusText(int status, ByteBuffer text);

	static native int listen(byte[] name);

	static native int listenEnd(int listener);

	static native int event(int region, byte[] name, byte[] texts, int[] types, long[] bits);

	static native int regionBegin(int region, byte[] name, byte[] texts, int[] types, long[] bits);

	static native int regionEnd(int region, byte[] texts, int[] types, long[] bits);
}
