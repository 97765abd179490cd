package winperf;

/** An instance of a sensor: a process, a disk. */
public final class SensorInstance implements Measurable {
	private final StaticSensor sensor;
	private final String instance;
	private final int occurrence;

	SensorInstance(StaticSensor sensor, String instance, int occurrence) {
		this.sensor = sensor;
		this.instance = instance;
		this.occurrence = occurrence;
	}

	@Override
	public Sensor sensor() {
		return sensor;
	}

	/** The instance's name, parent/name where it has a parent. */
	public String instance() {
		return instance;
	}

	@Override
	public String name() {
		String text = instance.replace("%", "%25").replace("/", "%2F").replace("#", "%23");
		return sensor.name() + "#" + text + (occurrence > 0 ? "#" + occurrence : "");
	}

	@Override
	public String toString() {
		return name();
	}
}
