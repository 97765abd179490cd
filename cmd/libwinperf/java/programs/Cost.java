import java.util.ArrayList;
import java.util.List;
import winperf.DataSource;
import winperf.Measurable;
import winperf.MeasurementContext;
import winperf.StaticSensor;

/**
 * Usage: Cost URL CYCLES SENSOR...
 *
 * Prints how many nanoseconds a cycle of all instances of sensors takes: prepare, sample, decode and the items. The
 * first cycles, in which the machine compiles what it runs, are left out.
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
				run(context, cycles / 2);
				long begin = System.nanoTime();
				run(context, cycles);
				System.out.println((System.nanoTime() - begin) / cycles);
			}
		}
	}

	private static void run(MeasurementContext context, int cycles) {
		for (int i = 0; i < cycles; i++) {
			context.prepare();
			context.sample();
			context.decode();
		}
	}
}
