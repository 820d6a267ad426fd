import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { QuantityTexts } from '../../../pods/pods.ts'
import { type Container, podSpecOf, withPodSpec } from '../pods/pod-spec.ts'
import type { ParsedLimitRange } from './limit-ranges.ts'

/** A container with its defaults, and descriptions of what was set. */
interface Defaulted {
  readonly container: Container
  readonly descriptions: readonly string[]
}

/**
 * The pod with the default requests and limits of a limit range in its containers, and an
 * annotation of what was set under the key; the same reference if nothing was missing. With several
 * limit ranges in a namespace the first by name that has a default sets it, and the annotation is
 * that of the last range which set something.
 */
export function withDefaultResources(
  pod: ApiObject,
  defaults: ParsedLimitRange['defaults'],
  annotation: string,
): ApiObject {
  const spec = podSpecOf(pod)
  const containers = (spec.containers ?? []).map((one) =>
    withDefaultsIn(one, defaults, `container ${one.name}`),
  )
  const initContainers = spec.initContainers?.map((one) =>
    withDefaultsIn(one, defaults, `init container ${one.name}`),
  )
  const descriptions = [...containers, ...(initContainers ?? [])].flatMap((one) => one.descriptions)
  if (descriptions.length === 0) return pod
  const annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${descriptions.join('; ')}`,
  }
  const annotated = { ...pod, metadata: { ...pod.metadata, annotations } }
  return withPodSpec(annotated, {
    containers: containers.map(({ container }) => container),
    ...(initContainers && { initContainers: initContainers.map(({ container }) => container) }),
  })
}

/** Sets the missing resources of one container. Its `resources` exist afterwards, even if nothing was missing. */
function withDefaultsIn(
  container: Container,
  defaults: ParsedLimitRange['defaults'],
  name: string,
): Defaulted {
  const { resources } = container
  const requests = missing(resources?.requests, defaults.requests)
  const limits = missing(resources?.limits, defaults.limits)
  return {
    container: {
      ...container,
      resources: {
        ...resources,
        limits: { ...resources?.limits, ...limits },
        requests: { ...resources?.requests, ...requests },
      },
    },
    descriptions: [
      ...describe(requests, `request for ${name}`),
      ...describe(limits, `limit for ${name}`),
    ],
  }
}

function describe(added: Readonly<Record<string, string>>, what: string): readonly string[] {
  const names = Object.keys(added).sort()
  return names.length === 0 ? [] : [`${names.join(', ')} ${what}`]
}

/** The defaults for resources that are not specified. A specified zero stays. */
function missing(
  specified: QuantityTexts,
  defaults: QuantityTexts,
): Readonly<Record<string, string>> {
  const absent = Object.entries(defaults ?? {}).filter(
    ([name]) => !Object.hasOwn(specified ?? {}, name),
  )
  return Object.fromEntries(absent)
}
