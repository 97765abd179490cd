/* The Windows part of the JNI headers, which a JDK for another system does not contain. */
#include <stdint.h>

#define JNIEXPORT __declspec(dllexport)
#define JNIIMPORT __declspec(dllimport)
#define JNICALL __stdcall

typedef int8_t jbyte;
typedef int32_t jint;
typedef int64_t jlong;
