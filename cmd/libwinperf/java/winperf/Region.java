package winperf;

/** A part of the program that experiments measure as a whole, from its begin to its end. */
public final class Region implements AutoCloseable {
	private final int handle;
	private Object[] atEnd = {};
	private boolean ended;

	/** Begins a region. It returns when the samples of its begin are complete, so that it does not measure itself. */
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

	/** Says that something happened within the region. */
	public void event(String name, Object... attributes) {
		Events.emit(handle, name, attributes);
	}

	/** Sets the attributes of the end: keys and values in turn. */
	public synchronized void atEnd(Object... attributes) {
		atEnd = attributes;
	}

	/** Ends the region. Ending it again does nothing. */
	@Override
	public synchronized void close() {
		if (ended) {
			return;
		}
		ended = true;
		Attributes a = new Attributes(atEnd);
		WinperfException.check(handle, Native.regionEnd(handle, a.texts, a.types, a.bits));
	}
}
