package winperf;

/** One statistic of a data source. */
public abstract class Sensor {
	private final DataSource source;
	private final String name;
	private final SensorKind kind;
	private final ValueType valueType;
	private final int object;

	Sensor(DataSource source, String name, SensorKind kind, ValueType valueType, int object) {
		this.source = source;
		this.name = name;
		this.kind = kind;
		this.valueType = valueType;
		this.object = object;
	}

	/** The data source that it belongs to. */
	public final DataSource source() {
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

	/** The title index of its object. */
	final int object() {
		return object;
	}

	@Override
	public final String toString() {
		return name;
	}
}
