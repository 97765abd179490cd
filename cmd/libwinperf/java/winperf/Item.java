package winperf;

/** A value of the last cycle. */
public final class Item {
	private final int object;
	private final int counter;
	private final int request;
	private final Instance instance;
	private final ValueHandle value;

	/** Makes an item of a source other than DataSource. */
	public Item(int request, Instance instance, ValueHandle value) {
		this(0, 0, request, instance, value);
	}

	Item(int object, int counter, int request, Instance instance, ValueHandle value) {
		this.object = object;
		this.counter = counter;
		this.request = request;
		this.instance = instance;
		this.value = value;
	}

	/** Returns the title index of the object. */
	public int object() {
		return object;
	}

	/** Returns the title index of the counter. */
	public int counter() {
		return counter;
	}

	/** Returns the position of the request or sensor of the value; -1 in a global or costly snapshot. */
	public int request() {
		return request;
	}

	/**
	 * Returns the instance of the value. It is null if the object has no instances, if the instance was not in the
	 * sample, and in a measurement context for a SensorInstance.
	 */
	public Instance instance() {
		return instance;
	}

	/** Returns the value, or the reason for a missing value. */
	public ValueHandle value() {
		return value;
	}
}
