package sandbox

// engineFunction is a function of the engine, by its place in engineFunctions.
type engineFunction uint64

const (
	initialize engineFunction = iota
	wasmMalloc
	wasmFree
	qjsInit
	qjsSetMaxStackSize
	qjsRunGC
	qjsNewHostFunction
	qjsSetPropString
	qjsGetPropString
	qjsNewString
	qjsNewNumber
	qjsGetUndefined
	qjsGetStringLen
	qjsFreeCString
	qjsEval
	qjsCall
	qjsIsException
	qjsGetException
	qjsIsJobPending
	qjsExecutePendingJob
	qjsSetRejectionHandler
	qjsGetValuePtr
	qjsFreeValue
)

// engineFunctions are the names of all that [instance.call] can call.
func engineFunctions() []string {
	return []string{
		initialize:             "_initialize",
		wasmMalloc:             "wasm_malloc",
		wasmFree:               "wasm_free",
		qjsInit:                "qjs_init",
		qjsSetMaxStackSize:     "qjs_set_max_stack_size",
		qjsRunGC:               "qjs_run_gc",
		qjsNewHostFunction:     "qjs_new_host_function",
		qjsSetPropString:       "qjs_set_prop_string",
		qjsGetPropString:       "qjs_get_prop_string",
		qjsNewString:           "qjs_new_string",
		qjsNewNumber:           "qjs_new_number",
		qjsGetUndefined:        "qjs_get_undefined",
		qjsGetStringLen:        "qjs_get_string_len",
		qjsFreeCString:         "qjs_free_cstring",
		qjsEval:                "qjs_eval",
		qjsCall:                "qjs_call",
		qjsIsException:         "qjs_is_exception",
		qjsGetException:        "qjs_get_exception",
		qjsIsJobPending:        "qjs_is_job_pending",
		qjsExecutePendingJob:   "qjs_execute_pending_job",
		qjsSetRejectionHandler: "qjs_set_promise_rejection_handler",
		qjsGetValuePtr:         "qjs_get_value_ptr",
		qjsFreeValue:           "qjs_free_value",
	}
}
