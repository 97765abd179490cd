package winperf;

import java.util.List;

/** The measurement of sensors of one source, in the steps of a measurement context, which calls them in this order. */
public interface ProbeContext extends AutoCloseable {
	/** Makes a sample possible. */
	void prepare();

	/** Takes the raw data. Returns whether something was unusual. */
	boolean sample();

	/** Computes the values. Returns whether something was unusual: see anomalies. */
	boolean decode();

	/** The values of the last cycle. The request of an item is a position in the list that is measured. */
	List<Item> items();

	/** When the last sample was taken, in nanoseconds since 1970 in UTC. */
	long time();

	/** What was unusual in the last cycle, a line each. */
	List<String> anomalies();

	/** Ends the measurement. */
	@Override
	void close();
}
