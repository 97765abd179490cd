package winperf;

/** A reading that is an unsigned 64-bit integer. */
public final class LongValueHandle extends ValueHandle {
	LongValueHandle(long value) {
		super(value);
	}

	/** Returns the value as a long. Throws a ConversionException for 2^63 and more. */
	@Override
	public long getLong() {
		long value = (Long) value();
		if (value < 0) {
			throw lossy("a long");
		}
		return value;
	}

	/** Returns the value as a double. Throws a ConversionException if a double cannot hold it exactly. */
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
