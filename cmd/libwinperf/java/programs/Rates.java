import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import winperf.DataSource;
import winperf.Item;
import winperf.Request;
import winperf.Snapshot;

/** Usage: Rates. Measures all processes once for each input line. The output is the output of c/rates.c. */
public final class Rates {
	private Rates() {}

	public static void main(String[] arguments) throws IOException {
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
		try (DataSource source = new DataSource("local:", -1, DataSource.Names.PID)) {
			int process = source.findObject("Process");
			Request time = new Request(process, source.findCounter(process, "% Processor Time"));
			try (Snapshot snapshot = source.custom(List.of(time))) {
				while (input.readLine() != null) {
					print(snapshot, snapshot.cycle());
				}
			}
		}
	}

	private static void print(Snapshot snapshot, boolean unusual) {
		StringBuilder text = new StringBuilder();
		for (Item i : snapshot.items()) {
			if (i.value().isValid() && i.instance().name().matches("[1-9][0-9]*")) {
				text.append(i.instance().name()).append(' ').append(i.value().getDouble()).append('\n');
			}
		}
		System.out.print(text.append("= ").append(snapshot.time()).append(unusual ? " -6\n" : " 0\n"));
		System.out.flush();
	}
}
