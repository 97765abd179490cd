package winperf;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures a list of sensors, of one or several sources, in three steps: prepare allocates, sample takes the raw
 * data as fast as it can be, decode computes the values and stores them. Steps in the wrong order are refused with a
 * WinperfException of code STATE. One thread measures; others may read the values.
 *
 * <p>A StaticSensor in the list stands for all its instances. A reading that several in the list stand for belongs to
 * the first of them.
 */
public final class MeasurementContext implements AutoCloseable {
	private final Map<SensorSource, Part> parts = new LinkedHashMap<>();

	/** Makes a context. It takes a sample, so that the first cycle gives the values of sensors that need two. */
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
	 * The storage of a reading, which keeps its place as long as the context; null for what is not measured, and for
	 * a StaticSensor, whose readings values has.
	 */
	public ValueHandle value(Measurable m) {
		Part part = parts.get(m.sensor().source());
		return part == null ? null : part.value(m);
	}

	/**
	 * The readings of a StaticSensor in the last cycle, by its instances in the order of the source. The map does not
	 * change; the next cycle makes another one. It is empty if the sensor has no instances or is not measured.
	 */
	public Map<SensorInstance, ValueHandle> values(StaticSensor sensor) {
		Part part = parts.get(sensor.source());
		return part == null ? Map.of() : part.values(sensor);
	}

	/** Makes a sample possible. */
	public void prepare() {
		for (Part part : parts.values()) {
			part.probe().prepare();
		}
	}

	/** Takes the raw data. Returns whether something was unusual. */
	public boolean sample() {
		boolean anomaly = false;
		for (Part part : parts.values()) {
			anomaly |= part.probe().sample();
		}
		return anomaly;
	}

	/** Computes the values. Returns whether something was unusual: see anomalies. */
	public boolean decode() {
		boolean anomaly = false;
		for (Part part : parts.values()) {
			anomaly |= part.decode();
		}
		return anomaly;
	}

	/** When the last sample of a source was taken, in nanoseconds since 1970 in UTC. */
	public long time(SensorSource source) {
		return parts.get(source).probe().time();
	}

	/** What was unusual in the last cycle, a line each. */
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
