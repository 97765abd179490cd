package winperf;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The functions of libwinperf in the form that waits, as winperf_jni.c calls them. Results are documented in
 * libwinperf.h. Texts are UTF-8 and end with a NUL. Buffers must be direct buffers; a function that fills buffers
 * returns the number of elements that it wrote.
 */
final class Native {
	static {
		String file = System.getProperty("winperf.library");
		boolean windows = System.getProperty("os.name").startsWith("Windows");
		if (file != null) {
			Path path = Path.of(file).toAbsolutePath();
			if (windows) { // Windows does not search the directory of winperfjni.dll for libwinperf.dll
				System.load(path.resolveSibling("libwinperf.dll").toString());
			}
			System.load(path.toString());
		} else {
			if (windows) {
				System.loadLibrary("libwinperf");
			}
			System.loadLibrary("winperfjni");
		}
		if (interfaceVersion() != 1) {
			throw new UnsatisfiedLinkError("libwinperf has interface " + interfaceVersion() + ", expected 1");
		}
	}

	private Native() {}

	static native int interfaceVersion();

	static native int versionLength();

	static native int version(ByteBuffer text);

	static native int open(byte[] url, int freshness);

	static native int closeSource(int source);

	static native int refresh(int source);

	static native int set(int object, int setting, int value);

	static native int sensorsCount(int source);

	static native int sensorsLength(int source);

	static native int sensors(int source, ByteBuffer names, ByteBuffer sensors);

	static native int sensorFind(int source, byte[] name, ByteBuffer sensor);

	static native int namesCount(int source);

	static native int namesLength(int source);

	static native int names(int source, ByteBuffer names, ByteBuffer indices);

	static native int nameLength(int source, int index);

	static native int name(int source, int index, ByteBuffer name);

	static native int objectFind(int source, byte[] name, ByteBuffer object);

	static native int counterFind(int source, int object, byte[] name, ByteBuffer counter);

	static native int create(int source, int kind, ByteBuffer requests, int flags);

	static native int createSensors(int source, byte[] names, int count, int flags);

	static native int destroy(int snapshot);

	static native int state(int snapshot);

	static native int prepare(int snapshot);

	static native int sample(int snapshot);

	static native int decode(int snapshot);

	static native int itemsCount(int snapshot);

	static native int items(int snapshot, ByteBuffer items);

	static native int textLength(int snapshot, int item);

	static native int text(int snapshot, int item, ByteBuffer text);

	static native int time(int snapshot, ByteBuffer ns);

	static native int objectsCount(int snapshot);

	static native int objects(int snapshot, ByteBuffer objects);

	static native int countersCount(int snapshot, int object);

	static native int counters(int snapshot, int object, ByteBuffer counters);

	static native int instancesCount(int snapshot, int object);

	static native int instancesLength(int snapshot, int object);

	static native int instances(int snapshot, int object, ByteBuffer names, ByteBuffer instances);

	static native int anomaliesLength(int snapshot);

	static native int anomalies(int snapshot, ByteBuffer lines);

	static native int errorLength(int object);

	static native int error(int object, ByteBuffer text);

	static native int codeText(int code, ByteBuffer text);

	static native int statusText(int status, ByteBuffer text);

	static native int eventDeclare(byte[] name);

	static native int listen(byte[] name);

	static native int listenEnd(int listener);

	static native int event(int region, byte[] name, byte[] texts, int[] types, long[] bits);

	static native int regionBegin(int region, byte[] name, byte[] texts, int[] types, long[] bits);

	static native int regionEnd(int region, byte[] texts, int[] types, long[] bits);
}
