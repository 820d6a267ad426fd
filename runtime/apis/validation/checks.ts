/** The checks by the names that `x-orch-check` of schema files uses, loaded for the first write of a kind that leads to them. */
import type { Checks } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { AnyCheck } from './field.ts'

/** The module of every check that a schema file may name; it exports the check under that name. */
const modules: Readonly<Record<string, () => Promise<object>>> = {
  absolutePath: () => import('./formats.ts'),
  configKeys: () => import('./formats.ts'),
  dns1035Label: () => import('./formats.ts'),
  dnsLabel: () => import('./formats.ts'),
  dnsSubdomain: () => import('./formats.ts'),
  downwardFile: () => import('../core/pod/downward-api.ts'),
  driverName: () => import('../storage/csi.ts'),
  emptyDirSize: () => import('../core/pod/volumes.ts'),
  endpointAddress: () => import('./formats.ts'),
  endpointHints: () => import('../discovery/endpoint-slice.ts'),
  endpointSubset: () => import('../core/service/endpoints.ts'),
  envFromSource: () => import('../core/pod/env.ts'),
  envVar: () => import('../core/pod/env.ts'),
  ephemeralVolume: () => import('../core/pod/volumes.ts'),
  ingressBackend: () => import('../networking/ingress.ts'),
  ingressClassParameters: () => import('../networking/ingress.ts'),
  ingressHost: () => import('../networking/ingress.ts'),
  ingressPath: () => import('../networking/ingress.ts'),
  intOrPercent: () => import('./formats.ts'),
  keySelector: () => import('../core/pod/env.ts'),
  labels: () => import('./formats.ts'),
  labelSelector: () => import('../types/label-selectors.ts'),
  labelValue: () => import('./formats.ts'),
  lifecycle: () => import('../core/pod/probes.ts'),
  matchResources: () => import('../admissionregistration/match-rules.ts'),
  matchRule: () => import('../admissionregistration/match-rules.ts'),
  namedFiles: () => import('../core/pod/volumes.ts'),
  namedMatchRule: () => import('../admissionregistration/match-rules.ts'),
  networkPolicyPeer: () => import('../networking/network-policy.ts'),
  networkPolicyPort: () => import('../networking/network-policy.ts'),
  noBacksteps: () => import('./formats.ts'),
  nodeSelector: () => import('../core/pod/affinity.ts'),
  nodeSelectorTerm: () => import('../core/pod/affinity.ts'),
  nonEmpty: () => import('./formats.ts'),
  paramRef: () => import('../admissionregistration/policy-binding.ts'),
  pathSegment: () => import('./formats.ts'),
  percentBound: () => import('./formats.ts'),
  podAffinityTerm: () => import('../core/pod/affinity.ts'),
  podReadinessGate: () => import('../core/pod/pod-spec.ts'),
  podSchedulingGate: () => import('../core/pod/pod-spec.ts'),
  podSpec: () => import('../core/pod/pod-spec.ts'),
  podTemplateSpec: () => import('../core/pod/pod-template-spec.ts'),
  qualifiedName: () => import('./formats.ts'),
  relativePath: () => import('./formats.ts'),
  resourceRequirements: () => import('../core/pod/resources.ts'),
  seccompProfile: () => import('../core/pod/security.ts'),
  securityContext: () => import('../core/pod/security.ts'),
  signerName: () => import('../certificates/signers.ts'),
  toleration: () => import('../core/pod/tolerations.ts'),
  topologySpreadConstraint: () => import('../core/pod/topology-spread.ts'),
  volumeFile: () => import('./formats.ts'),
  volumeProjection: () => import('../core/pod/volumes.ts'),
}

/** The names of every check that a schema file may use. */
export const checkNames: ReadonlySet<string> = new Set(Object.keys(modules))

/** Loads the checks of a value and of everything below it, by name. Fails if one is unknown. */
export async function loadChecks(
  checks: Checks | undefined,
): Promise<ReadonlyMap<string, AnyCheck>> {
  const names = new Set<string>()
  if (checks !== undefined) collectNames(checks, names, new Set())
  const loaded = [...names].map(async (name) => {
    const load = modules[name]
    invariant(load !== undefined, `a schema names the unknown check ${name}`)
    return [name, (await load())[name as keyof object] as AnyCheck] as const
  })
  return new Map(await Promise.all(loaded))
}

function collectNames(checks: Checks, names: Set<string>, seen: Set<Checks>): void {
  if (seen.has(checks)) return
  seen.add(checks)
  for (const name of checks.checks ?? []) names.add(name)
  const below = Object.values(checks.fields ?? {})
  for (const next of [...below, checks.value?.(), checks.items?.()]) {
    if (next !== undefined) collectNames(next, names, seen)
  }
}
