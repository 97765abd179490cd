package winperf;

/** A span of the program that experiments measure from its begin to its end. */
public final class Region implements AutoCloseable {
	private final int handle;
	private Attributes atEnd = new Attributes();
	private boolean ended;

	/**
	 * Begins a region. Returns when the samples of its begin are complete, so that the region does not include them.
	 */
	public Region(String name, Object... attributes) {
		this(0, name, attributes);
	}

	private Region(int around, String name, Object... attributes) {
		Attributes a = new Attributes(attributes);
		handle = WinperfException.check(0, Native.regionBegin(around, Texts.encode(name), a.texts, a.types, a.bits));
	}

	/** Begins a region within this one. */
	public Region within(String name, Object... attributes) {
		return new Region(handle, name, attributes);
	}

	/** Emits an event within the region. */
	public void event(String name, Object... attributes) {
		Events.emit(handle, name, attributes);
	}

	/** Sets the attributes of the end: alternating keys and values. Invalid attributes change nothing. */
	public synchronized void atEnd(Object... attributes) {
		atEnd = new Attributes(attributes);
	}

	/**
	 * Ends the region. Ending it again does nothing. If the end is refused, the region stays open and can be ended
	 * again.
	 */
	@Override
	public synchronized void close() {
		if (ended) {
			return;
		}
		int code = Native.regionEnd(handle, atEnd.texts, atEnd.types, atEnd.bits);
		ended = code >= 0 || code == WinperfException.HANDLE;
		WinperfException.check(handle, code);
	}
}
