package winperf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Texts and buffers in the form of libwinperf. */
final class Texts {
	private static final Map<Integer, String> STATUSES = new ConcurrentHashMap<>();

	private Texts() {}

	/** Returns the word of a status, such as no_previous. */
	static String status(int status) {
		return STATUSES.computeIfAbsent(status, number -> {
			ByteBuffer text = buffer(100);
			Native.statusText(number, text);
			return decode(text);
		});
	}

	/** Returns a direct buffer of at least one byte, because an empty buffer has no address. */
	static ByteBuffer buffer(int size) {
		return ByteBuffer.allocateDirect(Math.max(size, 1)).order(ByteOrder.nativeOrder());
	}

	/** Returns a text with a NUL at its end. A NUL within the text would hide the rest and is refused. */
	static byte[] encode(String text) {
		if (text.indexOf('\0') >= 0) {
			throw new IllegalArgumentException("a text with a NUL: " + text.replace('\0', '?'));
		}
		return (text + '\0').getBytes(StandardCharsets.UTF_8);
	}

	/** Returns the text at the beginning of a buffer, up to its NUL. */
	static String decode(ByteBuffer from) {
		List<String> all = split(from, 1);
		return all.isEmpty() ? "" : all.get(0);
	}

	/** Returns the texts of a list, at most most. */
	static List<String> split(ByteBuffer from, int most) {
		byte[] bytes = new byte[from.capacity()];
		from.duplicate().get(bytes);
		List<String> texts = new ArrayList<>();
		int begin = 0;
		for (int at = 0; at < bytes.length && texts.size() < most; at++) {
			if (bytes[at] == 0) {
				texts.add(new String(bytes, begin, at - begin, StandardCharsets.UTF_8));
				begin = at + 1;
			}
		}
		return texts;
	}
}
