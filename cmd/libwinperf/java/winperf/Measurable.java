package winperf;

/** A sensor, or an instance of a sensor, that a measurement context can measure. */
public interface Measurable {
	/** Returns the name: source/group/sensor, or source/group/sensor#instance. */
	String name();

	/** Returns the sensor. */
	Sensor sensor();
}
