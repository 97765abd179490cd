package winperf;

/** The events of this program, to which experiments are attached from outside. */
public final class Events {
	private Events() {}

	/** Lets experiments be attached to the program under a name, until what is returned is closed. */
	public static Listener listen(String name) {
		return new Listener(WinperfException.check(0, Native.listen(Texts.encode(name))));
	}

	/** Declares names of events and regions, which {@code winperf experiment list} shows before they happen. */
	public static void declare(String... names) {
		for (String name : names) {
			WinperfException.check(0, Native.eventDeclare(Texts.encode(name)));
		}
	}

	/**
	 * Says that something happened, with attributes: keys and values in turn. It returns when the samples that are
	 * bound to the event are begun; at once where there are none.
	 */
	public static void event(String name, Object... attributes) {
		emit(0, name, attributes);
	}

	static void emit(int region, String name, Object... attributes) {
		Attributes a = new Attributes(attributes);
		WinperfException.check(0, Native.event(region, Texts.encode(name), a.texts, a.types, a.bits));
	}

	/** What lets experiments be attached. */
	public static final class Listener implements AutoCloseable {
		private final int handle;

		private Listener(int handle) {
			this.handle = handle;
		}

		/** Ends the experiments that were attached, and lets no more be. Closing it again does nothing. */
		@Override
		public void close() {
			int code = Native.listenEnd(handle);
			if (code != WinperfException.HANDLE) {
				WinperfException.check(handle, code);
			}
		}
	}
}
