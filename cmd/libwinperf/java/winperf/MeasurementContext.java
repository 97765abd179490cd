package winperf;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures a list of sensors, of one or several data sources, in three steps: prepare allocates, sample takes the raw
 * data as fast as it can be, decode computes the values and stores them. Steps in the wrong order are refused with a
 * WinperfException of code STATE. One thread measures; others may read the values.
 */
public final class MeasurementContext implements AutoCloseable {
	private final Map<DataSource, ProbeContext> probes = new LinkedHashMap<>();
	private final Map<String, ValueHandle> values = new LinkedHashMap<>(); // by the names of what is measured

	/** Makes a context. It takes a sample, so that the first cycle gives the values of sensors that need two. */
	public MeasurementContext(Collection<? extends Measurable> sensors) {
		for (Measurable m : sensors) {
			ProbeContext probe = probes.computeIfAbsent(m.sensor().source(), source -> new ProbeContext());
			if (values.putIfAbsent(m.name(), ValueType.INT32.allocate()) != null) {
				throw new IllegalArgumentException("twice in the list: " + m.name());
			}
			values.put(m.name(), probe.add(m));
		}

		List<ProbeContext> opened = new ArrayList<>();
		try {
			for (ProbeContext probe : probes.values()) {
				probe.open();
				opened.add(probe);
			}
		} catch (RuntimeException e) {
			opened.forEach(ProbeContext::close);
			throw e;
		}
	}

	/** The storage of a reading, which keeps its place as long as the context; null for what is not measured. */
	public ValueHandle value(Measurable m) {
		return values.get(m.name());
	}

	/** Makes a sample possible. */
	public void prepare() {
		for (ProbeContext probe : probes.values()) {
			probe.prepare();
		}
	}

	/** Takes the raw data. Returns whether something was unusual. */
	public boolean sample() {
		boolean anomaly = false;
		for (ProbeContext probe : probes.values()) {
			anomaly |= probe.sample();
		}
		return anomaly;
	}

	/** Computes the values. Returns whether something was unusual: see anomalies. */
	public boolean decode() {
		boolean anomaly = false;
		for (ProbeContext probe : probes.values()) {
			anomaly |= probe.decode();
		}
		return anomaly;
	}

	/** When the last sample of a data source was taken, in nanoseconds since 1970 in UTC. */
	public long time(DataSource source) {
		return probes.get(source).time();
	}

	/** What was unusual in the last cycle, a line each. */
	public List<String> anomalies() {
		List<String> all = new ArrayList<>();
		for (ProbeContext probe : probes.values()) {
			all.addAll(probe.anomalies());
		}
		return all;
	}

	/** Ends the measurement. */
	@Override
	public void close() {
		probes.values().forEach(ProbeContext::close);
	}
}
