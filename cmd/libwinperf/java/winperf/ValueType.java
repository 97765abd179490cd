package winperf;

/** The types of readings. */
public enum ValueType {
	/** An unsigned 32-bit integer. */
	INT32(1) {
		@Override
		ValueHandle allocate() {
			return new IntValueHandle(0);
		}
	},
	/** An unsigned 64-bit integer. */
	INT64(2) {
		@Override
		ValueHandle allocate() {
			return new LongValueHandle(0);
		}
	},
	/** A double. */
	DECIMAL(3) {
		@Override
		ValueHandle allocate() {
			return new DoubleValueHandle(0);
		}
	},
	/** A text. */
	TEXT(4) {
		@Override
		ValueHandle allocate() {
			return new TextValueHandle("");
		}
	},
	/** No values: a heading or an unknown counter type. */
	NONE(0) {
		@Override
		ValueHandle allocate() {
			return new TextValueHandle("");
		}
	};

	private final int code;

	ValueType(int code) {
		this.code = code;
	}

	/** Allocates storage for a reading. */
	abstract ValueHandle allocate();

	/** Returns the type with a code of libwinperf.h. */
	static ValueType of(int code) {
		for (ValueType type : values()) {
			if (type.code == code) {
				return type;
			}
		}
		return NONE;
	}
}
