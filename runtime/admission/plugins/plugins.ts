import type { PluginFactory } from '../chain/plugin.ts'
import { validatingAdmissionPolicy } from '../policy/validating-admission-policy.ts'
import { mutatingAdmissionWebhook } from '../webhook/mutating-admission-webhook.ts'
import { validatingAdmissionWebhook } from '../webhook/validating-admission-webhook.ts'
import { alwaysAdmit } from './always-admit.ts'
import { alwaysDeny } from './always-deny.ts'
import { alwaysPullImages } from './always-pull-images.ts'
import { certificateApproval } from './certificates/certificate-approval.ts'
import { certificateSigning } from './certificates/certificate-signing.ts'
import { certificateSubjectRestriction } from './certificates/certificate-subject-restriction.ts'
import { clusterTrustBundleAttest } from './certificates/cluster-trust-bundle-attest.ts'
import { defaultIngressClass } from './default-ingress-class.ts'
import { defaultStorageClass } from './default-storage-class.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds.ts'
import { denyServiceExternalIPs } from './deny-service-external-ips.ts'
import { extendedResourceToleration } from './extended-resource-toleration.ts'
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.ts'
import { limitRanger } from './limit-ranger/limit-ranger.ts'
import { namespaceExists } from './namespace-exists.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { nodeRestriction } from './node-restriction/node-restriction.ts'
import { ownerReferencesPermission } from './owner-references-permission.ts'
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts'
import { podSecurity } from './pod-security/pod-security.ts'
import { priority } from './priority.ts'
import { resourceQuota } from './resource-quota/resource-quota.ts'
import { runtimeClass } from './runtime-class.ts'
import { serviceAccount } from './service-account/service-account.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './taint-nodes-by-condition.ts'

/** A plugin of the table. */
export interface PluginRegistration {
  readonly name: string
  readonly enabledByDefault?: true
  /** Absent for a plugin that options may name and that this server does not have. */
  readonly create?: PluginFactory
}

/**
 * The table of plugins, in the order in which requests pass them (supplement Q-01). Each stands in the file or folder of its
 * name.
 */
export const plugins: readonly PluginRegistration[] = [
  { name: 'AlwaysAdmit', create: alwaysAdmit },
  { name: 'NamespaceAutoProvision' },
  { name: 'NamespaceLifecycle', enabledByDefault: true, create: namespaceLifecycle },
  { name: 'NamespaceExists', create: namespaceExists },
  { name: 'SecurityContextDeny' },
  { name: 'LimitPodHardAntiAffinityTopology', create: limitPodHardAntiAffinityTopology },
  { name: 'LimitRanger', enabledByDefault: true, create: limitRanger },
  { name: 'ServiceAccount', enabledByDefault: true, create: serviceAccount },
  { name: 'NodeRestriction', create: nodeRestriction },
  { name: 'TaintNodesByCondition', enabledByDefault: true, create: taintNodesByCondition },
  { name: 'AlwaysPullImages', create: alwaysPullImages },
  { name: 'ImagePolicyWebhook' },
  { name: 'PodSecurity', enabledByDefault: true, create: podSecurity },
  { name: 'PodNodeSelector' },
  { name: 'Priority', enabledByDefault: true, create: priority },
  { name: 'DefaultTolerationSeconds', enabledByDefault: true, create: defaultTolerationSeconds },
  { name: 'PodTolerationRestriction' },
  { name: 'EventRateLimit' },
  { name: 'ExtendedResourceToleration', create: extendedResourceToleration },
  { name: 'PersistentVolumeLabel' },
  { name: 'DefaultStorageClass', enabledByDefault: true, create: defaultStorageClass },
  {
    name: 'StorageObjectInUseProtection',
    enabledByDefault: true,
    create: storageObjectInUseProtection,
  },
  { name: 'OwnerReferencesPermissionEnforcement', create: ownerReferencesPermission },
  {
    name: 'PersistentVolumeClaimResize',
    enabledByDefault: true,
    create: persistentVolumeClaimResize,
  },
  { name: 'RuntimeClass', enabledByDefault: true, create: runtimeClass },
  { name: 'CertificateApproval', enabledByDefault: true, create: certificateApproval },
  { name: 'CertificateSigning', enabledByDefault: true, create: certificateSigning },
  { name: 'ClusterTrustBundleAttest', enabledByDefault: true, create: clusterTrustBundleAttest },
  {
    name: 'CertificateSubjectRestriction',
    enabledByDefault: true,
    create: certificateSubjectRestriction,
  },
  { name: 'DefaultIngressClass', enabledByDefault: true, create: defaultIngressClass },
  { name: 'DenyServiceExternalIPs', create: denyServiceExternalIPs },
  { name: 'MutatingAdmissionWebhook', enabledByDefault: true, create: mutatingAdmissionWebhook },
  { name: 'ValidatingAdmissionPolicy', enabledByDefault: true, create: validatingAdmissionPolicy },
  {
    name: 'ValidatingAdmissionWebhook',
    enabledByDefault: true,
    create: validatingAdmissionWebhook,
  },
  { name: 'ResourceQuota', enabledByDefault: true, create: resourceQuota },
  { name: 'AlwaysDeny', create: alwaysDeny },
]
