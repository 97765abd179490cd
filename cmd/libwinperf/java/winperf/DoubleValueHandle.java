package winperf;

/** A decimal reading. */
public final class DoubleValueHandle extends ValueHandle {
	private double value;

	DoubleValueHandle(double value) {
		this.value = value;
	}

	/** Always throws: what works for one value of a sensor works for all. */
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

	@Override
	public synchronized double getDouble() {
		mustBeValid();
		return value;
	}

	@Override
	void copy(ValueHandle from) {
		value = ((DoubleValueHandle) from).value;
	}

	@Override
	String text() {
		return Double.toString(value);
	}
}
