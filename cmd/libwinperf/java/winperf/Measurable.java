package winperf;

/** What a measurement context has a reading of: a sensor without instances, or an instance of one that has some. */
public interface Measurable {
	/** The name: source/group/sensor, or source/group/sensor#instance. */
	String name();

	/** The sensor. */
	Sensor sensor();
}
