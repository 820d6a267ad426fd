/**
 * What holds in every process of tests. Loaded for its effect, before every test.
 *
 *  - The details of a StatusError can be printed by the test runner. It takes `details` of whatever a test throws for a
 *    text, fails on ours while it writes the failure down, and then reports nothing at all.
 *  - Listeners that pile up are an error: Node warns of them once, on standard error, where no test looks.
 */
import { StatusError } from '../../runtime/kernel/errors/status-error.ts'

process.on('warning', (warning) => {
  if (warning.name === 'MaxListenersExceededWarning') throw warning
})

Object.defineProperty(StatusError.prototype, 'details', {
  configurable: true,
  set(this: StatusError, value: unknown) {
    Object.defineProperty(this, 'details', {
      value: printable(value),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  },
})

function printable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const split = () => JSON.stringify(value, null, 2).split('\n')
  return Object.isExtensible(value)
    ? Object.defineProperty(value, 'split', { value: split })
    : value
}
