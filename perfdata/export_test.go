package perfdata

// NumChecks is how many checks there are.
const NumChecks = Check(len(rules))

// The checks and what they cost, for tests.
type (
	Check         = check
	CheckSeverity = severity
)

// severity tells what it costs when the check fails.
func (c check) Severity() CheckSeverity { return c.severity() }

// What failed checks cost.
const (
	Warning    = warning
	DropItem   = dropItem
	DropObject = dropObject
	FailBlock  = failBlock
)

// The checks.
const (
	CheckBuffer         = checkBuffer
	CheckSignature      = checkSignature
	CheckByteOrder      = checkByteOrder
	CheckVersion        = checkVersion
	CheckTotal          = checkTotal
	CheckTruncated      = checkTruncated
	CheckHeader         = checkHeader
	CheckMachine        = checkMachine
	CheckObjectCount    = checkObjectCount
	CheckObjectRoom     = checkObjectRoom
	CheckObjectLength   = checkObjectLength
	CheckObjectHeader   = checkObjectHeader
	CheckCounterCount   = checkCounterCount
	CheckInstanceCount  = checkInstanceCount
	CheckCounterLength  = checkCounterLength
	CheckMissingMap     = checkMissingMap
	CheckInstanceRoom   = checkInstanceRoom
	CheckInstanceLength = checkInstanceLength
	CheckName           = checkName
	CheckNameText       = checkNameText
	CheckBlockRoom      = checkBlockRoom
	CheckBlockLength    = checkBlockLength
	CheckValue          = checkValue
	CheckSize           = checkSize
	CheckValueAlignment = checkValueAlignment
	CheckAlignment      = checkAlignment
	CheckPadding        = checkPadding
	CheckBase           = checkBase
	CheckBaseClass      = checkBaseClass
	CheckSlack          = checkSlack
	CheckParent         = checkParent
	CheckDuplicate      = checkDuplicate
	CheckTimeBase       = checkTimeBase
	CheckInstanceLimit  = checkInstanceLimit
	CheckValueLimit     = checkValueLimit
	CheckNameLimit      = checkNameLimit
)
