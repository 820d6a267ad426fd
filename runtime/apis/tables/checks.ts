/** The checks by the names that `x-orch-check` of schema files uses, loaded for the first write of a kind that leads to them. */

import { loadersOf } from '../../kernel/async/loaders.ts'
import type { Checks } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { AnyCheck } from '../../kernel/walker/field.ts'

/** Every check that a schema file may name, and how it is loaded. */
export const checks = loadersOf<AnyCheck>({
  'matchResources matchRule': () => import('../admissionregistration/match-rules.ts'),
  namedMatchRule: () => import('../admissionregistration/match-rules.ts'),
  paramRef: () => import('../admissionregistration/policy-binding.ts'),
  signerName: () => import('../certificates/signers.ts'),
  'nodeSelector nodeSelectorTerm podAffinityTerm': () => import('../core/pod/affinity.ts'),
  downwardFiles: () => import('../core/pod/downward-api.ts'),
  'envFromSource envVar keySelector': () => import('../core/pod/env.ts'),
  'podReadinessGate podSchedulingGate podSpec': () => import('../core/pod/pod-spec.ts'),
  podTemplateSpec: () => import('../core/pod/pod-template-spec.ts'),
  lifecycle: () => import('../core/pod/probes.ts'),
  'overhead resourceRequirements': () => import('../core/pod/resources.ts'),
  'seccompProfile securityContext': () => import('../core/pod/security.ts'),
  toleration: () => import('../core/pod/tolerations.ts'),
  topologySpreadConstraint: () => import('../core/pod/topology-spread.ts'),
  windowsOptions: () => import('../core/pod/windows.ts'),
  'azureDisk csiVolume diskPartition': () => import('../core/volume/volume-sources.ts'),
  'fibreChannel flocker foreignSecret': () => import('../core/volume/volume-sources.ts'),
  'glusterfsEndpoints iscsi namedSecret': () => import('../core/volume/volume-sources.ts'),
  'persistentCsi persistentIscsi quobyte': () => import('../core/volume/volume-sources.ts'),
  'hostPath persistentStorageOS scaleIO storageOS': () =>
    import('../core/volume/volume-sources.ts'),
  claimSpec: () => import('../core/volume/persistent-volume-claim.ts'),
  'emptyDirSize ephemeralVolume namedFiles': () => import('../core/pod/volumes.ts'),
  projectedFiles: () => import('../core/pod/volumes.ts'),
  endpointSubset: () => import('../core/service/endpoints.ts'),
  endpointHints: () => import('../discovery/endpoint-slice.ts'),
  'ingressBackend ingressCertificateHost ingressClassParameters ingressHost': () =>
    import('../networking/ingress.ts'),
  ingressPath: () => import('../networking/ingress.ts'),
  'networkPolicyPeer networkPolicyPort': () => import('../networking/network-policy.ts'),
  driverName: () => import('../types/driver-name.ts'),
  'absolutePath configKeys dns1035Label dnsLabel dnsSubdomain': () => import('../types/formats.ts'),
  'endpointAddress intOrPercent labelValue labels noBacksteps': () => import('../types/formats.ts'),
  'conditions loadBalancerIngress': () => import('../types/conditions.ts'),
  templateMetadata: () => import('../types/annotations.ts'),
  'nonEmpty pathSegment percentBound qualifiedName': () => import('../types/formats.ts'),
  'requiredDnsLabel requiredDnsSubdomain': () => import('../types/formats.ts'),
  'relativePath requiredAbsolutePath requiredQualifiedName volumeFile': () =>
    import('../types/formats.ts'),
  labelSelector: () => import('../types/label-selectors.ts'),
})

/** Loads the checks of a value and of everything below it, by name. Fails if one is unknown. */
export async function loadChecks(tree: Checks | undefined): Promise<ReadonlyMap<string, AnyCheck>> {
  const names = new Set<string>()
  if (tree !== undefined) collectNames(tree, names, new Set())
  const loaded = [...names].map(async (name) => {
    const load = checks.get(name)
    invariant(load !== undefined, `a schema names the unknown check ${name}`)
    return [name, await load()] as const
  })
  return new Map(await Promise.all(loaded))
}

/** Types may lead back to themselves, so each part of the tree is visited once. */
function collectNames(tree: Checks, names: Set<string>, seen: Set<Checks>): void {
  if (seen.has(tree)) return
  seen.add(tree)
  for (const name of tree.checks ?? []) names.add(name)
  for (const next of [...Object.values(tree.fields ?? {}), tree.value?.(), tree.items?.()]) {
    if (next !== undefined) collectNames(next, names, seen)
  }
}
