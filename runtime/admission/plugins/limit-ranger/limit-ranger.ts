import {
  type Attributes,
  isMainResource,
  isResource,
  isWrite,
  type ResourceOperation,
} from '../../chain/attributes.ts'
import { forbidden } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import { isPodRequest } from '../pods/pod-spec.ts'
import { claimProblems, podProblems } from './bounds.ts'
import { withDefaultResources } from './defaults.ts'
import { LimitRanges } from './limit-ranges.ts'

/**
 * LimitRanger sets the default resources of containers, and rejects pods and claims beyond the bounds of their namespace
 * (supplement Q-14).
 */
export const limitRanger: PluginFactory = (context) => {
  const ranges = new LimitRanges(context)
  const annotation = `${context.scheme.platform.domain}/limit-ranger`
  return {
    handles: (request) =>
      (isPodRequest(request) && request.operation === 'CREATE') || isClaimWrite(request),
    mutate(attributes) {
      const { object, namespace } = attributes
      if (object === undefined || !isPodRequest(attributes)) return object
      return ranges
        .in(namespace)
        .reduce((pod, { defaults }) => withDefaultResources(pod, defaults, annotation), object)
    },
    validate(attributes) {
      const { object, namespace } = attributes
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) return
      const problemsOf = isPodRequest(attributes) ? podProblems : claimProblems
      for (const range of ranges.in(namespace)) reject(attributes, problemsOf(range, object))
    },
  }
}

function isClaimWrite(request: ResourceOperation): boolean {
  return (
    isResource(request, '', 'persistentvolumeclaims') && isMainResource(request) && isWrite(request)
  )
}

/** Bound on the problems of one error. */
const maxProblems = 100

/** Rejects the request with the problems of one limit range; later ranges are not looked at then. */
function reject(attributes: Attributes, problems: Iterable<string>): void {
  const found: string[] = []
  for (const problem of problems) {
    found.push(found.length < maxProblems ? problem : 'and more')
    if (found.length > maxProblems) break
  }
  if (found.length === 1) throw forbidden(attributes, found[0] ?? '')
  if (found.length > 1) throw forbidden(attributes, `[${found.join(', ')}]`)
}
