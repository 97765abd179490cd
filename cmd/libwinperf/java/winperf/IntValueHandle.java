package winperf;

/** A reading of 32 bits without a sign. */
public final class IntValueHandle extends ValueHandle {
	IntValueHandle(int value) {
		super(value);
	}

	/** The value as an int. 2^31 and more do not fit. */
	@Override
	public int getInt() {
		int value = (Integer) value();
		if (value < 0) {
			throw lossy("an int");
		}
		return value;
	}

	@Override
	public long getLong() {
		return Integer.toUnsignedLong((Integer) value());
	}

	@Override
	public double getDouble() {
		return getLong();
	}

	@Override
	String text(Object value) {
		return Integer.toUnsignedString((Integer) value);
	}
}
