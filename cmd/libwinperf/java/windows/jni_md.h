/* The part of the JNI headers that is for Windows alone: a JDK has this part for its own system only. */
#include <stdint.h>

#define JNIEXPORT __declspec(dllexport)
#define JNIIMPORT __declspec(dllimport)
#define JNICALL __stdcall

typedef int8_t jbyte;
typedef int32_t jint;
typedef int64_t jlong;
