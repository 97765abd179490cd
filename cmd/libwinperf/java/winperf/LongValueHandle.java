package winperf;

/** A reading of 64 bits without a sign. */
public final class LongValueHandle extends ValueHandle {
	private long value;

	LongValueHandle(long value) {
		this.value = value;
	}

	/** Always throws: what works for one value of a sensor works for all. */
	@Override
	public synchronized int getInt() {
		mustBeValid();
		throw lossy(text(), "an int");
	}

	/** {@inheritDoc} Those of 2^63 and more do not fit. */
	@Override
	public synchronized long getLong() {
		mustBeValid();
		if (value < 0) {
			throw lossy(text(), "a long");
		}
		return value;
	}

	/** {@inheritDoc} Those that a double cannot hold exactly are refused. */
	@Override
	public synchronized double getDouble() {
		long whole = getLong();
		double d = whole;
		if ((long) d != whole || d == 0x1p63) {
			throw lossy(text(), "a double");
		}
		return d;
	}

	@Override
	void copy(ValueHandle from) {
		value = ((LongValueHandle) from).value;
	}

	@Override
	String text() {
		return Long.toUnsignedString(value);
	}
}
