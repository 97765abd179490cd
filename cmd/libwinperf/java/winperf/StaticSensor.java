package winperf;

import java.util.List;

/** A sensor with instances. */
public final class StaticSensor extends Sensor {
	StaticSensor(DataSource source, String name, SensorKind kind, ValueType valueType, int object) {
		super(source, name, kind, valueType, object);
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
