package winperf;

/** One counter of a source. */
public abstract class Sensor {
	private final SensorSource source;
	private final String name;
	private final SensorKind kind;
	private final ValueType valueType;
	private final Title title;

	Sensor(SensorSource source, String name, SensorKind kind, ValueType valueType, Title title) {
		this.source = source;
		this.name = name;
		this.kind = kind;
		this.valueType = valueType;
		this.title = title;
	}

	/** Returns the source of the sensor. */
	public final SensorSource source() {
		return source;
	}

	/** Returns the name, source/group/sensor, with / # and % in a name written %2F, %23 and %25. */
	public final String name() {
		return name;
	}

	/** Returns the kind of the readings. */
	public final SensorKind kind() {
		return kind;
	}

	/** Returns the type of the readings. */
	public final ValueType valueType() {
		return valueType;
	}

	/** Returns the title index of the object; 0 in a source other than DataSource. */
	public final int object() {
		return title.object;
	}

	/** Returns the title index of the counter; 0 in a source other than DataSource. */
	public final int counter() {
		return title.counter;
	}

	/** Returns the counter type as in winperf.h of Windows, such as 0x20510500, PERF_100NSEC_TIMER; else 0. */
	public final int type() {
		return title.type;
	}

	/** Reports whether the object is costly; global snapshots omit costly objects. */
	public final boolean costly() {
		return title.costly;
	}

	@Override
	public final String toString() {
		return name;
	}

	/** The title indices and type of a counter; other sensors have none. */
	static final class Title {
		static final Title NONE = new Title(0, 0, 0, false);

		private final int object;
		private final int counter;
		private final int type;
		private final boolean costly;

		Title(int object, int counter, int type, boolean costly) {
			this.object = object;
			this.counter = counter;
			this.type = type;
			this.costly = costly;
		}
	}
}
