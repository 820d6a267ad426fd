/**
 * How long a test waits for what must come, in milliseconds. It only ends a test that hangs: it is minutes, so that a busy
 * or a slow machine never gets here, and below the deadline of a whole file, so that the test says what it waited for.
 */
export const hangMs = 300_000

/** The same for the `--timeout` of a kubectl command. */
export const hangFlag = `--timeout=${hangMs / 1000}s`

/** A signal that aborts then. It does not keep the process alive. */
export const hangSignal = (): AbortSignal => AbortSignal.timeout(hangMs)
