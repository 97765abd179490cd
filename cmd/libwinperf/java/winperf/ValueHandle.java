package winperf;

import java.nio.ByteBuffer;

/**
 * The storage of a reading. A measurement context owns it and fills it in decode; other threads may read it. A
 * conversion returns the value if nothing is lost. Otherwise, and if the value is missing, it throws a
 * ConversionException.
 */
public abstract class ValueHandle {
	private static final String OK = "ok", NOT_MEASURED = "not_measured";

	private String status = NOT_MEASURED;
	private Object value;

	ValueHandle(Object value) {
		this.value = value;
	}

	/**
	 * Makes the value of an item: an unsigned Integer or Long, a Double, or the text of any other object.
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

	/** Makes a missing value with its status, such as no_instance. */
	public static ValueHandle missing(ValueType type, String status) {
		ValueHandle made = type.allocate();
		made.status = status;
		return made;
	}

	/** Reports whether the value exists. */
	public final synchronized boolean isValid() {
		return status.equals(OK);
	}

	/** Returns "ok", or the reason for a missing value, such as no_previous or no_instance. */
	public final synchronized String status() {
		return status;
	}

	/** Returns the value as an int. A class that cannot hold all its values in an int always throws. */
	public int getInt() {
		throw lossy("an int");
	}

	/** Returns the value as a long, like getInt. */
	public long getLong() {
		throw lossy("a long");
	}

	/** Returns the value as a double, like getInt. */
	public double getDouble() {
		throw lossy("a double");
	}

	/**
	 * Sets the reading of a cycle. Only the first reading is stored; a name with wildcards can have several. A value of
	 * another type is refused, because the counter was replaced by another one.
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

	/** Removes the reading of the previous cycle. */
	final synchronized void clear() {
		status = NOT_MEASURED;
	}

	/** Returns the value. Throws a ConversionException if it is missing. */
	final synchronized Object value() {
		if (!isValid()) {
			throw new ConversionException("no value: " + status);
		}
		return value;
	}

	/** Returns the exception for a lossy conversion. Throws one if the value is missing. */
	final synchronized ConversionException lossy(String as) {
		return new ConversionException(text(value()) + " does not fit " + as);
	}

	@Override
	public final synchronized String toString() {
		return isValid() ? text(value) : "[" + status + "]";
	}

	/** Returns a value as a text. */
	String text(Object value) {
		return value.toString();
	}
}
