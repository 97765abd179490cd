package winperf;

import java.nio.charset.StandardCharsets;

/** The attributes of an event in the form that winperf_jni.c reads. */
final class Attributes {
	private static final int INT64 = 2, DECIMAL = 3, TEXT = 4; // of libwinperf.h

	/** The key and the text of each attribute; the text of a number is empty. */
	final byte[] texts;
	final int[] types;
	/** The numbers; a double is stored as its bits. */
	final long[] bits;

	/** Makes attributes of alternating keys and values. A value that is not a number is stored as its text. */
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

	/** Sets the type and the number of an attribute, and returns its text. */
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
