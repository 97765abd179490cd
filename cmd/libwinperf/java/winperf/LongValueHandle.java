package winperf;

/** A reading of 64 bits without a sign. */
public final class LongValueHandle extends ValueHandle {
	LongValueHandle(long value) {
		super(value);
	}

	/** The value as a long. 2^63 and more do not fit. */
	@Override
	public long getLong() {
		long value = (Long) value();
		if (value < 0) {
			throw lossy("a long");
		}
		return value;
	}

	/** The value as a double. A value that a double cannot hold exactly is refused. */
	@Override
	public double getDouble() {
		long whole = getLong();
		double d = whole;
		if ((long) d != whole || d == 0x1p63) {
			throw lossy("a double");
		}
		return d;
	}

	@Override
	String text(Object value) {
		return Long.toUnsignedString((Long) value);
	}
}
