package winperf;

/** A sensor without instances. */
public final class SingleSensor extends Sensor implements Measurable {
	SingleSensor(DataSource source, String name, SensorKind kind, ValueType valueType, int object) {
		super(source, name, kind, valueType, object);
	}

	@Override
	public Sensor sensor() {
		return this;
	}
}
