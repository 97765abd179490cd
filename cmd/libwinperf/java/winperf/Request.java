package winperf;

/** A counter that a snapshot measures with all instances, or a whole object. */
public final class Request {
	private final int object;
	private final int counter;

	/** Makes a request for a counter by title indices: see DataSource.findObject and findCounter. */
	public Request(int object, int counter) {
		this.object = object;
		this.counter = counter;
	}

	/** Makes a request for all counters of an object. */
	public static Request whole(int object) {
		return new Request(object, 0);
	}

	/** Returns the title index of the object. */
	public int object() {
		return object;
	}

	/** Returns the title index of the counter; 0 is the whole object. */
	public int counter() {
		return counter;
	}
}
