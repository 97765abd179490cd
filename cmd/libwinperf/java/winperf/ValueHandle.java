package winperf;

import java.nio.ByteBuffer;

/**
 * The storage of a sensor's reading. It belongs to a measurement context, which fills it when it decodes;
 * others read it. A conversion returns the value where nothing is lost, and throws a ConversionException otherwise
 * and where there is no value.
 */
public abstract class ValueHandle {
	private static final String[] STATUSES = new String[256];

	/** Beside the statuses of the library: there was no cycle, and the reading has another type than its sensor. */
	static final int NOT_MEASURED = -1, OTHER_TYPE = -2;

	private int status = NOT_MEASURED;

	ValueHandle() {}

	/** Reports whether there is a value. */
	public final synchronized boolean isValid() {
		return status == 0;
	}

	/** "ok", or why there is no value, such as no_previous or no_instance. */
	public final synchronized String status() {
		switch (status) {
			case NOT_MEASURED:
				return "not_measured";
			case OTHER_TYPE:
				return "other_type";
			default:
				return statusText(status);
		}
	}

	/** The value as an int. */
	public abstract int getInt();

	/** The value as a long. */
	public abstract long getLong();

	/** The value as a double. */
	public abstract double getDouble();

	/** Takes the value that stands at a position, in the form that the type has. */
	abstract void read(ByteBuffer from, int at);

	/** Sets a reading: the value at a position of a buffer, or why there is none. The first of a cycle counts. */
	final synchronized void set(int status, ByteBuffer from, int at) {
		if (this.status != NOT_MEASURED) {
			return;
		}
		this.status = status;
		if (status == 0) {
			read(from, at);
		}
	}

	/** Ends the reading of the cycle before. */
	final synchronized void clear() {
		status = NOT_MEASURED;
	}

	/** Throws where there is no value. */
	final void mustBeValid() {
		if (status != 0) {
			throw new ConversionException("there is no value: " + status());
		}
	}

	static ConversionException lossy(Object value, String as) {
		return new ConversionException(value + " as " + as + " loses something");
	}

	private static String statusText(int status) {
		synchronized (STATUSES) {
			if (STATUSES[status & 0xFF] == null) {
				ByteBuffer text = Texts.buffer(100);
				Native.statusText(status, text);
				STATUSES[status & 0xFF] = Texts.decode(text);
			}
			return STATUSES[status & 0xFF];
		}
	}

	@Override
	public synchronized String toString() {
		return isValid() ? text() : "[" + status() + "]";
	}

	/** The value as a text. */
	abstract String text();
}
