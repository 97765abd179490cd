import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import winperf.DataSource;
import winperf.Measurable;
import winperf.MeasurementContext;
import winperf.Sensor;
import winperf.SensorInstance;
import winperf.StaticSensor;
import winperf.ValueHandle;

/**
 * Usage: Print URL
 *
 * Prints one line for each sensor of a source: sensor TAB value, or the reason for a missing value. Anomalies are
 * printed on standard error.
 */
public final class Print {
	private Print() {}

	public static void main(String[] arguments) {
		if (arguments.length != 1) {
			System.err.println("usage: Print URL");
			System.exit(1);
		}
		try (DataSource source = new DataSource(arguments[0])) {
			List<Measurable> all = new ArrayList<>();
			for (Sensor sensor : source.sensors()) {
				all.add((Measurable) sensor);
			}
			print(all);
		}
	}

	private static void print(List<Measurable> all) {
		try (MeasurementContext context = new MeasurementContext(all)) {
			context.prepare();
			context.sample();
			if (context.decode()) {
				context.anomalies().forEach(System.err::println);
			}
			StringBuilder text = new StringBuilder();
			for (Measurable m : all) {
				if (!(m instanceof StaticSensor)) {
					text.append(m.name()).append('\t').append(context.value(m)).append('\n');
					continue;
				}
				for (Map.Entry<SensorInstance, ValueHandle> e : context.values((StaticSensor) m).entrySet()) {
					text.append(e.getKey().name()).append('\t').append(e.getValue()).append('\n');
				}
			}
			System.out.print(text);
		}
	}
}
