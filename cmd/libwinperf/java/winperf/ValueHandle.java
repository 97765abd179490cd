package winperf;

import java.nio.ByteBuffer;

/**
 * The storage of a sensor's reading. It belongs to a measurement context, which fills it when it decodes;
 * others read it. A conversion returns the value where nothing is lost, and throws a ConversionException otherwise
 * and where there is no value.
 */
public abstract class ValueHandle {
	private static final String OK = "ok", NOT_MEASURED = "not_measured";

	private String status = NOT_MEASURED;
	private Object value;

	ValueHandle(Object value) {
		this.value = value;
	}

	/**
	 * Makes the value of an item: an Integer or a Long, both without a sign, a Double, or the text of anything else.
	 */
	public static ValueHandle of(Object value) {
		ValueHandle made;
		if (value instanceof Integer) {
			made = new IntValueHandle((Integer) value);
		} else if (value instanceof Long) {
			made = new LongValueHandle((Long) value);
		} else if (value instanceof Double) {
			made = new DoubleValueHandle((Double) value);
		} else {
			made = new TextValueHandle(String.valueOf(value));
		}
		made.status = OK;
		return made;
	}

	/** Makes what an item has in place of a value: a status such as no_instance. */
	public static ValueHandle missing(ValueType type, String status) {
		ValueHandle made = type.allocate();
		made.status = status;
		return made;
	}

	/** Reports whether there is a value. */
	public final synchronized boolean isValid() {
		return status.equals(OK);
	}

	/** "ok", or why there is no value, such as no_previous or no_instance. */
	public final synchronized String status() {
		return status;
	}

	/** The value as an int. A class whose values do not all fit always throws: then no value is a surprise. */
	public int getInt() {
		throw lossy("an int");
	}

	/** The value as a long, as getInt. */
	public long getLong() {
		throw lossy("a long");
	}

	/** The value as a double, as getInt. */
	public double getDouble() {
		throw lossy("a double");
	}

	/**
	 * Sets the reading of a cycle. The first one counts: a name that is a wildcard may have several. A value of
	 * another type is refused, as the counter was replaced by another one.
	 */
	final synchronized void set(ValueHandle from) {
		if (!status.equals(NOT_MEASURED)) {
			return;
		}
		status = from.isValid() && from.getClass() != getClass() ? "other_type" : from.status();
		if (isValid()) {
			value = from.value;
		}
	}

	/** Ends the reading of the cycle before. */
	final synchronized void clear() {
		status = NOT_MEASURED;
	}

	/** The value. It throws where there is none. */
	final synchronized Object value() {
		if (!isValid()) {
			throw new ConversionException("there is no value: " + status);
		}
		return value;
	}

	/** The exception of a conversion that loses something, or of a value that is missing. */
	final synchronized ConversionException lossy(String as) {
		return new ConversionException(text(value()) + " as " + as + " loses something");
	}

	@Override
	public final synchronized String toString() {
		return isValid() ? text(value) : "[" + status + "]";
	}

	/** A value as a text. */
	String text(Object value) {
		return value.toString();
	}
}
