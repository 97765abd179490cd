package winperf;

/** A reading has no value, or cannot be converted to a type without loss. */
public class ConversionException extends ArithmeticException {
	private static final long serialVersionUID = 1;

	ConversionException(String text) {
		super(text);
	}
}
