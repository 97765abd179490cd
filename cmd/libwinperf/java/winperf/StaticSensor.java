package winperf;

import java.util.List;

/**
 * A sensor with instances. In a measurement context it means all of them, including new ones. One instance can also be
 * measured alone.
 */
public final class StaticSensor extends Sensor implements Measurable {
	/** Makes a sensor of a source other than DataSource. */
	public StaticSensor(SensorSource source, String name, SensorKind kind, ValueType valueType) {
		this(source, name, kind, valueType, Title.NONE);
	}

	StaticSensor(SensorSource source, String name, SensorKind kind, ValueType valueType, Title title) {
		super(source, name, kind, valueType, title);
	}

	@Override
	public Sensor sensor() {
		return this;
	}

	/** Returns the first instance of a name, which need not exist now. * and ? in the name are wildcards. */
	public SensorInstance instance(String instance) {
		return instance(instance, 0);
	}

	/** Returns one of several instances of the same name, counted from 0. */
	public SensorInstance instance(String instance, int occurrence) {
		return new SensorInstance(this, instance, occurrence);
	}

	/** Returns the current instances. Takes a sample. */
	public List<SensorInstance> instances() {
		return source().instances(this);
	}
}
