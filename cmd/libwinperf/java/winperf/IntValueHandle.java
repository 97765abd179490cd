package winperf;

/** A reading of 32 bits without a sign. */
public final class IntValueHandle extends ValueHandle {
	private int value;

	IntValueHandle(int value) {
		this.value = value;
	}

	/** {@inheritDoc} Those of 2^31 and more do not fit. */
	@Override
	public synchronized int getInt() {
		mustBeValid();
		if (value < 0) {
			throw lossy(text(), "an int");
		}
		return value;
	}

	@Override
	public synchronized long getLong() {
		mustBeValid();
		return Integer.toUnsignedLong(value);
	}

	@Override
	public synchronized double getDouble() {
		return getLong();
	}

	@Override
	void copy(ValueHandle from) {
		value = ((IntValueHandle) from).value;
	}

	@Override
	String text() {
		return Integer.toUnsignedString(value);
	}
}
