package winperf;

import java.nio.ByteBuffer;

/** An error of the library. */
public class WinperfException extends RuntimeException {
	/** The codes of libwinperf.h. */
	public static final int FAILED = -1, HANDLE = -2, KIND = -3, STATE = -4, ARGUMENT = -5, ANOMALY = -6, SIZE = -7,
			NOT_FOUND = -8, NOT_SUPPORTED = -9, TIMEOUT = -10, END = -11, DAMAGED = -12, TOO_MANY = -13;

	private static final long serialVersionUID = 1;

	private final int code;

	WinperfException(int code, String text) {
		super(text);
		this.code = code;
	}

	/** Returns one of the codes. */
	public int code() {
		return code;
	}

	/** Returns a result, and throws for a failure; an anomaly is not one. handle is the object of the call, or 0. */
	static int check(int handle, int result) {
		if (result >= 0 || result == ANOMALY) {
			return result;
		}
		String text = handle > 0 ? lastError(handle) : "";
		if (text.isEmpty()) {
			text = lastError(0);
		}
		throw new WinperfException(result, text.isEmpty() ? meaning(result) : text);
	}

	private static String lastError(int handle) {
		int length = Native.errorLength(handle);
		if (length <= 0) {
			return "";
		}
		ByteBuffer text = Texts.buffer(length);
		return Native.error(handle, text) < 0 ? "" : Texts.decode(text);
	}

	private static String meaning(int code) {
		ByteBuffer text = Texts.buffer(200);
		return Native.codeText(code, text) < 0 ? "code " + code : Texts.decode(text);
	}
}
