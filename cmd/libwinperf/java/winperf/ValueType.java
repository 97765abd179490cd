package winperf;

/** What the readings of a sensor are. New types come last, so that the codes of the others stay. */
public enum ValueType {
	/** An unsigned integer of 32 bits. */
	INT32(1) {
		@Override
		ValueHandle allocate() {
			return new IntValueHandle();
		}
	},
	/** An unsigned integer of 64 bits. */
	INT64(2) {
		@Override
		ValueHandle allocate() {
			return new LongValueHandle();
		}
	},
	/** A double. */
	DECIMAL(3) {
		@Override
		ValueHandle allocate() {
			return new DoubleValueHandle();
		}
	};

	private final int code;

	ValueType(int code) {
		this.code = code;
	}

	/** The code of libwinperf.h. */
	final int code() {
		return code;
	}

	/** Allocates storage for a reading. */
	abstract ValueHandle allocate();

	/** Returns the type with a code of libwinperf.h; null for texts and for what has no readings. */
	static ValueType of(int code) {
		for (ValueType type : values()) {
			if (type.code == code) {
				return type;
			}
		}
		return null;
	}
}
