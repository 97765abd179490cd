import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Paths;
import java.util.Collection;

/**
 * Usage: Twice JAR LIBRARY COPY
 *
 * Loads the classes with several class loaders, like an application container. The virtual machine refuses to load the
 * same file twice; a copy of the file is a separate library.
 */
public final class Twice {
	private Twice() {}

	public static void main(String[] arguments) throws Exception {
		String jar = arguments[0];
		int first = sensors(jar, arguments[1]);
		try {
			sensors(jar, arguments[1]);
			System.out.println("one file was loaded twice");
		} catch (ReflectiveOperationException e) {
			Throwable cause = e;
			while (cause.getCause() != null) {
				cause = cause.getCause();
			}
			if (!(cause instanceof UnsatisfiedLinkError)) {
				throw e;
			}
		}
		int copied = sensors(jar, arguments[2]);
		System.out.println(first > 0 && first == copied ? "ok" : first + " sensors, and " + copied);
	}

	/** Returns the number of sensors of this machine, with newly loaded classes. */
	private static int sensors(String jar, String library) throws Exception {
		System.setProperty("winperf.library", library);
		try (URLClassLoader loader = new URLClassLoader(new URL[] {Paths.get(jar).toUri().toURL()}, null)) {
			Class<?> type = loader.loadClass("winperf.DataSource");
			try (AutoCloseable source = (AutoCloseable) type.getConstructor().newInstance()) {
				return ((Collection<?>) type.getMethod("sensors").invoke(source)).size();
			}
		}
	}
}
