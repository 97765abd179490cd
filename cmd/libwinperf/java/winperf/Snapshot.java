package winperf;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A measurement of whole objects, or of counters with all their instances, by title index. A cycle is prepare, sample
 * and decode. Steps in the wrong order throw a WinperfException with STATE. Any number of threads may use a snapshot.
 * A call waits for the previous call, except state and close.
 */
public final class Snapshot implements ProbeContext {
	/** The states of a snapshot. */
	public enum State {
		/** The snapshot is being made. */
		INITIALIZING,
		/** Prepare may follow; the structure, and after a cycle the values, can be read. */
		INITIALIZED,
		/** Prepare is running. */
		PREPARING,
		/** Sample may follow. */
		PREPARED,
		/** Sample is running. */
		SAMPLING,
		/** Decode may follow. */
		SAMPLED,
		/** Decode is running. */
		DECODING
	}

	private static final int ITEM_SIZE = 32, COUNTER_SIZE = 24, INSTANCE_SIZE = 12; // of the structures

	private final int handle;
	private final List<Measurable> measured; // empty for a snapshot of requests
	private ByteBuffer buffer; // of items

	Snapshot(int handle, List<Measurable> measured) {
		this.handle = handle;
		this.measured = measured;
		this.buffer = Texts.buffer(measured.size() * ITEM_SIZE);
	}

	@Override
	public synchronized void prepare() {
		check(Native.prepare(handle));
	}

	@Override
	public synchronized boolean sample() {
		return check(Native.sample(handle)) == WinperfException.ANOMALY;
	}

	@Override
	public synchronized boolean decode() {
		return check(Native.decode(handle)) == WinperfException.ANOMALY;
	}

	/** Runs the three steps. Returns true after an anomaly. */
	public synchronized boolean cycle() {
		prepare();
		boolean grew = sample();
		return decode() || grew;
	}

	/** Returns the state of the snapshot. It never waits. */
	public State state() {
		return State.values()[check(Native.state(handle)) - 1];
	}

	/** Returns the title indices of the objects of the last sample, in its order. */
	public synchronized List<Integer> objects() {
		ByteBuffer found = Texts.buffer(check(Native.objectsCount(handle)) * Integer.BYTES);
		int count = check(Native.objects(handle, found));
		List<Integer> all = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			all.add(found.getInt(i * Integer.BYTES));
		}
		return all;
	}

	/** Returns the counters of an object in the order of the sample, without bases. */
	public synchronized List<Counter> counters(int object) {
		ByteBuffer found = Texts.buffer(check(Native.countersCount(handle, object)) * COUNTER_SIZE);
		int count = check(Native.counters(handle, object, found));
		List<Counter> all = new ArrayList<>();
		for (int at = 0; at < count * COUNTER_SIZE; at += COUNTER_SIZE) {
			SensorKind kind = SensorKind.values()[found.getInt(at + 12)];
			ValueType valueType = ValueType.of(found.getInt(at + 16));
			all.add(new Counter(found.getInt(at), found.getInt(at + 4), found.getInt(at + 8), kind, valueType,
					found.getInt(at + 20)));
		}
		return all;
	}

	/** Returns the instances of an object in the order of the sample; an empty list for an object without instances. */
	public synchronized List<Instance> instances(int object) {
		ByteBuffer texts = Texts.buffer(check(Native.instancesLength(handle, object)));
		ByteBuffer rest = Texts.buffer(check(Native.instancesCount(handle, object)) * INSTANCE_SIZE);
		int count = check(Native.instances(handle, object, texts, rest));
		List<String> names = Texts.split(texts, count);
		List<Instance> all = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			int at = i * INSTANCE_SIZE;
			all.add(new Instance(names.get(i), rest.getInt(at + 8), rest.getInt(at), rest.getInt(at + 4)));
		}
		return all;
	}

	@Override
	public synchronized List<Item> items() {
		int count = Native.items(handle, buffer);
		if (count == WinperfException.SIZE) {
			buffer = Texts.buffer(check(Native.itemsCount(handle)) * ITEM_SIZE);
			count = Native.items(handle, buffer);
		}
		check(count);

		List<Item> all = new ArrayList<>(count);
		Map<Integer, List<Instance>> instances = new HashMap<>();
		for (int i = 0; i < count; i++) {
			all.add(item(i, instances));
		}
		return all;
	}

	/** Returns the item at a position of the buffer. Instances are read once for each object. */
	private Item item(int position, Map<Integer, List<Instance>> instances) {
		int at = position * ITEM_SIZE;
		int object = buffer.getInt(at), counter = buffer.getInt(at + 4);
		int place = buffer.getInt(at + 8), request = buffer.getInt(at + 12);
		boolean named = request >= 0 && !measured.isEmpty() && !(measured.get(request) instanceof StaticSensor);
		Instance instance = null;
		if (place >= 0 && !named) {
			List<Instance> all = instances.computeIfAbsent(object, this::instances);
			instance = place < all.size() ? all.get(place) : null; // the list is empty for an object without instances
		}
		return new Item(object, counter, request, instance, value(position, at));
	}

	/** Returns the value of an item, or the reason for a missing value. */
	private ValueHandle value(int position, int at) {
		ValueType type = ValueType.of(buffer.getInt(at + 16));
		int status = buffer.getInt(at + 20);
		if (status != 0 || type == ValueType.NONE) {
			return ValueHandle.missing(type, status == 0 ? "none" : Texts.status(status));
		}
		switch (type) {
			case INT32:
				return ValueHandle.of(buffer.getInt(at + 24));
			case INT64:
				return ValueHandle.of(buffer.getLong(at + 24));
			case DECIMAL:
				return ValueHandle.of(buffer.getDouble(at + 24));
			default:
				ByteBuffer text = Texts.buffer(check(Native.textLength(handle, position)));
				check(Native.text(handle, position, text));
				return ValueHandle.of(Texts.decode(text));
		}
	}

	@Override
	public synchronized long time() {
		ByteBuffer ns = Texts.buffer(Long.BYTES);
		check(Native.time(handle, ns));
		return ns.getLong(0);
	}

	@Override
	public synchronized List<String> anomalies() {
		ByteBuffer lines = Texts.buffer(check(Native.anomaliesLength(handle)));
		check(Native.anomalies(handle, lines));
		List<String> all = Texts.split(lines, Integer.MAX_VALUE);
		return all.subList(0, all.size() - 1); // the last text is the end of the list
	}

	private int check(int result) {
		return WinperfException.check(handle, result);
	}

	/** Ends the snapshot, and stops a running operation of another thread. */
	@Override
	public void close() {
		Native.destroy(handle);
	}
}
