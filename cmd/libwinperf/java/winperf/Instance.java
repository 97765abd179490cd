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

	/** Returns the name; parent/name if the instance has a parent. */
	public String name() {
		return name;
	}

	/** Returns the position among instances of the same name, from 0. */
	public int occurrence() {
		return occurrence;
	}

	/** Returns the title index of the parent's object; 0 without a parent. */
	public int parentObject() {
		return parentObject;
	}

	/** Returns the position of the parent among the instances of its object; -1 without a parent. */
	public int parentPosition() {
		return parentPosition;
	}

	/** Returns the name as in a path: worker#1 is the second instance of that name. */
	@Override
	public String toString() {
		return occurrence > 0 ? name + "#" + occurrence : name;
	}
}
