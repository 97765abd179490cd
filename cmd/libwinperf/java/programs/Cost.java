import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import winperf.DataSource;
import winperf.Measurable;
import winperf.MeasurementContext;
import winperf.StaticSensor;

/**
 * Usage: Cost URL CYCLES SENSOR...
 *
 * Prints the median time of a cycle of all instances of the sensors, in nanoseconds: prepare, sample, decode and
 * reading the items. A first series of cycles, in which the virtual machine compiles the code, is not counted.
 */
public final class Cost {
	private Cost() {}

	public static void main(String[] arguments) {
		try (DataSource source = new DataSource(arguments[0], -1, DataSource.Names.SOURCE)) {
			source.setRest(false);
			source.setRetries(0);
			List<Measurable> all = new ArrayList<>();
			for (int i = 2; i < arguments.length; i++) {
				all.addAll(((StaticSensor) source.sensor(arguments[i])).instances());
			}
			try (MeasurementContext context = new MeasurementContext(all)) {
				int cycles = Integer.parseInt(arguments[1]);
				run(context, cycles);
				System.out.println(run(context, cycles)[cycles / 2]);
			}
		}
	}

	/** Returns the sorted times of the cycles. */
	private static long[] run(MeasurementContext context, int cycles) {
		long[] times = new long[cycles];
		for (int i = 0; i < cycles; i++) {
			long begin = System.nanoTime();
			context.prepare();
			context.sample();
			context.decode();
			times[i] = System.nanoTime() - begin;
		}
		Arrays.sort(times);
		return times;
	}
}
