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
 * Prints how many nanoseconds a cycle of all instances of sensors takes: prepare, sample, decode and the items. It is
 * the median of the cycles. The first ones, in which the machine compiles what it runs, are left out.
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

	/** How long each cycle took, the shortest first. */
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
