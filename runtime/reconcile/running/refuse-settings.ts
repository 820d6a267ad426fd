import type { AnyController } from '../controller/controller.ts'
import type { ControllerQueue, KeyController } from '../controller/key-controller.ts'
import type { RunSettings } from './manager-contract.ts'

/** What is wrong with a number, if anything: what would be right. */
type Judge = (value: number) => string | undefined

const finite: Judge = (value) =>
  value >= 0 && value < Number.POSITIVE_INFINITY ? undefined : 'a finite number from 0 on'
const positive: Judge = (value) =>
  value > 0 && value < Number.POSITIVE_INFINITY ? undefined : 'a finite number above 0'
const whole: Judge = (value) =>
  Number.isSafeInteger(value) && value >= 1 ? undefined : 'a whole number from 1 on'

/** A setting as the caller names it, its value, and what judges it. */
type Setting = readonly [name: string, value: number | undefined, judge: Judge]

/**
 * Numbers with which a controller would never work, or without end.
 *
 * @throws RangeError for the first of them, and for two controllers of one name.
 */
export function refuseSettings(settings: RunSettings): void {
  const { controllers, queue, startIntervalMs, drainMs } = settings
  refuse('manager', [
    ['startIntervalMs', startIntervalMs, finite],
    ['drainMs', drainMs, finite],
    ...queueSettings(queue),
  ])
  const names = new Set<string>()
  for (const one of controllers) {
    refuseController(one)
    if (names.has(one.name)) {
      throw new RangeError(`controller ${one.name}: another one of the manager has this name`)
    }
    names.add(one.name)
  }
}

function refuseController(controller: AnyController | KeyController): void {
  const { name, concurrency, timeoutMs, resyncMs, queue, reconcile } = controller
  if (typeof name !== 'string' || name === '') {
    throw new RangeError('controller: it needs a name, for logs, metrics and the fields it writes')
  }
  if (typeof reconcile !== 'function') {
    throw new RangeError(`controller ${name}: reconcile is to be a function`)
  }
  refuse(`controller ${name}`, [
    ['concurrency', concurrency, whole],
    ['timeoutMs', timeoutMs, positive],
    ['resyncMs', resyncMs, positive],
    ...queueSettings(queue),
  ])
}

function queueSettings({
  backoff,
  retries,
  rate,
  minIntervalMs,
  burst,
}: ControllerQueue = {}): readonly Setting[] {
  return [
    ['queue.backoff.baseMs', backoff?.baseMs, positive],
    ['queue.backoff.maxMs', backoff?.maxMs, positive],
    ['queue.retries.perSecond', retries?.perSecond, positive],
    ['queue.retries.burst', retries?.burst, positive],
    ['queue.rate.perSecond', rate?.perSecond, positive],
    ['queue.rate.burst', rate?.burst, positive],
    ['queue.minIntervalMs', minIntervalMs, finite],
    ['queue.burst', burst, whole],
  ]
}

function refuse(place: string, settings: readonly Setting[]): void {
  for (const [name, value, judge] of settings) {
    const wanted = value === undefined ? undefined : judge(value)
    if (wanted !== undefined) throw new RangeError(`${place}: ${name} is ${value}: ${wanted}`)
  }
}
