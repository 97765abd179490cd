package winperf;

/** A reading that is a text. */
public final class TextValueHandle extends ValueHandle {
	TextValueHandle(String value) {
		super(value);
	}

	/** Returns the value as a text. */
	public String getText() {
		return (String) value();
	}
}
