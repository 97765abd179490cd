package winperf;

/** One statistic of a source. */
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

	/** The source that it belongs to. */
	public final SensorSource source() {
		return source;
	}

	/** source/group/sensor, with / # and % within a name written %2F, %23 and %25. */
	public final String name() {
		return name;
	}

	/** What its readings do. */
	public final SensorKind kind() {
		return kind;
	}

	/** What its readings are. */
	public final ValueType valueType() {
		return valueType;
	}

	/** The title index of its object; 0 in a source other than DataSource. */
	public final int object() {
		return title.object;
	}

	/** The title index of its counter; 0 in a source other than DataSource. */
	public final int counter() {
		return title.counter;
	}

	/** The type of its counter as winperf.h of Windows has it, such as 0x20510500, PERF_100NSEC_TIMER; else 0. */
	public final int type() {
		return title.type;
	}

	/** Whether its object takes long to measure, so that a global snapshot leaves it out. */
	public final boolean costly() {
		return title.costly;
	}

	@Override
	public final String toString() {
		return name;
	}

	/** What a counter of Windows has, and other sensors have not. */
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
