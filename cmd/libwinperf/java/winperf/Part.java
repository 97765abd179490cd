package winperf;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One source of a measurement context: a probe context and the storage of its readings. */
final class Part {
	private final List<Measurable> measured = new ArrayList<>();
	private final Map<String, ValueHandle> storage = new HashMap<>(); // by the names of sensors and instances
	private volatile Map<String, Map<SensorInstance, ValueHandle>> instances = Map.of(); // by the names of sensors
	private ProbeContext probe;

	/** Allocates storage for a reading. */
	void add(Measurable m) {
		if (storage.put(m.name(), m.sensor().valueType().allocate()) != null) {
			throw new IllegalArgumentException("twice in the list: " + m.name());
		}
		measured.add(m);
	}

	/** Begins the measurement. */
	void open(SensorSource source) {
		probe = source.probe(Collections.unmodifiableList(measured));
	}

	ProbeContext probe() {
		return probe;
	}

	ValueHandle value(Measurable m) {
		return m instanceof StaticSensor ? null : storage.get(m.name());
	}

	Map<SensorInstance, ValueHandle> values(StaticSensor sensor) {
		return instances.getOrDefault(sensor.name(), Map.of());
	}

	/** Computes the values and stores them. */
	boolean decode() {
		storage.values().forEach(ValueHandle::clear);
		instances = Map.of();
		boolean anomaly = probe.decode();

		Map<String, Map<SensorInstance, ValueHandle>> found = new HashMap<>();
		for (Item item : probe.items()) {
			Measurable m = measured.get(item.request());
			if (!(m instanceof StaticSensor)) {
				storage.get(m.name()).set(item.value());
			} else if (item.instance() != null) {
				found.computeIfAbsent(m.name(), name -> new LinkedHashMap<>()).put(instance(m, item), value(m, item));
			}
		}
		found.replaceAll((name, all) -> Collections.unmodifiableMap(all));
		instances = found;
		return anomaly;
	}

	private static SensorInstance instance(Measurable sensor, Item item) {
		return ((StaticSensor) sensor).instance(item.instance().name(), item.instance().occurrence());
	}

	private static ValueHandle value(Measurable sensor, Item item) {
		ValueHandle value = sensor.sensor().valueType().allocate();
		value.set(item.value());
		return value;
	}
}
