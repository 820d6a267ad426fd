import { resourceName } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { didYouMean } from '../../kernel/values/spelling.ts'
import { collectionPrefix } from '../../registry/registry.ts'
import type { ApiServerOptions } from '../options.ts'

/** Resources that the server itself goes through, or looks at for each request: plural, and the first word of the group. */
const neededWhole: ReadonlySet<string> = new Set([
  'limitranges',
  'namespaces',
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'resourcequotas',
  'serviceaccounts',
  'services',
  'mutatingwebhookconfigurations.admissionregistration',
  'validatingadmissionpolicies.admissionregistration',
  'validatingadmissionpolicybindings.admissionregistration',
  'validatingwebhookconfigurations.admissionregistration',
  'customresourcedefinitions.apiextensions',
  'apiservices.apiregistration',
  'leases.coordination',
  'flowschemas.flowcontrol',
  'prioritylevelconfigurations.flowcontrol',
  'ingressclasses.networking',
  'clusterrolebindings.rbac',
  'clusterroles.rbac',
  'rolebindings.rbac',
  'roles.rbac',
  'priorityclasses.scheduling',
  'storageclasses.storage',
  'volumeattachments.storage',
])

/** Group and plural of a resource whose kind may be defined later. */
const customName =
  /^([a-z]([-a-z0-9]*[a-z0-9])?)\.([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+)$/

/** The prefixes of keys of resources that are named as in `events` or `widgets.example.com`. */
export function uncachedPrefixes(scheme: Scheme, names: readonly string[]): readonly string[] {
  const kinds = new Map(Object.values(scheme.routes).map((kind) => [resourceName(kind), kind]))
  const prefixes = names.map((name) => {
    const kind = kinds.get(name)
    if (kind !== undefined) return collectionPrefix({ kind })
    const dot = name.indexOf('.')
    return `/${name.slice(dot + 1)}/${name.slice(0, dot)}/`
  })
  return [...new Set(prefixes)]
}

/** What is wrong with the names of resources that are not to be cached, one text for each. */
export function uncachedProblems(
  scheme: Scheme,
  {
    uncachedResources: names = [],
    storage,
  }: Pick<ApiServerOptions, 'uncachedResources' | 'storage'>,
): readonly string[] {
  if (names.length === 0) return []
  if (storage.kind === 'memory') {
    return ['--uncached-resources: storage is memory, where everything is kept anyway']
  }
  const known = new Set(Object.values(scheme.routes).map(resourceName))
  const groups = new Set(Object.values(scheme.routes).map(({ group }) => group))
  return names.flatMap((name) => {
    const problem = problemOf(name, known, groups)
    return problem === undefined ? [] : [`--uncached-resources: ${problem}`]
  })
}

function problemOf(
  name: string,
  known: ReadonlySet<string>,
  groups: ReadonlySet<string>,
): string | undefined {
  const [, plural, , group] = customName.exec(name) ?? []
  if (known.has(name)) {
    const [first, next] = name.split('.')
    const isNeeded = neededWhole.has(next === undefined ? name : `${first}.${next}`)
    return isNeeded ? `${name}: the server itself has to look at all of them` : undefined
  }
  const isCustom = plural !== undefined && group !== undefined && !groups.has(group)
  return isCustom ? undefined : `${name}: there is no such resource${didYouMean(name, known)}`
}
