package winperf;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures a list of sensors of one or several sources in three steps: prepare does all work that can be done in
 * advance, sample reads the raw data and nothing else, decode computes and stores the values. Steps in the wrong
 * order throw a WinperfException with STATE. One thread measures; other threads may read the values.
 *
 * <p>A StaticSensor in the list means all its instances. A reading that several entries of the list match belongs to
 * the first of them.
 */
public final class MeasurementContext implements AutoCloseable {
	private final Map<SensorSource, Part> parts = new LinkedHashMap<>();

	/** Makes a context. It takes a sample, so that the first cycle has values for sensors that need two samples. */
	public MeasurementContext(Collection<? extends Measurable> sensors) {
		for (Measurable m : sensors) {
			parts.computeIfAbsent(m.sensor().source(), source -> new Part()).add(m);
		}

		List<Part> opened = new ArrayList<>();
		try {
			parts.forEach((source, part) -> {
				part.open(source);
				opened.add(part);
			});
		} catch (RuntimeException e) {
			opened.forEach(part -> part.probe().close());
			throw e;
		}
	}

	/**
	 * Returns the storage of a reading, which stays the same during the life of the context. It is null for a sensor
	 * that is not measured, and for a StaticSensor: see values.
	 */
	public ValueHandle value(Measurable m) {
		Part part = parts.get(m.sensor().source());
		return part == null ? null : part.value(m);
	}

	/**
	 * Returns the readings of a StaticSensor in the last cycle by instance, in the order of the source. The map does
	 * not change; the next cycle has a new one. It is empty if the sensor has no instances or is not measured.
	 */
	public Map<SensorInstance, ValueHandle> values(StaticSensor sensor) {
		Part part = parts.get(sensor.source());
		return part == null ? Map.of() : part.values(sensor);
	}

	/** Does all work before a sample that can be done in advance. */
	public void prepare() {
		for (Part part : parts.values()) {
			part.probe().prepare();
		}
	}

	/** Reads the raw data. Returns true after an anomaly. */
	public boolean sample() {
		boolean anomaly = false;
		for (Part part : parts.values()) {
			anomaly |= part.probe().sample();
		}
		return anomaly;
	}

	/** Computes the values. Returns true after an anomaly: see anomalies. */
	public boolean decode() {
		boolean anomaly = false;
		for (Part part : parts.values()) {
			anomaly |= part.decode();
		}
		return anomaly;
	}

	/** Returns the time of the last sample of a source, in nanoseconds since 1970 in UTC. */
	public long time(SensorSource source) {
		return parts.get(source).probe().time();
	}

	/** Returns the anomalies of the last cycle, one line each. */
	public List<String> anomalies() {
		List<String> all = new ArrayList<>();
		for (Part part : parts.values()) {
			all.addAll(part.probe().anomalies());
		}
		return all;
	}

	/** Ends the measurement. */
	@Override
	public void close() {
		parts.values().forEach(part -> part.probe().close());
	}
}
