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

	/** Returns the title index of the name; see DataSource.text. */
	public int name() {
		return name;
	}

	/** Returns the title index of the help text. */
	public int help() {
		return help;
	}

	/** Returns the counter type as in winperf.h of Windows, such as 0x20510500, PERF_100NSEC_TIMER. */
	public int type() {
		return type;
	}

	/** Returns the kind of the values. */
	public SensorKind kind() {
		return kind;
	}

	/** Returns the type of the values. */
	public ValueType valueType() {
		return valueType;
	}

	/** Returns the power of ten for graphs, which is never part of the value. */
	public int scale() {
		return scale;
	}
}
