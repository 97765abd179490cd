package winperf;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The part of a measurement context that is about one data source: a snapshot and the storage of its readings. */
final class ProbeContext {
	private static final int ITEM_SIZE = 32; // of winperf_item
	private static final int REQUEST = 12, TYPE = 16, STATUS = 20, VALUE = 24; // where its members are

	private final List<Measurable> measured = new ArrayList<>();
	private final List<ValueHandle> values = new ArrayList<>();
	private int snapshot;
	private ByteBuffer items;

	/** Assigns storage to a reading. */
	ValueHandle add(Measurable m) {
		ValueHandle value = m.sensor().valueType().allocate();
		measured.add(m);
		values.add(value);
		return value;
	}

	/** Allocates the snapshot, and memory for one item of each reading. */
	void open() {
		snapshot = measured.get(0).sensor().source().snapshot(measured);
		items = Texts.buffer(measured.size() * ITEM_SIZE);
	}

	void prepare() {
		WinperfException.check(snapshot, Native.prepare(snapshot));
	}

	boolean sample() {
		return WinperfException.check(snapshot, Native.sample(snapshot)) == WinperfException.ANOMALY;
	}

	boolean decode() {
		for (int i = 0; i < values.size(); i++) {
			values.get(i).clear();
		}
		boolean anomaly = WinperfException.check(snapshot, Native.decode(snapshot)) == WinperfException.ANOMALY;

		int count = Native.items(snapshot, items);
		if (count == WinperfException.SIZE) { // a name that is a wildcard, too, names several instances
			items = Texts.buffer(WinperfException.check(snapshot, Native.itemsCount(snapshot)) * ITEM_SIZE);
			count = Native.items(snapshot, items);
		}
		WinperfException.check(snapshot, count);
		for (int i = 0; i < count; i++) {
			int at = i * ITEM_SIZE, request = items.getInt(at + REQUEST);
			values.get(request).set(status(measured.get(request), at), items, at + VALUE);
		}
		return anomaly;
	}

	/** The status of the item at a position. Storage cannot take a value of another type: what counts was replaced. */
	private int status(Measurable m, int at) {
		int status = items.getInt(at + STATUS);
		boolean same = items.getInt(at + TYPE) == m.sensor().valueType().code();
		return status == 0 && !same ? ValueHandle.OTHER_TYPE : status;
	}

	/** When the last sample was taken, in nanoseconds since 1970 in UTC. */
	long time() {
		ByteBuffer ns = Texts.buffer(8);
		WinperfException.check(snapshot, Native.time(snapshot, ns));
		return ns.getLong(0);
	}

	List<String> anomalies() {
		int length = WinperfException.check(snapshot, Native.anomaliesLength(snapshot));
		ByteBuffer lines = Texts.buffer(length);
		WinperfException.check(snapshot, Native.anomalies(snapshot, lines));
		List<String> all = Texts.split(lines, Integer.MAX_VALUE);
		return all.subList(0, all.size() - 1); // the last one is the list's end
	}

	void close() {
		Native.destroy(snapshot);
	}
}
