package winperf;

/** The events of this program, to which other programs can attach experiments. */
public final class Events {
	private Events() {}

	/** Lets other programs attach experiments to this program under a name, until the listener is closed. */
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
	 * Emits an event with attributes: alternating keys and values. Returns when the samples that are bound to the event
	 * have started; at once if none are.
	 */
	public static void event(String name, Object... attributes) {
		emit(0, name, attributes);
	}

	static void emit(int region, String name, Object... attributes) {
		Attributes a = new Attributes(attributes);
		WinperfException.check(0, Native.event(region, Texts.encode(name), a.texts, a.types, a.bits));
	}

	/** A registration of this program for experiments. */
	public static final class Listener implements AutoCloseable {
		private final int handle;

		private Listener(int handle) {
			this.handle = handle;
		}

		/** Ends attached experiments and accepts no others. Closing it again does nothing. */
		@Override
		public void close() {
			int code = Native.listenEnd(handle);
			if (code != WinperfException.HANDLE) {
				WinperfException.check(handle, code);
			}
		}
	}
}
