import { createHash } from 'node:crypto'
import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { dnsLabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import { DecodeError, decodeYaml, readObject } from '../../serializer/serializer.ts'
import { positionsOf } from './manifest-position.ts'

/** Where a manifest comes from. */
export interface ManifestOrigin {
  /** `file` or `http`. */
  readonly source: string
  /** A path or URL, for messages, and so that equal pods of two places are two. */
  readonly place: string
  readonly nodeName: string
  readonly platform: Platform
  readonly now: number
}

/** A pod that was read, or what is wrong with it. */
export interface ReadManifest {
  readonly pods: readonly Stored<Pod>[]
  readonly problems: readonly string[]
  /** True where the source itself could not be read: nothing is known of its pods. */
  readonly isUnknown?: true
}

/** Reads the manifest of a pod, or of a list of pods, as the pods of a node. */
export async function readManifest(bytes: Buffer, origin: ManifestOrigin): Promise<ReadManifest> {
  try {
    const { value, duplicates } = await decodeYaml(bytes)
    const items = isObject(value) && value.kind === 'PodList' ? value.items : [value]
    const at = await positionsOf(bytes)
    const { place } = origin
    const repeated = duplicates.map((text) => `${place}: ${text}`)
    if (repeated.length > 0) return { pods: [], problems: repeated }
    if (!Array.isArray(items)) {
      return { pods: [], problems: [`${place}${at('items')}: items: expected a list of pods`] }
    }
    const isAlone = items.length === 1 && items[0] === value
    const found = items.map((item, index) => {
      const placed = (path: string) => at(isAlone ? path : `items[${index}].${path}`)
      try {
        return staticPod(item, origin, placed)
      } catch (error) {
        return { problems: [`${place}${placed('kind')}: ${errorText(error)}`] }
      }
    })
    return {
      pods: found.flatMap((one) => ('pod' in one && one.pod ? [one.pod] : [])),
      problems: found.flatMap((one) => one.problems),
    }
  } catch (error) {
    const found = error instanceof DecodeError ? error.at : undefined
    const at = found === undefined ? '' : `:${found.line}:${found.column}`
    const why = error instanceof DecodeError ? error.why : errorText(error)
    return { pods: [], problems: [`${origin.place}${at}: ${why}`] }
  }
}

function staticPod(
  item: Json,
  { source, place, nodeName, platform, now }: ManifestOrigin,
  at: (path: string) => string,
): { readonly pod?: Stored<Pod>; readonly problems: readonly string[] } {
  const { object: pod, report } = readObject(pods, item)
  const { name = '', namespace = 'default' } = pod.metadata ?? {}
  const wrong = [
    ...report.unknownFields.map((path) => ({ path, message: 'unknown field' })),
    ...report.typeErrors,
    ...report.errors,
    ...(report.typeErrors.length === 0 ? nameMistakes(pod, name, namespace) : []),
    ...(name === '' ? [{ path: 'metadata.name', message: 'Required value' }] : []),
    ...(pod.spec?.containers?.length || report.typeErrors.length > 0
      ? []
      : [{ path: 'spec.containers', message: 'Required value' }]),
  ]
  if (wrong.length > 0 || pod.spec === undefined) {
    return {
      problems: wrong.map(({ path, message }) => `${place}${at(path)}: ${path}: ${message}`),
    }
  }
  const digest = createHash('md5')
  for (const text of [nodeName, source, place, JSON.stringify(item)]) digest.update(`${text}\n`)
  const given = pod.metadata?.uid ?? ''
  const uid = /^[A-Za-z0-9][A-Za-z0-9.-]{0,127}$/.test(given) ? given : digest.digest('hex')
  const { domain } = platform
  const stored = {
    ...pod,
    metadata: {
      ...pod.metadata,
      name: name.endsWith(`-${nodeName}`) ? name : `${name}-${nodeName}`,
      ...{ namespace, uid, resourceVersion: '', creationTimestamp: timestamp(now) },
      annotations: {
        ...pod.metadata?.annotations,
        [`${domain}/config.hash`]: uid,
        [`${domain}/config.source`]: source,
        [`${domain}/config.seen`]: new Date(now).toISOString(),
      },
    },
    spec: {
      ...pod.spec,
      nodeName,
      tolerations: [
        ...(pod.spec.tolerations ?? []),
        { operator: 'Exists', effect: 'NoExecute' } as const,
      ],
    },
    status: { phase: 'Pending' as const },
  }
  return { pod: stored as Stored<Pod>, problems: [] }
}

/** Names become parts of paths: each is one word. */
function nameMistakes(
  { spec }: Pick<Pod, 'spec'>,
  name: string,
  namespace: string,
): readonly { readonly path: string; readonly message: string }[] {
  const told = (path: string, problems: readonly string[]) =>
    problems.map((message) => ({ path, message: `Invalid value: ${message}` }))
  const labels = (list: string, all: readonly { readonly name?: string }[] = []) =>
    all.flatMap((one, index) => told(`${list}[${index}].name`, dnsLabelProblems(one.name ?? '')))
  return [
    ...(name === '' ? [] : told('metadata.name', dnsSubdomainProblems(name))),
    ...told('metadata.namespace', dnsLabelProblems(namespace)),
    ...labels('spec.initContainers', spec?.initContainers),
    ...labels('spec.containers', spec?.containers),
    ...labels('spec.volumes', spec?.volumes),
  ]
}
