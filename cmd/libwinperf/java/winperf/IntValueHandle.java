package winperf;

/** A reading that is an unsigned 32-bit integer. */
public final class IntValueHandle extends ValueHandle {
	IntValueHandle(int value) {
		super(value);
	}

	/** Returns the value as an int. Throws a ConversionException for 2^31 and more. */
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
