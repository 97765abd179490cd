package winperf;

import java.util.List;

/** The measurement of sensors of one source. A measurement context calls the steps in the order of this interface. */
public interface ProbeContext extends AutoCloseable {
	/** Does all work before a sample that can be done in advance. */
	void prepare();

	/** Reads the raw data. Returns true after an anomaly. */
	boolean sample();

	/** Computes the values. Returns true after an anomaly: see anomalies. */
	boolean decode();

	/** Returns the values of the last cycle. The request of an item is a position in the list of sensors. */
	List<Item> items();

	/** Returns the time of the last sample, in nanoseconds since 1970 in UTC. */
	long time();

	/** Returns the anomalies of the last cycle, one line each. */
	List<String> anomalies();

	/** Ends the measurement. */
	@Override
	void close();
}
