package winperf;

/** A counter of an object in the last sample of a snapshot. */
public final class Counter {
	private final int name;
	private final int help;
	private final int type;
	private final SensorKind kind;
	private final ValueType valueType;
	private final int scale;

	Counter(int name, int help, int type, SensorKind kind, ValueType valueType, int scale) {
		this.name = name;
		this.help = help;
		this.type = type;
		this.kind = kind;
		this.valueType = valueType;
		this.scale = scale;
	}

	/** The title index of its name: see DataSource.text. */
	public int name() {
		return name;
	}

	/** The title index of its help text. */
	public int help() {
		return help;
	}

	/** The type as winperf.h of Windows has it, such as 0x20510500, PERF_100NSEC_TIMER. */
	public int type() {
		return type;
	}

	/** What its values do. */
	public SensorKind kind() {
		return kind;
	}

	/** What its values are. */
	public ValueType valueType() {
		return valueType;
	}

	/** The power of ten for graphs, which is never part of the value. */
	public int scale() {
		return scale;
	}
}
