package winperf;

import java.util.List;

/**
 * A source of sensors. ServiceLoader finds all sources of a program: DataSource with the counters of this machine,
 * and the sources of other libraries. A measurement context can measure sensors of all of them.
 */
public interface SensorSource extends AutoCloseable {
	/** Returns the prefix of sensor names. */
	String name();

	/** Returns all sensors, in the order of the source. */
	List<Sensor> sensors();

	/** Returns the current instances of a sensor. */
	List<SensorInstance> instances(StaticSensor sensor);

	/** Begins a measurement of some sensors. */
	ProbeContext probe(List<Measurable> measured);

	/** Closes the source. */
	@Override
	void close();
}
