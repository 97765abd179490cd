package winperf;

/** An instance of an object in the last sample of a snapshot. */
public final class Instance {
	private final String name;
	private final int occurrence;
	private final int parentObject;
	private final int parentPosition;

	/** Makes an instance without a parent. */
	public Instance(String name, int occurrence) {
		this(name, occurrence, 0, -1);
	}

	Instance(String name, int occurrence, int parentObject, int parentPosition) {
		this.name = name;
		this.occurrence = occurrence;
		this.parentObject = parentObject;
		this.parentPosition = parentPosition;
	}

	/** The name, parent/name where it has a parent. */
	public String name() {
		return name;
	}

	/** Which it is of those with the same name, from 0. */
	public int occurrence() {
		return occurrence;
	}

	/** The title index of the object of its parent; 0 without one. */
	public int parentObject() {
		return parentObject;
	}

	/** The position of the parent among the instances of its object; -1 without one. */
	public int parentPosition() {
		return parentPosition;
	}

	/** The name as it is in a path: worker#1 is the second of that name. */
	@Override
	public String toString() {
		return occurrence > 0 ? name + "#" + occurrence : name;
	}
}
