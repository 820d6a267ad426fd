/** Why a call failed, by the name of the gRPC status that CRI has for it. */
export type RuntimeErrorCode =
  | 'Unknown'
  | 'InvalidArgument'
  | 'DeadlineExceeded'
  | 'NotFound'
  | 'FailedPrecondition'
  | 'Unimplemented'
  | 'Unavailable'

/** What a runtime could not do. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError'
  readonly code: RuntimeErrorCode

  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** True for a failure of that code. */
export function isRuntimeError(error: unknown, code: RuntimeErrorCode): error is RuntimeError {
  return error instanceof RuntimeError && error.code === code
}
