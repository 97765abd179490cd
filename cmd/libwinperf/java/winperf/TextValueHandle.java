package winperf;

/** A reading that is a text. */
public final class TextValueHandle extends ValueHandle {
	private String value;

	TextValueHandle(String value) {
		this.value = value;
	}

	/** The value as a text. */
	public synchronized String getText() {
		mustBeValid();
		return value;
	}

	/** Always throws: a text is no number. */
	@Override
	public synchronized int getInt() {
		mustBeValid();
		throw lossy(value, "an int");
	}

	/** Always throws, as getInt does. */
	@Override
	public synchronized long getLong() {
		mustBeValid();
		throw lossy(value, "a long");
	}

	/** Always throws, as getInt does. */
	@Override
	public synchronized double getDouble() {
		mustBeValid();
		throw lossy(value, "a double");
	}

	@Override
	void copy(ValueHandle from) {
		value = ((TextValueHandle) from).value;
	}

	@Override
	String text() {
		return value;
	}
}
