package winperf;

/** Something that a measurement context measures: a sensor, or an instance of a sensor that has some. */
public interface Measurable {
	/** The name: source/group/sensor, or source/group/sensor#instance. */
	String name();

	/** The sensor. */
	Sensor sensor();
}
