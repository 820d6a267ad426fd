import { parseFieldSelector } from '../../kernel/meta/field-selector.ts'
import { pathSegmentProblems } from '../../kernel/meta/names.ts'
import type { RequestInfo } from './request-info.ts'

/**
 * The name of the object that a request is about: that of its path, or the one that the field selector of a list or watch pins,
 * so that rights to single names cover it. The empty text if there is neither.
 */
export function requestedName({ target, verb, query }: RequestInfo): string {
  if (target?.name !== undefined) return target.name
  if (verb !== 'list' && verb !== 'watch') return ''
  return pinnedName(query.text('fieldSelector') ?? '')
}

/** The name that a selector pins. One that cannot be read pins none: it is refused where it is used. */
export function pinnedName(selector: string): string {
  if (!selector.includes('metadata.name')) return ''
  try {
    const pin = parseFieldSelector(selector).find(
      (one) => one.equals && one.field === 'metadata.name',
    )
    return pin === undefined || pathSegmentProblems(pin.value).length > 0 ? '' : pin.value
  } catch {
    return ''
  }
}
