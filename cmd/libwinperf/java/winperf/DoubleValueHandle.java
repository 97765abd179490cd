package winperf;

/** A decimal reading. */
public final class DoubleValueHandle extends ValueHandle {
	DoubleValueHandle(double value) {
		super(value);
	}

	@Override
	public double getDouble() {
		return (Double) value();
	}
}
