import { alwaysAdmit, alwaysDeny } from './always.ts'
import { alwaysPullImages } from './always-pull.ts'
import { limitPodHardAntiAffinityTopology } from './anti-affinity.ts'
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './certificates.ts'
import { persistentVolumeClaimResize } from './claim-resize.ts'
import { defaultIngressClass, defaultStorageClass } from './default-class.ts'
import { defaultTolerationSeconds } from './default-tolerations.ts'
import { extendedResourceToleration } from './extended-tolerations.ts'
import { denyServiceExternalIPs } from './external-addresses.ts'
import { limitRanger } from './limit-ranger.ts'
import { namespaceExists } from './namespace-exists.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import type { PluginFactory } from './plugin.ts'
import { podSecurity } from './pod-security.ts'
import { validatingPolicies } from './policy/plugin.ts'
import { priority } from './priority.ts'
import { resourceQuota } from './resource-quota.ts'
import { runtimeClass } from './runtime-class.ts'
import { serviceAccount } from './service-account.ts'
import { storageObjectInUseProtection } from './storage-protection.ts'
import { taintNodesByCondition } from './taint-nodes.ts'
import { mutatingWebhooks, validatingWebhooks } from './webhook/plugins.ts'

/** A plugin by name. One without `make` is a name that options accept and nothing more. */
export interface PluginFacts {
  readonly name: string
  readonly byDefault?: true
  readonly make?: PluginFactory
}

/**
 * Every plugin there is, in the order in which requests pass them (supplement Q-01). StorageObjectInUseProtection waits
 * for the controllers that take its marks off again: with it, and without them, no claim could ever go.
 */
export const plugins: readonly PluginFacts[] = [
  { name: 'AlwaysAdmit', make: alwaysAdmit },
  { name: 'NamespaceAutoProvision' },
  { name: 'NamespaceLifecycle', byDefault: true, make: namespaceLifecycle },
  { name: 'NamespaceExists', make: namespaceExists },
  { name: 'SecurityContextDeny' },
  { name: 'LimitPodHardAntiAffinityTopology', make: limitPodHardAntiAffinityTopology },
  { name: 'LimitRanger', byDefault: true, make: limitRanger },
  { name: 'ServiceAccount', byDefault: true, make: serviceAccount },
  { name: 'NodeRestriction' },
  { name: 'TaintNodesByCondition', byDefault: true, make: taintNodesByCondition },
  { name: 'AlwaysPullImages', make: alwaysPullImages },
  { name: 'ImagePolicyWebhook' },
  { name: 'PodSecurity', byDefault: true, make: podSecurity },
  { name: 'PodNodeSelector' },
  { name: 'Priority', byDefault: true, make: priority },
  { name: 'DefaultTolerationSeconds', byDefault: true, make: defaultTolerationSeconds },
  { name: 'PodTolerationRestriction' },
  { name: 'EventRateLimit' },
  { name: 'ExtendedResourceToleration', make: extendedResourceToleration },
  { name: 'PersistentVolumeLabel' },
  { name: 'DefaultStorageClass', byDefault: true, make: defaultStorageClass },
  { name: 'StorageObjectInUseProtection', make: storageObjectInUseProtection },
  { name: 'OwnerReferencesPermissionEnforcement' },
  { name: 'PersistentVolumeClaimResize', byDefault: true, make: persistentVolumeClaimResize },
  { name: 'RuntimeClass', byDefault: true, make: runtimeClass },
  { name: 'CertificateApproval', byDefault: true, make: certificateApproval },
  { name: 'CertificateSigning', byDefault: true, make: certificateSigning },
  { name: 'ClusterTrustBundleAttest', byDefault: true, make: clusterTrustBundleAttest },
  { name: 'CertificateSubjectRestriction', byDefault: true, make: certificateSubjectRestriction },
  { name: 'DefaultIngressClass', byDefault: true, make: defaultIngressClass },
  { name: 'DenyServiceExternalIPs', make: denyServiceExternalIPs },
  { name: 'MutatingAdmissionWebhook', byDefault: true, make: mutatingWebhooks },
  { name: 'ValidatingAdmissionPolicy', byDefault: true, make: validatingPolicies },
  { name: 'ValidatingAdmissionWebhook', byDefault: true, make: validatingWebhooks },
  { name: 'ResourceQuota', byDefault: true, make: resourceQuota },
  { name: 'AlwaysDeny', make: alwaysDeny },
]
