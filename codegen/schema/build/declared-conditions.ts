/** Reads the types and reasons that a schema declares of conditions (`x-orch-condition-reasons`). */
import type {
  DeclaredCondition,
  DeclaredConditions,
} from '../../../runtime/kernel/descriptors/declared-conditions.ts'
import { parseDuration } from '../../../runtime/kernel/values/duration.ts'
import { isObject } from '../../../runtime/kernel/values/json.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'

/** What was read, and what is wrong with it. */
export interface ReadConditions {
  readonly conditions: DeclaredConditions
  readonly problems: readonly string[]
}

const keys = ['reasons', 'healthy', 'alertAfter']

/**
 * The value of the keyword: of each type its reasons, as a list or each with what it means, or a mapping with these as `reasons`, the
 * status of an object in order as `healthy`, and `alertAfter`.
 *
 *   Ready: { healthy: "True", alertAfter: 15m, reasons: { Published: All servers answer., Starting: Servers are being started. } }
 */
export function readConditions(value: unknown): ReadConditions {
  const problems: string[] = []
  const declared = isObject(value) ? Object.entries(value) : []
  const conditions = declared.map(([type, stated]) => [
    type,
    readCondition(type, stated, (problem) => problems.push(problem)),
  ])
  return { conditions: Object.fromEntries(conditions), problems }
}

function readCondition(
  type: string,
  stated: unknown,
  report: (problem: string) => void,
): DeclaredCondition {
  const detailed = isObject(stated) && Object.hasOwn(stated, 'reasons') ? stated : undefined
  if (detailed === undefined) return { reasons: readReasons(type, stated, report) }
  for (const key of Object.keys(detailed)) {
    if (!keys.includes(key)) report(`"${type}" has no key "${key}"${didYouMean(key, keys)}`)
  }
  const { healthy, alertAfter } = detailed
  if (healthy !== undefined && typeof healthy !== 'string')
    report(`"healthy" of "${type}" is a status in quotes, such as "True"`)
  const after = typeof alertAfter === 'string' ? parseDuration(alertAfter) : undefined
  if (alertAfter !== undefined && (after === undefined || after <= 0))
    report(`"alertAfter" of "${type}" is a duration above 0, such as 15m`)
  if (alertAfter !== undefined && healthy === undefined)
    report(`"alertAfter" of "${type}" needs "healthy": the status that nobody has to be called for`)
  return {
    reasons: readReasons(type, detailed.reasons, report),
    ...(typeof healthy === 'string' && { healthy }),
    ...(after !== undefined && { alertAfterSeconds: after / 1000 }),
  }
}

function readReasons(
  type: string,
  stated: unknown,
  report: (problem: string) => void,
): Readonly<Record<string, string>> {
  const pairs = Array.isArray(stated)
    ? stated.map((reason) => [reason, ''])
    : isObject(stated)
      ? Object.entries(stated)
      : []
  const good = pairs.filter((pair) => pair.every((part) => typeof part === 'string'))
  if (good.length === 0 || good.length < pairs.length)
    report(`the reasons of "${type}" are a list, or a mapping from each to what it means`)
  return Object.fromEntries(good)
}
