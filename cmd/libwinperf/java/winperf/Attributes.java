package winperf;

import java.nio.charset.StandardCharsets;

/** The attributes of an event as winperf_jni.c takes them. */
final class Attributes {
	private static final int INT64 = 2, DECIMAL = 3, TEXT = 4; // of libwinperf.h

	/** For each attribute its key and its text, empty for a number. */
	final byte[] texts;
	final int[] types;
	/** The numbers, those of a double as its bits. */
	final long[] bits;

	/** Takes keys and values in turn. A value is a whole number, a double or float, or anything else as its text. */
	Attributes(Object... all) {
		if (all.length % 2 != 0) {
			throw new IllegalArgumentException("the last key has no value: " + all[all.length - 1]);
		}
		types = new int[all.length / 2];
		bits = new long[types.length];
		StringBuilder list = new StringBuilder();
		for (int i = 0; i < types.length; i++) {
			list.append(text(all[2 * i])).append('\0').append(set(i, all[2 * i + 1])).append('\0');
		}
		texts = list.toString().getBytes(StandardCharsets.UTF_8);
	}

	/** Sets type and number of an attribute, and returns its text. */
	private String set(int i, Object value) {
		if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
			types[i] = INT64;
			bits[i] = ((Number) value).longValue();
			return "";
		}
		if (value instanceof Double || value instanceof Float) {
			types[i] = DECIMAL;
			bits[i] = Double.doubleToRawLongBits(((Number) value).doubleValue());
			return "";
		}
		types[i] = TEXT;
		return text(value);
	}

	private static String text(Object of) {
		String text = String.valueOf(of);
		if (text.indexOf('\0') >= 0) {
			throw new IllegalArgumentException("a text with a NUL: " + text.replace('\0', '?'));
		}
		return text;
	}
}
