package winapi

import (
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// EndWithUs makes a process and its future children end when this process ends, for
// whatever reason.
func EndWithUs(p *os.Process) error {
	job, err := ourJob()
	if err != nil {
		return err
	}
	assign := func(handle uintptr) {
		process := windows.Handle(handle)
		err = asErrno(windows.AssignProcessToJobObject(job, process))
		if ended, _ := windows.WaitForSingleObject(process, 0); ended == windows.WAIT_OBJECT_0 {
			err = nil
		}
	}
	if failed := p.WithHandle(assign); failed != nil {
		return failed
	}
	return os.NewSyscallError("AssignProcessToJobObject", err)
}

// ourJob is a job whose only handle is open until this process ends. The system then ends
// the processes of the job.
var ourJob = sync.OnceValues(func() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateJobObject", asErrno(err))
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	const class = windows.JobObjectExtendedLimitInformation
	_, err = windows.SetInformationJobObject(
		job, class, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	return job, os.NewSyscallError("SetInformationJobObject", asErrno(err))
})
