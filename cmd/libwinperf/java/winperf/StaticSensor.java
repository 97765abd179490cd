package winperf;

import java.util.List;

/**
 * A sensor with instances. In a measurement context it stands for all of them, those that come later included; its
 * instances can be measured alone, too.
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

	/** The first instance of a name, whether or not it is there now. * and ? in it stand for any characters. */
	public SensorInstance instance(String instance) {
		return instance(instance, 0);
	}

	/** One of several instances of a name, counted from 0. */
	public SensorInstance instance(String instance, int occurrence) {
		return new SensorInstance(this, instance, occurrence);
	}

	/** The instances that are there now. It takes a sample. */
	public List<SensorInstance> instances() {
		return source().instances(this);
	}
}
