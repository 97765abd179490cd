package winperf;

import java.util.List;

/**
 * A source of sensors. The sources of a program are found by ServiceLoader: DataSource, which gives this machine's
 * counters, and the sources of other libraries. A measurement context measures sensors of any of them.
 */
public interface SensorSource extends AutoCloseable {
	/** The name that sensor names begin with. */
	String name();

	/** All sensors, in the order of the source. */
	List<Sensor> sensors();

	/** The instances that a sensor has now. */
	List<SensorInstance> instances(StaticSensor sensor);

	/** Begins a measurement of some of the sensors. */
	ProbeContext probe(List<Measurable> measured);

	/** Closes the source. */
	@Override
	void close();
}
