import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.ArrayList;
import java.util.List;
import winperf.Instance;
import winperf.Item;
import winperf.Measurable;
import winperf.ProbeContext;
import winperf.Sensor;
import winperf.SensorInstance;
import winperf.SensorKind;
import winperf.SensorSource;
import winperf.SingleSensor;
import winperf.StaticSensor;
import winperf.ValueHandle;
import winperf.ValueType;

/**
 * A source of this virtual machine's memory: the size of the heap, and the used bytes of each pool.
 * ServiceLoader finds it by the file META-INF/services/winperf.SensorSource.
 */
public final class Memory implements SensorSource {
	private final SingleSensor heap =
			new SingleSensor(this, "jvm.memory/Memory/Heap Committed", SensorKind.GAUGE, ValueType.INT64);
	private final StaticSensor used =
			new StaticSensor(this, "jvm.memory/Pool/Used", SensorKind.GAUGE, ValueType.INT64);

	@Override
	public String name() {
		return "jvm.memory";
	}

	@Override
	public List<Sensor> sensors() {
		return List.of(heap, used);
	}

	@Override
	public List<SensorInstance> instances(StaticSensor sensor) {
		List<SensorInstance> all = new ArrayList<>();
		for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
			all.add(sensor.instance(pool.getName()));
		}
		return all;
	}

	@Override
	public ProbeContext probe(List<Measurable> measured) {
		return new Probe(measured);
	}

	@Override
	public void close() {}

	/** Reads all pools in sample; items returns the measured ones. */
	private static final class Probe implements ProbeContext {
		private final List<Measurable> measured;
		private final List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans();
		private final long[] used = new long[pools.size()];
		private long heap;
		private long time;

		Probe(List<Measurable> measured) {
			this.measured = measured;
		}

		@Override
		public void prepare() {}

		@Override
		public boolean sample() {
			time = System.currentTimeMillis() * 1_000_000;
			heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
			for (int i = 0; i < used.length; i++) {
				used[i] = pools.get(i).getUsage().getUsed();
			}
			return false;
		}

		@Override
		public boolean decode() {
			return false;
		}

		@Override
		public List<Item> items() {
			List<Item> all = new ArrayList<>();
			for (int request = 0; request < measured.size(); request++) {
				Measurable m = measured.get(request);
				if (m instanceof SingleSensor) {
					all.add(new Item(request, null, ValueHandle.of(heap)));
				}
				for (int i = 0; i < used.length && !(m instanceof SingleSensor); i++) {
					String name = pools.get(i).getName();
					if (m instanceof StaticSensor || name.equalsIgnoreCase(((SensorInstance) m).instance())) {
						all.add(new Item(request, new Instance(name, 0), ValueHandle.of(used[i])));
					}
				}
			}
			return all;
		}

		@Override
		public long time() {
			return time;
		}

		@Override
		public List<String> anomalies() {
			return List.of();
		}

		@Override
		public void close() {}
	}
}
