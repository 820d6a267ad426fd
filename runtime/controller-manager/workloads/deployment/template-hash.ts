import type { PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'

/** The label that tells the pods of one template from those of others. */
export const hashLabel = 'pod-template-hash'

/** What names are made of that must not read as words. */
const letters = 'bcdfghjklmnpqrstvwxz2456789'

/** A short text that differs for other templates, and for another number of collisions. */
export function templateHash(template: PodTemplateSpec, collisions: number | undefined): string {
  const text = `${sortedText(template)}${collisions ?? ''}`
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  const digits = String(hash >>> 0)
  return [...digits].map((digit) => letters[digit.charCodeAt(0) % letters.length]).join('')
}

/** True for templates of the same pods, whatever their hashes are called. */
export function isSameTemplate(one: PodTemplateSpec = {}, other: PodTemplateSpec = {}): boolean {
  return deepEqual(withoutHash(one), withoutHash(other))
}

/** The template without its hash. */
export function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { labels = {}, ...metadata } = template.metadata ?? {}
  const { [hashLabel]: _, ...kept } = labels
  return { ...template, metadata: { ...metadata, labels: kept } }
}

/** JSON with the keys of every object in order. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one
    return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
