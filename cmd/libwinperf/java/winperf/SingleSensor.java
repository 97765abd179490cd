package winperf;

/** A sensor without instances. */
public final class SingleSensor extends Sensor implements Measurable {
	/** Makes a sensor of a source other than DataSource. */
	public SingleSensor(SensorSource source, String name, SensorKind kind, ValueType valueType) {
		this(source, name, kind, valueType, Title.NONE);
	}

	SingleSensor(SensorSource source, String name, SensorKind kind, ValueType valueType, Title title) {
		super(source, name, kind, valueType, title);
	}

	@Override
	public Sensor sensor() {
		return this;
	}
}
