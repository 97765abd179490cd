package winperf;

import java.util.Locale;

/** An instance of a sensor, such as a process. Two are equal if the source and, ignoring case, the name are equal. */
public final class SensorInstance implements Measurable {
	private final StaticSensor sensor;
	private final String instance;
	private final String name;

	SensorInstance(StaticSensor sensor, String instance, int occurrence) {
		this.sensor = sensor;
		this.instance = instance;
		String text = instance.replace("%", "%25").replace("/", "%2F").replace("#", "%23");
		this.name = sensor.name() + "#" + text + (occurrence > 0 ? "#" + occurrence : "");
	}

	@Override
	public Sensor sensor() {
		return sensor;
	}

	/** Returns the name of the instance; parent/name if it has a parent. */
	public String instance() {
		return instance;
	}

	@Override
	public String name() {
		return name;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof SensorInstance && sensor.source() == ((SensorInstance) other).sensor.source()
				&& key().equals(((SensorInstance) other).key());
	}

	@Override
	public int hashCode() {
		return key().hashCode();
	}

	private String key() {
		return name.toLowerCase(Locale.ROOT);
	}

	@Override
	public String toString() {
		return name;
	}
}
